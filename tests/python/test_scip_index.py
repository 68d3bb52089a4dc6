"""SCIP evidence: symbols as text cases, indexes built here, every encoding, broken files."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cases import Case, check, parametrize
from codelake.errors import CodelakeError
from codelake.evidence import structs
from codelake.evidence.rows import NestedColumn
from codelake.extract.scip.scip_index import WIDTHS, scip_index
from codelake.extract.scip.scip_ranges import Ranges, whole_range
from codelake.extract.scip.scip_schema import SYMBOL_KINDS, SYNTAX_KINDS, message
from codelake.extract.scip.scip_symbol import ScipSymbol, scip_symbol
from codelake.sources.decode import SourceText, decode

type Row = dict[str, Any]
STRUCTS = {
    "metadata": structs.SCIP_METADATA,
    "stats": structs.SCIP_STATS,
    "documents": structs.SCIP_DOCUMENT,
    "occurrences": structs.SCIP_OCCURRENCE,
    "symbols": structs.SCIP_SYMBOL,
    "symbol_names": structs.SCIP_SYMBOL_NAME,
    "relationships": structs.SCIP_RELATIONSHIP,
    "diagnostics": structs.SCIP_DIAGNOSTIC,
    "health": structs.SCIP_HEALTH,
}
GET = "scip-python python p 1 `p.m`/get()."
TEXT = "def get(): pass\nget()\n"


def source(text: str | bytes) -> SourceText:
    found = decode(text if isinstance(text, bytes) else text.encode())
    assert isinstance(found, SourceText)
    return found


def read(data: bytes, files: dict[str, str | bytes] | None = None) -> dict[str, list[Row]]:
    """Return all tables of an index by way of Arrow, checked."""
    known = {path: source(text) for path, text in (files or {}).items()}
    columns = {name: NestedColumn(structs.array(struct)) for name, struct in STRUCTS.items()}
    for part in scip_index(BytesIO(data), known.get):
        for name, column in columns.items():
            column.append(getattr(part, name))
    found: dict[str, list[Row]] = {}
    for name, column in columns.items():
        array = column.finish()
        array.validate(full=True)
        found[name] = [row for part in array.to_pylist() for row in part]
    for row in found["occurrences"]:
        if row["bstart"] is not None:
            file = known[found["documents"][row["document_idx"]]["path"]]
            assert 0 <= row["bstart"] <= row["bend"] <= len(file.raw)
    return found


def index(*documents: Any, tool: str = "scip-python", external: list[Any] | None = None) -> bytes:
    made = message("Index")(documents=documents, external_symbols=external or [])
    made.metadata.tool_info.name = tool
    made.metadata.tool_info.version = "0.6.0"
    made.metadata.tool_info.arguments.append("index")
    made.metadata.project_root = "file:///r"
    made.metadata.text_document_encoding = 1
    return made.SerializeToString()


def document(path: str = "m.py", encoding: int = 2, **fields: Any) -> Any:
    return message("Document")(
        relative_path=path, language="python", position_encoding=encoding, **fields
    )


def occurrence(place: list[int], symbol: str = GET, roles: int = 0, **fields: Any) -> Any:
    return message("Occurrence")(range=place, symbol=symbol, symbol_roles=roles, **fields)


def checks(found: dict[str, list[Row]]) -> dict[str, str]:
    return {row["check_name"]: row["text"] for row in found["health"]}


@parametrize("scip")
def test_symbol(case: Case) -> None:
    check(case, {"symbol": lambda: _parts(scip_symbol(case.source.removesuffix("\n")))})


def _parts(found: ScipSymbol) -> list[str]:
    if found.error is not None:
        assert found == ScipSymbol(error=found.error)
        return [f"error: {found.error}"]
    if found.local_id is not None:
        return [f"local {found.local_id!r}"]
    head = [found.scheme, found.manager, found.package, found.version]
    parts = zip(found.descriptors, found.kinds, found.disambiguators, strict=True)
    return [
        " ".join(map(repr, head)),
        *(f"{kind} {name!r}" + (f" {extra!r}" if extra else "") for name, kind, extra in parts),
    ]


@pytest.mark.parametrize("text", ["", "local ", "local  ", "s m p v ", "s m p v  a/", "s"])
def test_symbols_that_end_early(text: str) -> None:
    assert scip_symbol(text).error is not None


NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1)
SUFFIXES = {"namespace": "{}/", "type": "{}#", "term": "{}.", "meta": "{}:", "macro": "{}!"} | {
    "method": "{}().",
    "parameter": "({})",
    "type_parameter": "[{}]",
}


@given(
    st.tuples(NAMES, NAMES, NAMES, NAMES).filter(lambda head: not head[0].startswith("local")),
    st.lists(st.tuples(NAMES, st.sampled_from(sorted(SUFFIXES))), min_size=1),
)
def test_every_written_symbol_is_read_back(
    head: tuple[str, ...], parts: list[tuple[str, str]]
) -> None:
    assume(not any(text.startswith(" ") for text in head))  # the space before would join it
    written = " ".join(text.replace(" ", "  ") for text in head) + " "
    for name, kind in parts:
        quoted = name.replace("`", "``")
        written += SUFFIXES[kind].format(f"`{quoted}`")
    found = scip_symbol(written)
    assert found.error is None
    assert found.descriptors == tuple(name for name, _ in parts)
    assert found.kinds == tuple(kind for _, kind in parts)
    empty = [head[0], *("" if text == "." else text for text in head[1:])]
    assert [found.scheme, found.manager, found.package, found.version] == empty


@given(st.text())
def test_any_text_is_a_symbol_or_an_error(text: str) -> None:
    found = scip_symbol(text)
    assert found.error is not None or found.local_id is not None or found.descriptors


def test_columns_fit_the_structs() -> None:
    assert {name: struct.num_fields for name, struct in STRUCTS.items()} == WIDTHS


def test_names_of_numbers() -> None:
    kinds = {
        7: "Class",
        17: "Function",
        26: "Method",
        48: "String",
        61: "Variable",
        82: "StaticVariable",
    }
    assert {number: SYMBOL_KINDS[number] for number in kinds} == kinds
    assert [SYNTAX_KINDS[number] for number in (1, 6, 15, 36)] == [
        *("Comment", "Identifier", "IdentifierFunction", "TagDelimiter")
    ]


def test_bytes_by_hand() -> None:
    """The wire format, without the library: tag = number * 8 + type, then length, then content."""
    tool = b"\x0a\x01t\x12\x011"  # ToolInfo: name "t", version "1"
    metadata = b"\x0a" + bytes([len(tool) + 2]) + b"\x12" + bytes([len(tool)]) + tool
    place = b"\x0a\x03\x00\x04\x07"  # range = 1, packed: 0, 4, 7
    symbol = b"\x12" + bytes([len(GET)]) + GET.encode()
    content = place + symbol + b"\x18\x01"  # symbol_roles = 3: definition
    body = b"\x0a\x04m.py\x12" + bytes([len(content)]) + content + b"\x22\x06python\x30\x02"
    found = read(metadata + b"\x12" + bytes([len(body)]) + body, {"m.py": TEXT})
    assert found["metadata"][0]["tool_name"] == "t"
    (row,) = found["occurrences"]
    assert (row["bstart"], row["bend"], row["symbol"]) == (4, 7, GET)
    assert row["is_definition"] and not row["is_import"]
    assert found["documents"][0]["language"] == "python"
    assert found["health"] == []


def test_a_whole_index() -> None:
    symbol = message("SymbolInformation")(
        symbol=GET,
        documentation=["Gets."],
        kind=17,
        display_name="get",
        enclosing_symbol="local 1",
        relationships=[
            message("Relationship")(symbol="s m p v base().", is_implementation=True),
        ],
    )
    symbol.signature_documentation.text = "def get()"
    symbol.signature_documentation.language = "python"
    note = message("Diagnostic")(severity=2, code="W1", message="m", source="lint", tags=[1, 9])
    made = document(
        occurrences=[
            occurrence([0, 4, 7], roles=1, syntax_kind=16, enclosing_range=[0, 0, 0, 15]),
            occurrence([1, 0, 3], roles=2 | 8 | 64, diagnostics=[note]),
            occurrence([0, 0, 0, 3], symbol="", override_documentation=["note"]),
        ],
        symbols=[symbol],
    )
    other = message("SymbolInformation")(symbol="scip-python python q 2 q/f().")
    found = read(index(made, external=[other]), {"m.py": TEXT})
    define, refer, keyword = found["occurrences"]
    assert (define["bstart"], define["bend"], define["syntax_kind"]) == (
        *(4, 7, "IdentifierFunctionDefinition"),
    )
    assert (define["enclosing_bstart"], define["enclosing_bend"]) == (0, 15)
    assert define["enclosing_range_raw"] == [0, 0, 0, 15]
    flags = [name for name, value in refer.items() if value is True]
    assert flags == ["is_import", "is_read", "is_forward_definition"]
    assert (keyword["symbol"], keyword["override_documentation"]) == (None, ["note"])
    inner, outer = found["symbols"]
    assert (inner["kind_name"], inner["display_name"], inner["signature_text"]) == (
        *("Function", "get", "def get()"),
    )
    assert (inner["is_external"], outer["is_external"], outer["document_idx"]) == (
        False,
        True,
        None,
    )
    (related,) = found["relationships"]
    assert related["is_implementation"] and not related["is_reference"]
    (diagnostic,) = found["diagnostics"]
    assert (diagnostic["severity_name"], diagnostic["tags"]) == ("warning", ["unnecessary", "9"])
    assert (diagnostic["bstart"], diagnostic["bend"]) == (16, 19)
    assert {row["symbol"] for row in found["symbol_names"]} == {
        *(GET, "s m p v base().", "scip-python python q 2 q/f()."),
    }
    (stats,) = found["stats"]
    assert (stats["documents"], stats["occurrences"], stats["definitions"]) == (1, 3, 1)
    assert found["health"] == []


SPECIAL = "s = '\U0001f600\xe9'; get = 1\n"
UNITS = {1: [14, 17], 2: [11, 14], 3: [10, 13], 0: [11, 14]}


@pytest.mark.parametrize("encoding", UNITS)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_ranges_in_every_unit(encoding: int, newline: str, bom: bytes) -> None:
    raw = bom + ("# first\n" + SPECIAL).replace("\n", newline).encode()
    start, end = UNITS[encoding]
    made = document(
        encoding=encoding,
        occurrences=[occurrence([1, start, end], roles=1), occurrence([0, 2, 7], symbol="")],
    )
    found = read(index(made), {"m.py": raw})
    texts = [raw[row["bstart"] : row["bend"]] for row in found["occurrences"]]
    assert texts == [b"get", b"first"]
    assert ("position_encoding_assumed" in checks(found)) == (encoding == 0)


@pytest.mark.parametrize(("codec", "letter"), [("latin-1", "\xe9"), ("shift_jis", "\u8868")])
def test_ranges_in_files_that_are_not_utf8(codec: str, letter: str) -> None:
    raw = f"# coding: {codec}\ns = '{letter}'; get = 1\n".encode(codec)
    for encoding, width in ((1, len(letter.encode())), (2, 1), (3, 1)):
        made = document(
            encoding=encoding, occurrences=[occurrence([1, 8 + width, 11 + width], roles=1)]
        )
        (row,) = read(index(made), {"m.py": raw})["occurrences"]
        assert raw[row["bstart"] : row["bend"]] == b"get"


def test_typed_ranges() -> None:
    single = message("Occurrence")(symbol=GET, symbol_roles=1)
    single.single_line_range.line = 0
    single.single_line_range.start_character = 4
    single.single_line_range.end_character = 7
    single.multi_line_enclosing_range.end_character = 3
    single.multi_line_enclosing_range.end_line = 1
    (row,) = read(index(document(occurrences=[single])), {"m.py": TEXT})["occurrences"]
    assert (row["bstart"], row["bend"], row["range_raw"]) == (4, 7, [0, 4, 7])
    assert (row["enclosing_bstart"], row["enclosing_bend"]) == (0, 19)
    assert row["enclosing_range_raw"] == [0, 0, 1, 3]


def test_edges_of_a_file() -> None:
    placed = Ranges(source("ab\n"), "utf-16")
    assert placed.place((0, 2, 0, 2)) == (2, 2)
    assert placed.place((1, 0, 1, 0)) == (3, 3)
    assert placed.place((0, 0, 1, 0)) == (0, 3)
    assert placed.place((0, 3, 0, 3)) is None  # the line break is no character of its line
    assert placed.place((1, 1, 1, 1)) is None
    assert placed.place((2, 0, 2, 0)) is None
    assert Ranges(source(""), "utf-16").place((0, 0, 0, 0)) == (0, 0)
    assert Ranges(source("\U0001f600"), "utf-16").place((0, 1, 0, 2)) is None  # inside a character
    assert Ranges(source("\U0001f600"), "utf-32").place((0, 0, 0, 1)) == (0, 4)
    assert whole_range([0, 1]) is None
    assert whole_range([0, 2, 1]) is None
    assert whole_range([1, 0, 0, 5]) is None
    assert whole_range([0, -1, 1]) is None


HEALTH = {
    "document_not_in_repository": [document("gone.py", occurrences=[occurrence([0, 4, 7])])],
    "range_outside_file": [document(occurrences=[occurrence([9, 0, 1], roles=1)])],
    "range_malformed": [document(occurrences=[occurrence([1, 2], roles=1)])],
    "enclosing_range_outside_file": [
        document(occurrences=[occurrence([0, 4, 7], roles=1, enclosing_range=[0, 0, 99])])
    ],
    "no_definitions": [document(occurrences=[occurrence([1, 0, 3])])],
    "no_occurrences": [document()],
    "no_documents": [],
    "unknown_position_encoding": [
        document(encoding=9, occurrences=[occurrence([0, 4, 7], roles=1)])
    ],
    "position_encoding_assumed": [
        document(encoding=0, occurrences=[occurrence([0, 4, 7], roles=1)])
    ],
    "stale_text": [document(text="x\n", occurrences=[occurrence([0, 4, 7], roles=1)])],
    "definition_elsewhere": [document(occurrences=[occurrence([0, 0, 3], roles=1)])],
    "duplicate_document": [document(occurrences=[occurrence([0, 4, 7], roles=1)])] * 2,
    "duplicate_occurrence": [document(occurrences=[occurrence([0, 4, 7], roles=1)] * 2)],
    "duplicate_symbol": [
        document(
            occurrences=[occurrence([0, 4, 7], roles=1)],
            symbols=[message("SymbolInformation")(symbol=GET)] * 2,
        )
    ],
    "malformed_symbol": [document(occurrences=[occurrence([0, 4, 7], symbol="x y", roles=1)])],
    "path_not_canonical": [document("../m.py", occurrences=[occurrence([0, 4, 7], roles=1)])],
}


@pytest.mark.parametrize("name", HEALTH)
def test_a_promise_not_kept_is_a_row(name: str) -> None:
    healthy = read(
        index(document(text=TEXT, occurrences=[occurrence([0, 4, 7], roles=1)])), {"m.py": TEXT}
    )
    assert healthy["health"] == []
    assert name in checks(read(index(*HEALTH[name]), {"m.py": TEXT}))


def test_an_unknown_encoding_places_lines_of_ascii_only() -> None:
    made = document(encoding=9, occurrences=[occurrence([0, 2, 7]), occurrence([1, 10, 13])])
    found = read(index(made), {"m.py": "# first\n" + SPECIAL})
    assert [row["bstart"] for row in found["occurrences"]] == [2, None]
    assert "range_not_placed" in checks(found)


def test_metadata_twice_and_late() -> None:
    made = index(document(occurrences=[occurrence([0, 4, 7], roles=1)]))
    only = message("Index")(documents=[document("a.py")]).SerializeToString()
    assert "duplicate_metadata" in checks(read(made + index()))
    assert "late_metadata" in checks(read(only + made))
    assert "no_metadata" in checks(read(only))


def test_indexes_written_one_after_another_are_one() -> None:
    """scip-python writes metadata, documents and external symbols as indexes of their own."""
    made = index(document("a.py"), document("b.py"))
    found = read(made + message("Index")(documents=[document("c.py")]).SerializeToString())
    assert [row["path"] for row in found["documents"]] == ["a.py", "b.py", "c.py"]
    assert [row["document_idx"] for row in found["documents"]] == [0, 1, 2]


def test_fields_of_a_later_protocol_are_passed_over() -> None:
    later = b"\xa0\x06\x05" + b"\xa1\x06" + b"8" * 8 + b"\xa5\x06" + b"4" * 4 + b"\xa2\x06\x02hi"
    found = read(
        later + index(document(occurrences=[occurrence([0, 4, 7], roles=1)])), {"m.py": TEXT}
    )
    assert found["health"] == []


def test_a_corrupt_document_costs_one_document() -> None:
    good = index(document(occurrences=[occurrence([0, 4, 7], roles=1)]))
    bad = b"\x12\x03\x0a\x05x"  # a path of five bytes in a document of three
    found = read(good + bad + good, {"m.py": TEXT})
    assert len(found["documents"]) == 2
    assert "corrupt" in checks(found)
    assert found["stats"][0]["corrupt_pieces"] == 1


def test_text_that_is_not_utf8_costs_one_document() -> None:
    found = read(index() + b"\x12\x03\x0a\x01\xff")
    assert "corrupt" in checks(found)


@pytest.mark.parametrize(
    "data", [b"\x00", b"\x0a", b"\x0a\xff", b"\x0f", b"\xff" * 20, b"PK\x03\x04"]
)
def test_a_file_that_is_no_index_is_an_error(data: bytes) -> None:
    with pytest.raises(CodelakeError) as raised:
        read(data)
    assert raised.value.code == "SCIP_INDEX_UNREADABLE"
    assert raised.value.fix is not None


def test_a_length_beyond_the_file_is_not_allocated() -> None:
    with pytest.raises(CodelakeError):
        read(b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f")


WHOLE = index(
    document(occurrences=[occurrence([0, 4, 7], roles=1), occurrence([1, 0, 3])]),
    document("b.py", encoding=0, text="é", occurrences=[occurrence([0, 0, 1])]),
    external=[message("SymbolInformation")(symbol=GET)],
)
FILES: dict[str, str | bytes] = {"m.py": TEXT, "b.py": "é\n"}


@pytest.mark.parametrize("end", range(0, len(WHOLE), 7))
def test_a_truncated_index_is_read_as_far_as_it_goes(end: int) -> None:
    try:
        found = read(WHOLE[:end], FILES)
    except CodelakeError as error:
        assert error.code == "SCIP_INDEX_UNREADABLE"
    else:
        assert found["health"]


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_an_index_or_an_error(data: bytes) -> None:
    try:
        read(data, FILES)
    except CodelakeError as error:
        assert error.code == "SCIP_INDEX_UNREADABLE"


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), min_size=1, max_size=4)
)
def test_a_damaged_index_is_an_index_or_an_error(changes: list[tuple[int, int]]) -> None:
    data = bytearray(WHOLE)
    for place, value in changes:
        data[place] = value
    try:
        read(bytes(data), FILES)
    except CodelakeError as error:
        assert error.code == "SCIP_INDEX_UNREADABLE"


def test_one_document_is_in_memory_at_a_time() -> None:
    class Watched(BytesIO):
        largest = 0

        def read(self, size: int | None = -1) -> bytes:
            self.largest = max(self.largest, size or 0)
            assert size != -1
            return super().read(size)

    made = document(occurrences=[occurrence([0, 4, 7], roles=1)] * 50)
    stream = Watched(index(*[made] * 200))
    seen = sum(len(part.documents[0]) for part in scip_index(stream, lambda _: None))
    assert seen == 200
    assert stream.largest == len(made.SerializeToString())
