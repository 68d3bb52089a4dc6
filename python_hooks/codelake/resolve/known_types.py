"""Known types: what is known of builtin types and of the standard library, as a table.

    call_type("builtins.str.split")     -> "list[str]"
    attribute_type("pathlib.Path.name") -> "str"
    has_attribute("builtins.str", "x")  -> False; None for a class that is not known

A line of the table is `class or module: names = type; ...`; indented lines go on.
A type is a name (builtins without their module), with items in brackets; `self` is the receiver.
Attributes of builtin types come from the types themselves, those of the standard library from
library_classes.py, so what does not exist is not believed. What the table does not have is looked
up in library_types.txt, which tests/python/library_types_scan.py makes.
Next: library_classes.py, known_calls.py.
"""

from __future__ import annotations

import builtins
import re
from functools import cache
from pathlib import Path
from typing import Any

from codelake.resolve.library_classes import bases_of, canonical, has_member, is_library_function

# fmt: off
_CALLS = """
builtins.str: capitalize casefold center expandtabs format format_map join ljust lower lstrip
    removeprefix removesuffix replace rjust rstrip strip swapcase title translate upper zfill
    __add__ __mul__ __mod__ = str; split rsplit splitlines = list[str]; partition rpartition =
    tuple[str]; encode = bytes; count find index rfind rindex = int; endswith startswith isalnum
    isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle
    isupper = bool; maketrans = dict
builtins.bytes: decode hex = str; split rsplit splitlines = list[bytes]; partition rpartition =
    tuple[bytes]; join replace strip lstrip rstrip lower upper title ljust rjust center
    removeprefix removesuffix translate fromhex = bytes; count find index rfind rindex = int;
    endswith startswith isalnum isalpha isdigit = bool
builtins.bytearray: decode hex = str; copy = bytearray
builtins.int: bit_length bit_count conjugate = int; to_bytes = bytes; from_bytes = int;
    as_integer_ratio = tuple[int]; is_integer = bool
builtins.float: is_integer = bool; hex = str; as_integer_ratio = tuple[int]; fromhex = float
builtins.set: copy union difference intersection symmetric_difference = set
builtins.frozenset: copy union difference intersection symmetric_difference = frozenset
builtins.dict: fromkeys = dict
builtins.memoryview: tobytes = bytes
builtins: len ord hash id abs round sum pow divmod = int; repr str ascii chr bin hex oct input
    format = str; isinstance issubclass callable hasattr any all = bool; open =
    io.TextIOWrapper; range = range; bytes = bytes; dir = list[str]; print = none; vars = dict
io.TextIOWrapper: read readline = str; readlines = list[str]; write tell seek fileno = int;
    isatty readable writable seekable = bool; __enter__ = self
io.StringIO: getvalue read readline = str; readlines = list[str]; write tell seek = int;
    __enter__ = self
io.BytesIO: getvalue read readline getbuffer = bytes; write tell seek = int; __enter__ = self
io.BufferedReader: read readline = bytes; __enter__ = self
io: open = io.TextIOWrapper
os.path: join basename dirname abspath realpath normpath expanduser expandvars relpath
    commonprefix normcase = str; exists isfile isdir isabs islink samefile lexists ismount =
    bool; split splitext splitdrive = tuple[str]; getsize = int; getmtime getctime getatime =
    float
os: getcwd getenv strerror urandom fspath getlogin readlink = str; listdir = list[str]; getpid
    getppid cpu_count umask = int; urandom fsencode = bytes; walk = list[tuple]; popen =
    io.TextIOWrapper; stat = os.stat_result; access = bool
os.environ: get pop setdefault = str; copy = dict; items = list[tuple[str]]; keys values =
    list[str]
re: compile = re.Pattern; match search fullmatch = re.Match; sub escape = str; split findall =
    list[str]; finditer = list[re.Match]
re.Pattern: match search fullmatch = re.Match; sub = str; split findall = list[str]; finditer =
    list[re.Match]; subn = tuple
re.Match: group expand = str; groups = tuple[str]; groupdict = dict[str]; start end = int; span
    = tuple[int]
pathlib.Path: joinpath with_name with_suffix with_stem resolve absolute expanduser relative_to
    rename replace cwd home readlink __truediv__ __rtruediv__ = pathlib.Path; read_text as_posix
    as_uri __str__ owner group = str; read_bytes = bytes; write_text write_bytes = int; glob
    rglob iterdir = list[pathlib.Path]; exists is_dir is_file is_absolute is_symlink match
    is_relative_to samefile = bool; open = io.TextIOWrapper; stat lstat = os.stat_result
pathlib.PurePath: joinpath with_name with_suffix relative_to = pathlib.PurePath; as_posix = str
pathlib.PurePosixPath: joinpath with_name with_suffix relative_to = pathlib.PurePosixPath;
    as_posix = str
json: dumps = str
logging: getLogger getChild = logging.Logger; getLevelName = str
logging.Logger: getChild = logging.Logger; isEnabledFor hasHandlers = bool; getEffectiveLevel =
    int
datetime.datetime: now utcnow today fromtimestamp utcfromtimestamp strptime combine replace
    astimezone fromisoformat __add__ = datetime.datetime; date = datetime.date; time timetz =
    datetime.time; isoformat strftime ctime tzname = str; timestamp = float; weekday isoweekday
    toordinal = int; utcoffset __sub__ = datetime.timedelta; timetuple = time.struct_time
datetime.date: today fromtimestamp fromisoformat fromordinal replace __add__ = datetime.date;
    isoformat strftime ctime = str; weekday isoweekday toordinal = int; __sub__ =
    datetime.timedelta
datetime.time: isoformat strftime = str; replace = datetime.time
datetime.timedelta: total_seconds = float; __add__ __sub__ __mul__ = datetime.timedelta
time: time monotonic perf_counter process_time mktime = float; strftime ctime asctime = str;
    time_ns monotonic_ns = int; localtime gmtime strptime = time.struct_time; sleep = none
collections.Counter: most_common = list[tuple]; elements = list; copy = collections.Counter
collections: namedtuple = unknown
copy: copy deepcopy = unknown
contextvars: copy_context = contextvars.Context
subprocess: run = subprocess.CompletedProcess; check_output getoutput = str; call check_call =
    int
subprocess.Popen: communicate = tuple[str]; wait poll = int; __enter__ = self
threading: current_thread = threading.Thread; Lock = threading.Lock; RLock = threading.RLock
multiprocessing: Pool = multiprocessing.pool.Pool; Manager = multiprocessing.managers.SyncManager;
    Lock = multiprocessing.synchronize.Lock; RLock = multiprocessing.synchronize.RLock; Event =
    multiprocessing.synchronize.Event; Condition = multiprocessing.synchronize.Condition; Semaphore
    = multiprocessing.synchronize.Semaphore; BoundedSemaphore =
    multiprocessing.synchronize.BoundedSemaphore; Barrier = multiprocessing.synchronize.Barrier;
    JoinableQueue = multiprocessing.queues.JoinableQueue
multiprocessing.pool.Pool: __enter__ = self
multiprocessing.managers.SyncManager: __enter__ = self
threading.Thread: is_alive = bool; getName = str
hashlib: md5 sha1 sha224 sha256 sha384 sha512 new = _hashlib.HASH; blake2b = hashlib.blake2b;
    blake2s = hashlib.blake2s
_hashlib.HASH: hexdigest = str; digest = bytes; copy = _hashlib.HASH
hashlib.blake2b: hexdigest = str; digest = bytes; copy = hashlib.blake2b
hashlib.blake2s: hexdigest = str; digest = bytes; copy = hashlib.blake2s
uuid: uuid1 uuid3 uuid4 uuid5 = uuid.UUID
random: random uniform gauss = float; randint randrange getrandbits = int
math: floor ceil gcd comb factorial isqrt trunc = int; sqrt sin cos tan log log2 log10 exp pow
    fabs hypot atan2 radians degrees fsum dist = float; isnan isinf isclose isfinite = bool
string: capwords = str
textwrap: dedent indent fill shorten = str; wrap = list[str]
shutil: which copy copy2 move copyfile copytree make_archive = str; rmtree = none;
    get_terminal_size = os.terminal_size
tempfile: mkdtemp gettempdir mktemp = str; NamedTemporaryFile TemporaryFile = io.BufferedReader;
    mkstemp = tuple
urllib.parse: urljoin quote quote_plus unquote unquote_plus urlencode urlunparse urlunsplit =
    str; urlparse = urllib.parse.ParseResult; urlsplit = urllib.parse.SplitResult; parse_qs =
    dict; parse_qsl = list[tuple[str]]
urllib.parse.ParseResult: geturl = str
urllib.parse.SplitResult: geturl = str
base64: b64encode b64decode urlsafe_b64encode urlsafe_b64decode b32encode b32decode = bytes
binascii: hexlify unhexlify = bytes
html: escape unescape = str
inspect: signature = inspect.Signature; getdoc getsource getfile cleandoc = str; isclass
    isfunction ismethod isgeneratorfunction iscoroutinefunction isabstract ismodule isgenerator
    = bool
inspect.Signature: bind bind_partial = inspect.BoundArguments; replace = inspect.Signature
platform: system machine node release version python_version platform = str
sys: getrecursionlimit getsizeof getrefcount = int; getdefaultencoding getfilesystemencoding
    intern = str; exc_info = tuple
locale: getpreferredencoding = str
traceback: format_exc = str; format_exception format_tb format_stack = list[str]
argparse.ArgumentParser: parse_args = argparse.Namespace; add_argument_group
    add_mutually_exclusive_group = argparse._ArgumentGroup; add_subparsers =
    argparse._SubParsersAction; format_help format_usage = str
argparse._SubParsersAction: add_parser = argparse.ArgumentParser
configparser.ConfigParser: get = str; getint = int; getboolean has_section has_option = bool;
    getfloat = float; sections options = list[str]
asyncio: get_event_loop new_event_loop get_running_loop = asyncio.AbstractEventLoop
decimal.Decimal: quantize normalize copy_abs = decimal.Decimal; as_tuple = tuple; is_nan
    is_finite is_infinite = bool
fractions.Fraction: limit_denominator = fractions.Fraction
struct: pack = bytes; unpack unpack_from = tuple; calcsize = int
secrets: token_hex token_urlsafe = str; token_bytes = bytes; compare_digest = bool
hmac: new = hmac.HMAC; compare_digest = bool
hmac.HMAC: hexdigest = str; digest = bytes
zipfile.ZipFile: namelist = list[str]; read = bytes; __enter__ = self
csv: reader = csv._reader; writer = csv._writer
socket: socket = socket.socket; gethostname = str
difflib: get_close_matches = list[str]; unified_diff ndiff context_diff = list[str]
ast: parse = ast.Module; dump unparse get_docstring = str; literal_eval = unknown
tokenize: detect_encoding = tuple
types: MappingProxyType = dict
glob: glob iglob = list[str]
fnmatch: filter = list[str]; fnmatch fnmatchcase = bool; translate = str
gettext: gettext ngettext = str
unicodedata: normalize name category = str
keyword: iskeyword = bool
shlex: split = list[str]; quote join = str
itertools: count = list[int]
operator: index = int
statistics: mean median stdev variance = float
"""
_ATTRIBUTES = """
pathlib.Path: name stem suffix anchor root drive = str; parent = pathlib.Path; parts suffixes =
    tuple[str]; parents = list[pathlib.Path]
pathlib.PurePath: name stem suffix = str; parent = pathlib.PurePath; parts = tuple[str]
pathlib.PurePosixPath: name stem suffix = str; parent = pathlib.PurePosixPath; parts =
    tuple[str]
os: sep linesep pathsep curdir pardir name altsep extsep devnull = str
os.path: sep = str
sys: platform version executable prefix byteorder base_prefix exec_prefix = str; argv path =
    list[str]; maxsize hexversion maxunicode = int; stdout stderr stdin __stdout__ __stderr__ =
    io.TextIOWrapper; version_info = tuple[int]; modules = dict
string: ascii_letters ascii_lowercase ascii_uppercase digits hexdigits punctuation whitespace
    printable octdigits = str
datetime.datetime: year month day hour minute second microsecond fold = int; min max =
    datetime.datetime
datetime.date: year month day = int
datetime.timedelta: days seconds microseconds = int
datetime.timezone: utc min max = datetime.timezone
datetime: UTC = datetime.timezone
re.Match: string = str; re = re.Pattern; lastgroup = str; pos endpos lastindex = int
re.Pattern: pattern = str; flags groups = int; groupindex = dict
subprocess.CompletedProcess: stdout stderr = str; returncode = int; args = list[str]
subprocess.Popen: returncode pid = int; stdout stderr stdin = io.TextIOWrapper
urllib.parse.ParseResult: scheme netloc path params query fragment hostname username password =
    str; port = int
urllib.parse.SplitResult: scheme netloc path query fragment hostname username password = str;
    port = int
uuid.UUID: hex = str; int = int; bytes = bytes
builtins.int: real imag numerator denominator = int
builtins.float: real imag = float
builtins.BaseException: args = tuple
builtins.slice: start stop step = int
math: pi e inf nan tau = float
threading.Thread: name = str; daemon = bool; ident = int
logging.Logger: name = str; level = int; handlers = list
inspect.Signature: parameters = builtins.mappingproxy[inspect.Parameter]
types.FunctionType: __name__ __qualname__ __doc__ __module__ = str; __defaults__ = tuple;
    __dict__ __annotations__ __globals__ __kwdefaults__ = dict
"""
# fmt: on
_BASES = {
    "collections.OrderedDict": ("builtins.dict",),
    "collections.defaultdict": ("builtins.dict",),
    "collections.Counter": ("builtins.dict",),
    "pathlib.Path": ("pathlib.PurePath",),
    "pathlib.PosixPath": ("pathlib.Path", "pathlib.PurePath"),
    "datetime.datetime": ("datetime.date",),
    "enum.IntEnum": ("builtins.int", "enum.Enum"),
    "enum.StrEnum": ("builtins.str", "enum.Enum"),
    "enum.IntFlag": ("builtins.int", "enum.Flag", "enum.Enum"),
    "enum.Flag": ("enum.Enum",),
    "json.JSONDecodeError": ("builtins.ValueError", "builtins.Exception"),
    "typing.NamedTuple": ("builtins.tuple",),
}
_EMPTY_BASES = frozenset(
    {"abc.ABC", "typing.Generic", "typing.Protocol", "typing_extensions.Protocol"}
)
_LINE = re.compile(r"^([\w.]+): (.*)$")


def _table(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in text.strip().replace("\n    ", " ").splitlines():
        match = _LINE.match(line)
        assert match is not None, line
        for part in match[2].split("; "):
            names, _, kind = part.rpartition(" = ")
            for name in names.split():
                found[f"{match[1]}.{name}"] = kind
    return found


_CALL_TYPES = _table(_CALLS)
_ATTRIBUTE_TYPES = _table(_ATTRIBUTES)
_BUILTIN_TYPES = {
    f"builtins.{name}": frozenset(dir(value))
    for name, value in vars(builtins).items()
    if isinstance(value, type)
}
_UNNAMED: tuple[object, ...] = (None, ..., {}.items(), {}.keys(), {}.values(), iter([]),
                                iter(int, 0), (_ for _ in ()), vars(type))  # fmt: skip
_BUILTIN_TYPES |= {f"builtins.{type(one).__name__}": frozenset(dir(one)) for one in _UNNAMED}
_OF_CLASSES = frozenset(dir(type))
_CLASS_NAME = re.compile(r"^_*[A-Z]")
_SMALL_CLASSES = frozenset({"socket.socket", "collections.defaultdict", "collections.deque",
                            "datetime.datetime", "datetime.date", "datetime.time",
                            "datetime.timedelta", "datetime.timezone", "functools.partial",
                            "threading.local", "itertools.count", "itertools.chain",
                            "itertools.cycle", "array.array", "csv.reader"})  # fmt: skip


def has_attribute(name: str, attribute: str) -> bool | None:
    """Tell whether a class outside has an attribute; None when the class is not known."""
    known = _BUILTIN_TYPES.get(name)
    if known is not None:
        return attribute in known
    if name in _EMPTY_BASES:
        return False
    full = f"{name}.{attribute}"
    if full in _CALL_TYPES or full in _ATTRIBUTE_TYPES:
        return True
    return False if has_member(name, attribute) is False else None


@cache
def is_from_object(name: str, attribute: str) -> bool:
    """Tell whether a builtin class has an attribute only because every object has it."""
    found = getattr(builtins, name.removeprefix("builtins."), None)
    if not name.startswith("builtins.") or not isinstance(found, type) or found is object:
        return False
    return hasattr(object, attribute) and not any(
        attribute in vars(one) for one in found.__mro__[:-1]
    )


@cache
def lacks_attribute(name: str, attribute: str) -> bool:
    """Tell whether what an external name stands for surely has no such attribute."""
    if attribute in _OF_CLASSES:
        return False
    if name.startswith("builtins."):
        found: object = builtins
        for part in name.split(".")[1:]:
            found = getattr(found, part, None)
        return not hasattr(found, attribute)
    return is_library_function(name) or has_attribute(name, attribute) is False


@cache
def external_bases(name: str) -> tuple[str, ...]:
    """Return the classes above a class outside, without object, as far as they are known."""
    if name.startswith("builtins."):
        found = getattr(builtins, name[9:], None)
        if isinstance(found, type):
            return tuple(f"builtins.{one.__name__}" for one in found.__mro__[1:-1])
    return _BASES.get(name, ())


def call_type(name: str) -> str | None:
    """Return the type of what a call of an external name gives."""
    found = _CALL_TYPES.get(name)
    if found is not None:
        return found
    owner, _, method = name.rpartition(".")
    for base in external_bases(owner):
        found = _CALL_TYPES.get(f"{base}.{method}")
        if found is not None:
            return found
    return _library_type(owner, method, "()")


def attribute_type(name: str) -> str | None:
    """Return the type of an attribute of a class or module outside."""
    found = _ATTRIBUTE_TYPES.get(name)
    if found is not None:
        return found
    owner, _, attribute = name.rpartition(".")
    for base in external_bases(owner):
        found = _ATTRIBUTE_TYPES.get(f"{base}.{attribute}")
        if found is not None:
            return found
    return _library_type(owner, attribute, ".")


@cache
def _library_type(owner: str, name: str, mark: str) -> str | None:
    """Return what library_types.txt says of a class, or the classes above it, or of a module."""
    at = canonical(owner) or owner
    found = _library_types().get(f"{at}{mark}{name}")
    for base in bases_of(at) if found is None else ():
        found = found or _library_type(base, name, mark)
    return found


@cache
def _library_types() -> dict[str, str]:
    text = Path(__file__).with_name("library_types.txt").read_text("utf-8")
    found: dict[str, str] = {}
    for line in text.splitlines():
        owner, _, rest = line.partition(" ")
        for part in rest.split("; "):
            names, _, kind = part.rpartition(" = ")
            found.update({f"{owner}{name}": kind for name in names.split()})
    return found


def is_class_name(name: str) -> bool:
    """Tell whether an external name is that of a class, by what is known or by its look."""
    if name in _BUILTIN_TYPES or name in _SMALL_CLASSES:
        return True
    if is_library_function(name):
        return False
    last = name.rpartition(".")[2]
    return _CLASS_NAME.match(last) is not None and not last.isupper()


def make_type(state: Any, text: str, receiver: int | None = None) -> int:
    """Return an object of a type; containers hold objects of their items."""
    objects = state.objects
    if text == "self" and receiver is not None:
        return receiver
    if text == "none":
        return int(objects.none)
    if text == "str":
        return int(objects.text)
    name, _, item = text.partition("[")
    full = name if "." in name else f"builtins.{name}"
    if name in ("list", "tuple", "dict", "set", "frozenset"):
        made: int = state.container(full, ("type", text))
        if item:
            container = state.containers[made]
            inner = make_type(state, item[:-1])
            state.solver.put(container.loose, inner)
            state.solver.put(container.every, inner)
            if name == "dict":
                state.solver.put(container.names, objects.text)
        return made
    return int(objects.instance_of(full))
