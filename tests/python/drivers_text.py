"""Drivers of modules that read or write text; see flow_drivers.py."""

from __future__ import annotations

import io
import types
from typing import Any

from flow_calls import call, over


def drive_textwrap(m: Any) -> None:
    text = (
        "  The quick-brown fox, jumped -- the lazy\n\tdogs. Averylongwordindeed   and more.\n\n x"
    )
    for options in (
        {},
        {"initial_indent": "  ", "subsequent_indent": "   "},
        {"break_long_words": False, "drop_whitespace": False},
        {"break_on_hyphens": False, "fix_sentence_endings": True},
        {"expand_tabs": False, "replace_whitespace": False},
        {"max_lines": 2, "placeholder": "..."},
        {"max_lines": 1, "placeholder": ""},
        {"max_lines": 1, "placeholder": "far too long"},
    ):
        for width in (5, 10, 40, 100):
            over(m.fill, [text, "", " ", "a-b-cdefgh", "x" * 30], width, **options)
    call(m.shorten, text, 20)
    call(m.wrap, text, 0)
    over(m.dedent, ["  a\n    b\n\n  c", "\ta\n  b", "a\n b", "  a\n\tb\n c", ""])
    call(m.indent, "a\n\nb", "> ", lambda line: True)
    call(m.indent, "a\n\nb", "> ")


def drive_difflib(m: Any) -> None:
    a, b = ["a\n", "b\n", "c d\n", "e\n", "same\n"], ["a\n", "x\n", "c  d!\n", "\te\n", "same\n"]
    for function in (m.ndiff, m.unified_diff, m.context_diff):
        for pair in ((a, b), (a, a), ([], b), (a, []), ([1], [2]), (a * 9, a * 4 + b)):
            call(function, *pair)
    call(m.unified_diff, a, b, "f", "t", "1", "2")
    over(lambda which: m.restore(m.ndiff(a, b), which), [1, 2, 3])
    over(m.get_close_matches, ["appel", "", "peach"], ["ape", "apple", "peach", ""])
    call(m.get_close_matches, "a", [], 0)
    call(m.get_close_matches, "a", [], 1, 3)
    matcher = m.SequenceMatcher(lambda x: x == " ", "ab cd" * 60, "b abcd" * 50)
    for name in ("ratio", "quick_ratio", "real_quick_ratio", "get_grouped_opcodes"):
        call(getattr(matcher, name))
        call(getattr(m.SequenceMatcher(None, "a" * 40 + "b", "a" * 40), name))
        call(getattr(m.SequenceMatcher(), name))
    call(m.HtmlDiff(wrapcolumn=3).make_file, a * 4, b * 4, context=True)
    call(m.HtmlDiff(tabsize=2).make_table, ["\ta"], ["\tb", "c"])
    call(m.diff_bytes, m.unified_diff, [b"a"], [b"b"])


def drive_shlex(m: Any) -> None:
    texts = ['a \'b c\' "d \\" e" # f\n g', "a\\ b", "", "x=1;y&&z|w>f", "~/a*b", "a''", "'\\'"]
    for text in [*texts, "'a", '"a', "a\\", '"a\\', "a#b", "#", "a'b'c"]:
        for posix in (True, False):
            call(m.split, text, comments=True, posix=posix)
            for punctuation in (False, True, "|"):
                call(lambda *args: iter(m.shlex(*args)), text, None, posix, punctuation)
    over(m.quote, ["", "a b", "ab"])
    call(m.join, ["a", "b c"])
    lexer = m.shlex("a b\nsource x", "f")
    lexer.source = "source"
    lexer.push_token("t")
    lexer.push_source("c d")
    lexer.push_source(io.StringIO("e"), "g")
    lexer.error_leader()
    call(iter, lexer)


def drive_fnmatch(m: Any) -> None:
    patterns = "* a*b?c [abc] [!a-c] [] [a []-a] **a**b [z-a] [!] x [a- [--0] [^a] [[a] [a-c-f]"
    for pattern in [*patterns.split(), "[!z-a]", "[b-ac-z]"]:
        over(m.fnmatch, ["aXbYc", "b", ""], pattern)
        m.filter(["a", "b.c"], pattern)


JSON = r"""{"a" : [1, -2.5e3, "x\n\u00e9\ud834\udd1e\ud834x"] , "b": {}}|[]|[ ]|{ }| [1 , 2 ] |NaN
{"a":1,"b":2}|["\ud834\u0041"]|{|[1|[1,|[1 2]|{"a"|{"a":|{"a":1|{"a":1,|{"a" 1}|{1:2}|"a|"\|"\x"
"\u12"|"\u12x4"|x|[1,]|{"a":1 x|{"a":1, x|1 x|{ "a": 1}|{"a": |{"a":x}|[x]|[ 1]|{ x|tru|null|true
false|Infinity|-Infinity|-|fals|nul|Na|-Inf|"\u+123"||0|[true, false, null]|"\ud834\q"|"""


def drive_json_scanner(m: Any) -> None:
    import json

    for strict in (True, False):
        decoder = json.JSONDecoder(strict=strict)
        decoder.parse_string = json.decoder.py_scanstring
        scan = m.py_make_scanner(decoder)
        over(scan, JSON.replace("\n", "|").split("|"), 0)


def drive_json_decoder(m: Any) -> None:
    for options in ({}, {"strict": False}, {"object_hook": dict}, {"object_pairs_hook": list}):
        decoder = m.JSONDecoder(**options)
        decoder.parse_string = m.py_scanstring
        decoder.scan_once = m.scanner.py_make_scanner(decoder)
        texts = [*JSON.replace("\n", "|").split("|"), '"\n"', '{"a":\n 1}', '{"a":1,\n "b":2}']
        over(decoder.decode, texts)
    call(m.JSONDecodeError("m", "a\nb", 2).__reduce__)


def drive_json_encoder(m: Any) -> None:
    m.c_make_encoder = None
    loop: list[Any] = []
    loop.append(loop)
    texts = ["x\u00e9\U0001f600\n", 'a"\\', "\x7f\u20ac", ""]
    plain = [1, 2.5, None, True, False, float("inf"), float("nan"), float("-inf"), object()]
    values = [*texts, *plain, [], {}, (), loop, {"l": loop}, {(1,): 2}, [plain], {"k": [[1], {}]}]
    values += [{str(key): value} for key, value in enumerate([*texts, *plain, [], {}, loop])]
    values += [
        {1: 0, 2.5: 0, None: 0, False: 0, "t": True, "n": None},
        [*texts, *plain[:5], (), {}],
    ]
    for options in (
        *({}, {"indent": 2}, {"indent": "\t"}, {"sort_keys": True}, {"ensure_ascii": False}),
        *({"separators": (",", ":")}, {"check_circular": False}, {"skipkeys": True}),
        *({"default": str}, {"allow_nan": False}),
    ):
        over(m.JSONEncoder(**options).encode, values)
    over(m.py_encode_basestring, texts)
    over(m.py_encode_basestring_ascii, texts)


def drive_pprint(m: Any) -> None:
    import collections

    loop: list[Any] = [1]
    loop.append(loop)
    many = [1] * 40
    values: list[Any] = [
        {"b": many, "a": ("x" * 50, {1, 2}, frozenset({3}))},
        loop,
        [],
        {},
        (),
        (1,),
    ]
    values += ["a b " * 40, set(), b"x" * 100, bytearray(b"y" * 90), 10**9, "line\nline " * 20, ""]
    values += [
        {"k" * 70: "v"},
        [[[[[1]]]]],
        {1: 2, "a": 3},
        b"",
        types.SimpleNamespace(a=1, b=many),
    ]
    values += [collections.OrderedDict(a=1, b=many), collections.deque(many, 50), {"a": loop}]
    values += [collections.defaultdict(int, a=1), collections.Counter("aab" * 9)]
    values += [collections.ChainMap({"a": 1}, {}), types.MappingProxyType({"a": many})]
    values += [collections.UserList(many), collections.UserDict(a=many), collections.deque()]
    values += [collections.UserString("x " * 60), collections.OrderedDict(), collections.ChainMap()]
    for options in (
        *({}, {"width": 20}, {"compact": True, "width": 30}, {"depth": 2}, {"indent": 3}),
        *({"sort_dicts": False}, {"underscore_numbers": True}, {"indent": -1}, {"depth": 0}),
        {"width": 0},
    ):
        over(m.pformat, values, **options)
    over(m.isreadable, values)
    over(m.isrecursive, values)
    over(m.saferepr, values)
    call(m.pprint, [1])
    call(m.pp, {})


def drive_string(m: Any) -> None:
    for text in ("$a ${b} $$ $", "$a ${b} $$ $c", "$a", "$", "$a $a", "x\n$"):
        template = m.Template(text)
        for name in ("substitute", "safe_substitute"):
            call(getattr(template, name), {"a": 1}, b=2)
            call(getattr(template, name), a=1)
        call(template.is_valid)
        call(template.get_identifiers)
    over(m.capwords, ["a b", "a  b"], " ")
    call(m.capwords, "a  b")
    texts = [
        "{} {0}",
        "{0} {}",
        "{} {a.b[0]!r:>{w}}",
        "{{}}",
        "{!s}",
        "{!a}",
        "{!x}",
        "{0.real}",
        "{:{:{}}}",
        "{}",
        "{a}",
        "x",
    ]
    over(m.Formatter().format, texts, 1, 2, 3, a=types.SimpleNamespace(b=[1]), w=5)
    call(m.Formatter().vformat, "{", (), {})


def drive_tokenize(m: Any) -> None:
    text = "# c\nif x:\n    y = 'a' f'{b}' '''d\ne''' 0x1 1e5 \\\n  + (1,\n 2)\n\nclass A: pass\n"
    for broken in (text, "'''a", "(", "  x\n y", "'a", "x = $", "\tx\n        y\n  z", ""):
        tokens = call(m.generate_tokens, io.StringIO(broken).readline) or []
        call(m.untokenize, tokens)
        call(m.untokenize, [token[:2] for token in tokens])
        over(repr, tokens)
    call(m.untokenize, m.tokenize(io.BytesIO(text.encode()).readline))
    heads = [b"", b"# coding: latin-1\n", b"\xef\xbb\xbfx\n", b"#!x\n# coding: utf-8\n", b"x\n"]
    bad = [
        b"# coding: nothing\n",
        b"\xef\xbb\xbf# coding: latin-1\n",
        b"\xff\n",
        b"#\n\xff",
        b"#\n",
    ]
    over(lambda head: m.detect_encoding(io.BytesIO(head).readline), heads + bad)
    first, second = (1, "a", (1, 0), (1, 1), ""), (1, "b", (2, 0), (2, 1), "")
    call(m.untokenize, [first, second])
    call(m.untokenize, [second, first])
    pairs = [(1, "a"), (3, "'b'"), (3, "'c'"), (4, "\n"), (5, "  "), (1, "d"), (6, ""), (2, "1")]
    call(m.untokenize, iter(pairs))


HTML = r"""<!DOCTYPE html><a href='x' b=c d>t &amp; &#65; &#x41; &bogus; &</a><br/><!-- c --><?pi?>
<script>if (a < b) { </x> }</script><style>x</style><![CDATA[x]]><!x></><a|<a b='c|&#|<!--|<!|</ a>
</a b>|<a/b>|<1>|a<b c="d" e>f|&#x|&#xZ;|&a|<!-x>|<![if x]>|<p/>|<a<b>|</a|<?|<!doctype|text only
</script|<script></scrip>x</script >|<>|&#1|&am|<a =b>|<a b=>|</1>|<!-|<title>&amp;</title>"""


def drive_html_parser(m: Any) -> None:
    for text in HTML.replace("\n", "|").split("|"):
        for convert in (True, False):
            parser = m.HTMLParser(convert_charrefs=convert)
            parser.feed(text)
            parser.close()
            parser.reset()
            over(parser.feed, text)
            parser.close()


URLS = """http://u:p@h:80/p;q?a=b&c=d#f //h p/../q mailto:x http://[::1]:8/ http://[v1.x]/ http://h:x/
http://u@h HTTP://H/%7Ea file:///a x:y http://[::1 http://[x] http://a]b http://\u2100.x /x ?q #f
../x . .. g;x=1 ../../../g http://[::1]x/ http://h/a/b/c/d a:b:c"""


def drive_urllib_parse(m: Any) -> None:
    urls = [*URLS.split(), "", b"http://h/p"]
    for url in urls:
        for split in (m.urlsplit, m.urlparse, m.urldefrag):
            parts = call(split, url)
            for name in ("username", "password", "hostname", "port", "geturl"):
                call(lambda kept=parts, wanted=name: getattr(kept, wanted))
            call(m.urlunparse, parts)
            call(m.urlunsplit, parts)
        over(m.urljoin, urls, url)
    texts = ["a b/\u00e9", b"a b", "abc", "", 1, "a%20b%E9%zz+", b"a%20", "a+b", "%"]
    names = (
        "quote",
        "quote_plus",
        "unquote",
        "unquote_plus",
        "unquote_to_bytes",
        "quote_from_bytes",
    )
    for name in names:
        over(getattr(m, name), texts)
        over(getattr(m, name), texts, encoding="latin-1")
    for options in (
        *({}, {"strict_parsing": True}, {"keep_blank_values": True}, {"max_num_fields": 1}),
        *({"separator": ";"}, {"separator": ""}),
    ):
        over(m.parse_qs, ["a=1&a=2&b&c=", "a=1;b=2", b"a=1", "a&b", "", "a=1&&b"], **options)
    data = {"a": [1, "x y"], "b": b"c", b"d": "e", "f": ["x", b"y", 2], "g": 5}
    for doseq in (False, True):
        over(m.urlencode, [data, list(data.items()), {}, 1, "abc", [1]], doseq)


INI = (
    "[DEFAULT]\na = 1\n[s]\nb: 2\n  more\n# c\nd = %(a)s x\ne\n[t]\ny=yes\nz = ${s:b} ${a}\n\nw=\n"
    "|x=1|[a]\n[a]|[a]\nb=1\nb=2|[a]\n=1|[a|[a]\n  \nb|[s]\na = %(x)s|[s]\na=%x|[s]\na=${|[s]\na=$x"
    "|[s]\na=${a:b:c}|[s]\na=$${n}|[s]\na=%%|[s]\na=%(a|[s]\na=${s:a}|[s]\na=%(a)s|[s]\na = 1 ; c\n"
)


def drive_configparser(m: Any) -> None:
    for options in (
        {"allow_no_value": True},
        {"allow_no_value": True, "interpolation": m.ExtendedInterpolation()},
        {"interpolation": None, "inline_comment_prefixes": ";"},
        {"allow_no_value": True, "empty_lines_in_values": False, "strict": False},
    ):
        for kind in (m.ConfigParser, m.RawConfigParser):
            for text in INI.split("|"):
                _use_parser(call(kind, **options), text)


def _use_parser(parser: Any, text: str) -> None:
    call(parser.read_string, text)
    for section in ("s", "t", "x", "DEFAULT"):
        for name in ("options", "items", "add_section", "has_section"):
            call(getattr(parser, name), section)
        for option in ("a", "y", "z", "q"):
            for name in ("get", "getboolean", "getint", "has_option"):
                call(getattr(parser, name), section, option)
            call(parser.get, section, option, fallback=1)
            call(parser.get, section, option, vars={"a": "2"})
            call(parser.set, section, option, "%(a)s ${a}")
            call(parser.set, section, option, 1)
        over(lambda wanted: list(parser[wanted].items()), [section])
        call(parser.remove_option, section, "b")
    call(parser.write, io.StringIO())
    call(parser.read_dict, {"v": {"k": 1}, "w": {"k": None}}, "src")
    call(parser.__setitem__, "u", {"k": "v"})
    over(parser.remove_section, ["t", "x"])
    call(parser.read, ["none"])
    call(parser.popitem)


LINES = """a b c|-vv --flag --no-flag|-n 1 2|-n x|--choice a|--choice z|--const|--append 1
--append=2|--extend 1 2|--opt --opt 3|--two 1 2|--two 1|--x --y|--x|--verb|--unknown|-h|--version
-v1|-- -x
--c|a -v b|-5|--opt=|@none|--in-group 1|-nv|--x=1|"""


def drive_argparse(m: Any) -> None:
    for options in (
        *({}, {"prefix_chars": "-+", "description": "d " * 60}, {"allow_abbrev": False}),
        {
            "fromfile_prefix_chars": "@",
            "usage": "%(prog)s",
            "formatter_class": m.RawTextHelpFormatter,
        },
        {"formatter_class": m.ArgumentDefaultsHelpFormatter, "exit_on_error": False},
    ):
        p = m.ArgumentParser("p", **options)
        for name, given in {
            "--verbose": {"action": "count", "default": 0, "help": "h " * 40},
            **{"--flag": {"action": m.BooleanOptionalAction}, "-n": {"type": int, "nargs": "+"}},
            **{"--choice": {"choices": ["a"], "metavar": "C"}, "--append": {"action": "append"}},
            **{"--const": {"action": "store_const", "const": 3}, "--two": {"nargs": 2}},
            **{"--extend": {"action": "extend", "nargs": "*"}, "--hidden": {"help": m.SUPPRESS}},
            **{"--version": {"action": "version", "version": "1"}, "pos": {"nargs": "?"}},
            **{"--opt": {"nargs": "?", "const": 1}, "rest": {"nargs": "*"}, "--w": {"type": 1}},
            **{"--z": {"nargs": 0}, "-n+": {"action": "none"}, "q": {"required": True}},
        }.items():
            call(p.add_argument, name, **given)
        group = p.add_mutually_exclusive_group()
        group.add_argument("--x", action="store_true")
        group.add_argument("--y", action="store_false")
        p.add_argument_group("title", "text").add_argument("--in-group", "-v")
        for line in LINES.replace("\n", "|").split("|"):
            for name in ("parse_args", "parse_known_args", "parse_intermixed_args"):
                call(getattr(p, name), line.split())
        for function in (p.format_help, p.format_usage, p.print_help):
            call(function)
    p = m.ArgumentParser("p", add_help=False, conflict_handler="resolve")
    for name in ("-a", "-a", "main"):
        p.add_argument(name)
    subs = p.add_subparsers(title="t", dest="cmd", required=True)
    subs.add_parser("one", aliases=["1"], help="h").add_argument("--o")
    over(
        lambda line: p.parse_args(line.split()),
        ["m one --o 1", "m 1", "m three", "m", "", "-a 1 m"],
    )
    call(m.ArgumentParser(parents=[p], prog="q").format_help)


PYTHON = r"""f'{a!r:>{b}}'
match x:
 case [1, *_] | {'a': b, **c} | A(d, e=f): pass
 case None | x.y if z: g
async def f[T: int, *U, **P](a, /, b: c = 1, *d, e=2, **g) -> h:
 async with i as j, k: await l
 async for m in n: yield
 else: return
try: a
except* B as c: raise d from e
else: f
finally: g
lambda x, *y, z=1, **w: (yield)
x: int = 1; (x): y; del a, b[c:d:e, ...]; assert a, b; x += 1; pass; global q
a if b else c; not a; -a ** -b; a and b or c; a < b <= c is d not in e; (a := 1); a @ b // c
[*a, b]; {**a, b: c}; {a, *b}; (a,); (); [a for b in c if d]; {a: b for c in d}; (a for b in c)
import a.b as c, d; from . import e as f; from .g import *
while a: break
else: b
@d
class C[T](B, k=1): 'doc'
type X[T] = int
'a\n"\'b'; b'x'; 1j; 1e999; f'''{x}'"'''; f'{{}}{x!s}'; 'multi\nline'; -1; ~1; 1 .real; 1e1000j
with (a as b, c): d
if a: b
elif c: d
else: e
"""


def drive_ast(m: Any) -> None:
    texts = [PYTHON, PYTHON.replace("\n", "\r\n"), "'''doc'''\nx", "x"]
    for text in texts:
        tree = m.parse(text)
        m.parse(m.unparse(tree))
        for options in ({}, {"indent": 1}, {"annotate_fields": False, "include_attributes": True}):
            call(m.dump, tree, **options)
        for node in m.walk(tree):
            call(m.get_docstring, node)
            call(m.get_source_segment, text, node)
            call(m.get_source_segment, text, node, padded=True)
        m.increment_lineno(tree, 2)
        m.fix_missing_locations(tree)
    literals = "[1, (2, -3), {4: 'x'}, {5}, None, 1+2j, set()]|-1|a|f()|1+x|-'a'|{**a}|1+2|+1|1-2j"
    over(m.literal_eval, literals.split("|"))

    class Change(m.NodeTransformer):  # type: ignore[misc,name-defined]
        def visit_Name(self, node: Any) -> Any:
            return {"gone": None, "two": [node, node]}.get(node.id, node)

    call(Change().visit, m.parse("f(gone, two, x)\nreturn_ = gone"))
