"""Data flow against CPython: modules of the standard library run with traced names.

Each module is analysed, rewritten so that every use tells the definition it saw (traced.py), and
exercised by a small driver. Every pair that is seen must be among the reported ones.
"""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Figures
from flows import analyse
from test_data_flow import describe
from traced import Traced


def _argparse(m: Any) -> None:
    parser = m.ArgumentParser("p", description="d", epilog="e")
    parser.add_argument("-v", "--verbose", action="store_true", help="v")
    parser.add_argument("-n", type=int, default=3, choices=[1, 2, 3])
    parser.add_argument("files", nargs="*")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--a", action="append")
    group.add_argument("--b", action="count")
    sub = m.ArgumentParser("q").add_subparsers(dest="command")
    sub.add_parser("go", help="g").add_argument("x")
    parser.parse_args(["-v", "-n", "2", "f", "g", "--a", "1"])
    parser.parse_args(["--b", "--b"])
    parser.format_help()
    for wrong in (["-n", "9"], ["--a", "1", "--b"], ["--nope"]):
        with pytest.raises(SystemExit):
            parser.parse_args(wrong)


def _ast(m: Any) -> None:
    text = Path(m.__file__).read_text()
    m.unparse(m.parse(text))
    m.dump(m.parse("x = [1, (2, 3)]"), indent=2)
    m.literal_eval("{'a': [1, -2, {3}], 'b': (1+2j, None, b'x')}")
    m.get_docstring(m.parse("'doc'"))
    m.get_source_segment("x = 1\ny = 2", m.parse("x = 1\ny = 2").body[1])


def _calendar(m: Any) -> None:
    m.TextCalendar(6).formatyear(2024)
    m.HTMLCalendar().formatmonth(2024, 2)
    m.monthrange(2024, 2)
    m.timegm((2024, 1, 1, 0, 0, 0))


def _configparser(m: Any) -> None:
    parser = m.ConfigParser(allow_no_value=True)
    parser.read_string("[a]\nx = 1\ny = %(x)s2\n long\n[b]\nz\n; no\n")
    assert parser["a"]["y"] == "12\nlong"
    parser.write(io.StringIO())
    parser.getint("a", "x", fallback=3)
    for wrong in ("x = 1\n", "[a]\n[a]\n", "[a]\n = 1\n"):
        with pytest.raises(m.Error):
            m.ConfigParser().read_string(wrong)
    m.ConfigParser(interpolation=m.ExtendedInterpolation()).read_string("[a]\nx=1\ny=${x}${a:x}")


def _copy(m: Any) -> None:
    loop: list[Any] = [1, (2, {"a": 3})]
    loop.append(loop)
    m.deepcopy(loop)
    m.copy({1, 2})


def _csv(m: Any) -> None:
    m.Sniffer().sniff("a,b\n1,2\n3,4\n")
    list(m.DictReader(io.StringIO("a,b\n1,2\n3\n")))
    writer = m.DictWriter(io.StringIO(), ["a"], extrasaction="ignore")
    writer.writeheader()
    writer.writerow({"a": 1, "b": 2})
    m.Sniffer().has_header("a,b\n1,2\n3,4\n")


def _dataclasses(m: Any) -> None:
    @m.dataclass(order=True, slots=True)
    class P:
        x: int
        y: list[int] = m.field(default_factory=list)

    @m.dataclass(frozen=True)
    class Q:
        z: int = 0

    assert m.asdict(P(1, [2])) == {"x": 1, "y": [2]}
    m.replace(Q(), z=3)
    m.astuple(P(1))
    m.make_dataclass("R", ["a", ("b", int, 3)])


def _difflib(m: Any) -> None:
    a, b = "one\ntwo\nthree\n".splitlines(True), "ore\ntree\nemu\n".splitlines(True)
    list(m.ndiff(a, b))
    list(m.unified_diff(a, b))
    list(m.context_diff(a, b))
    m.HtmlDiff().make_file(a, b)
    m.get_close_matches("appel", ["ape", "apple", "peach"])
    m.SequenceMatcher(None, "abxcd", "abcd").get_opcodes()


def _fractions(m: Any) -> None:
    half = m.Fraction("1/2")
    assert half + m.Fraction(0.25) == m.Fraction(3, 4)
    half.limit_denominator(3), half**-2, half // 2, hash(half), f"{half:.3f}", str(half)
    assert m.Fraction("3.5e-2") < 1 <= m.Fraction(7, 2) % 2


def _functools(m: Any) -> None:
    @m.lru_cache(maxsize=2)
    def f(x: int) -> int:
        return x

    [f(n) for n in (1, 2, 1, 3)]
    m.reduce(lambda a, b: a + b, [1, 2, 3])
    single = m.singledispatch(lambda x: "object")
    single.register(int)(lambda x: "int")
    assert single(1) == "int"
    m.total_ordering(type("T", (), {"__lt__": lambda s, o: True}))
    m.partial(f, 1)()


def _graphlib(m: Any) -> None:
    sorter = m.TopologicalSorter({"d": {"b", "c"}, "b": {"a"}, "c": {"a"}})
    assert next(iter(sorter.static_order())) == "a"
    with pytest.raises(m.CycleError):
        m.TopologicalSorter({1: [2], 2: [1]}).prepare()


def _heapq(m: Any) -> None:
    heap = [5, 3, 8, 1]
    m.heapify(heap)
    m.heappush(heap, 0), m.heappop(heap), m.heapreplace(heap, 9), m.heappushpop(heap, 2)
    list(m.merge([1, 4], [2, 3], key=lambda x: x)), list(m.merge([4, 1], [3], reverse=True))
    m.nlargest(2, [1, 5, 3], key=lambda x: -x), m.nsmallest(2, [4, 1, 2])


def _html_parser(m: Any) -> None:
    parser = m.HTMLParser(convert_charrefs=False)
    parser.feed(
        "<!DOCTYPE html><p class='a' b=c>x &amp; &#65;<br/><!-- c --><script>1<2</script></p>"
    )
    parser.feed("<a href=")
    parser.close()


def _ipaddress(m: Any) -> None:
    net = m.ip_network("192.0.2.0/28")
    list(net.hosts()), list(net.subnets(2)), net.supernet(), str(m.ip_address("2001:db8::1"))
    list(m.collapse_addresses([net, m.ip_network("192.0.2.16/28")]))
    for wrong in ("1.2.3", "::g", "1.2.3.4/40"):
        with pytest.raises(ValueError):
            m.ip_network(wrong)


def _json_decoder(m: Any) -> None:
    decoder = m.JSONDecoder()
    decoder.scan_once = None
    text = '{"a": [1, 2.5e3, "x\\u00e9\\ud83d\\ude00"], "b": {"c": null}, "d": []}'
    import json.scanner

    decoder.parse_string = m.py_scanstring
    decoder.scan_once = json.scanner.py_make_scanner(decoder)
    assert decoder.decode(text)["b"] == {"c": None}
    for wrong in ('{"a" 1}', "[1,", '{"a": 1,}', '"\\x"', '{"a": "', "[1 2]"):
        with pytest.raises(ValueError):
            decoder.decode(wrong)


def _json_encoder(m: Any) -> None:
    value = {"a": [1, 2.5, None, True, "\u00e9\n"], "b": {}, 3: float("inf"), "c": []}
    m.c_make_encoder = None
    for indent in (None, 2):
        list(m.JSONEncoder(indent=indent, sort_keys=False, skipkeys=True).iterencode(value))
    m.py_encode_basestring_ascii("\U0001f600")


def _pprint(m: Any) -> None:
    value = {"a": list(range(40)), "b": ("x" * 90, {1, 2}), "c": b"y" * 100, "d": {}}
    value["e"] = [value]
    m.pformat(value, width=30, compact=True)
    m.pformat({"k": "word " * 30}, depth=1)


def _random(m: Any) -> None:
    r = m.Random(1)
    r.shuffle(list(range(5))), r.sample(range(100), 5), r.choices("abc", [1, 2, 3], k=2)
    r.gauss(), r.betavariate(1, 2), r.gammavariate(0.5, 1), r.gammavariate(2, 1), r.randrange(9)
    r.vonmisesvariate(0, 4), r.binomialvariate(5, 0.3), r.triangular(), r.paretovariate(2)


def _sched(m: Any) -> None:
    scheduler = m.scheduler()
    scheduler.enter(0, 1, lambda: None)
    scheduler.run()


def _shlex(m: Any) -> None:
    m.split('a \'b c\' "d\\"e" f\\ g # h', comments=True)
    list(m.shlex("a = (b && c) 'd'", punctuation_chars=True))
    m.join(["a b", "c"])
    with pytest.raises(ValueError):
        m.split("a 'b")


def _statistics(m: Any) -> None:
    data = [1, 2, 2, 3, 4.5]
    m.mean(data), m.median(data), m.mode(data), m.stdev(data), m.quantiles(data), m.multimode(data)
    m.linear_regression([1, 2, 3], [2, 4, 7]), m.correlation([1, 2, 3], [2, 4, 7])
    (
        m.NormalDist(1, 2).overlap(m.NormalDist(2, 3)),
        m.geometric_mean([1, 2]),
        m.harmonic_mean([1, 2]),
    )
    m.median_grouped(data), m.fmean(data, data)


def _string(m: Any) -> None:
    m.Template("$a ${b} $$").safe_substitute(a=1)
    m.Formatter().vformat("{0!r:>{w}} {x.real} {y[0]}", (1,), {"w": 3, "x": 2, "y": [4]})
    m.capwords("a b")


def _textwrap(m: Any) -> None:
    text = "Hello  there -- you goof-ball, use the -b option! " * 3
    m.wrap(text, 15, max_lines=3, drop_whitespace=False), m.fill(text, 20, subsequent_indent="> ")
    m.dedent("  a\n\n    b\n"), m.indent("a\n\nb", "- "), m.shorten(text, 20)
    m.TextWrapper(fix_sentence_endings=True, break_long_words=False, width=5).wrap(text)


def _tokenize(m: Any) -> None:
    raw = b"# coding: utf-8\nif x:\n    y = f'{z!r:>{w}}' # c\n\n\nclass A: pass\n"
    tokens = list(m.tokenize(io.BytesIO(raw).readline))
    m.untokenize(tokens), m.untokenize([token[:2] for token in tokens])
    with pytest.raises(SyntaxError):
        m.detect_encoding(io.BytesIO(b"# coding: nope\n").readline)


def _urllib_parse(m: Any) -> None:
    url = "http://user:p@[::1]:80/a/b;c?d=1&d=2&e=%20#f"
    parts = m.urlparse(url)
    parts.port, parts.hostname, parts.geturl(), m.urljoin(url, "../x?y"), m.parse_qs(parts.query)
    m.quote("a /\u00e9"), m.unquote("%C3%A9%zz"), m.urlencode({"a": [1, 2]}, doseq=True)
    m.urlunsplit(m.urlsplit(b"http://a/b")), m.quote_plus(b" "), m.unquote_to_bytes("a%20b")
    with pytest.raises(ValueError):
        m.urlsplit("http://[::1")


def _uuid(m: Any) -> None:
    one = m.uuid5(m.NAMESPACE_DNS, "x")
    one.hex, one.urn, one.fields, one.version, m.UUID(int=3) < one
    with pytest.raises(ValueError):
        m.UUID("x")


def _collections(m: Any) -> None:
    m.namedtuple("A", "b c", defaults=[1])(2)
    counter = m.Counter("abca")
    (
        counter.most_common(2),
        counter - m.Counter("a"),
        counter | m.Counter("z"),
        list(counter.elements()),
    )
    m.ChainMap({1: 2}, {3: 4}).new_child()[3]
    ordered = m.UserDict(a=1)
    ordered.copy(), m.UserList([1, 2]) * 2, m.UserString("a").upper()


DRIVERS: dict[str, Callable[[Any], None]] = {
    "argparse": _argparse,
    "ast": _ast,
    "calendar": _calendar,
    "collections": _collections,
    "configparser": _configparser,
    "copy": _copy,
    "csv": _csv,
    "dataclasses": _dataclasses,
    "difflib": _difflib,
    "fractions": _fractions,
    "functools": _functools,
    "graphlib": _graphlib,
    "heapq": _heapq,
    "html.parser": _html_parser,
    "ipaddress": _ipaddress,
    "json.decoder": _json_decoder,
    "json.encoder": _json_encoder,
    "pprint": _pprint,
    "random": _random,
    "sched": _sched,
    "shlex": _shlex,
    "statistics": _statistics,
    "string": _string,
    "textwrap": _textwrap,
    "tokenize": _tokenize,
    "urllib.parse": _urllib_parse,
    "uuid": _uuid,
}
QUICK = {"csv", "graphlib", "heapq", "shlex", "string", "textwrap"}


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.prove) for name in DRIVERS],
)
def test_every_pair_of_a_module_is_reported(name: str, figures: Figures) -> None:
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.origin is not None
    found = analyse(Path(spec.origin).read_text("utf-8"))
    rows = {(row[0], row[1]) for row in found.rows}
    traced = Traced(found.tree, found.table, f"traced_{name.replace('.', '_')}")
    module = traced.module(__file__=spec.origin, __package__=spec.name.rpartition(".")[0])
    DRIVERS[name](module)
    record = traced.recorder
    assert len(record.names) > 20
    missed = [
        describe(found, numbers[0], use)
        for use, numbers in sorted(record.names)
        if not any((number, use) in rows for number in numbers)
    ]
    missed += [
        describe(found, number, use)
        for use, number in sorted(record.certain)
        if (number, use) not in rows
    ]
    figures(f"{len(record.names)} pairs of names, {len(record.certain)} of paths")
    assert missed == []
