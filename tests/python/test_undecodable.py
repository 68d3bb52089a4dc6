"""Files that are no text: what can be read of them is there, at its bytes, and nothing is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from codelake.evidence.stand_ins import escaped, raw_length, with_stand_ins
from codelake.extract.file_evidence import extract_batch
from codelake.sources.decode import DecodeFailure, decode, lenient
from codelake.sources.scan import ScannedFile

BODY = b"""\
import os


class C(Base):
    def f(self, x=1):
        return os.path.join(x, 'caf\xe9')


def g(): return C().f(g)
"""
FILES = {
    "not_utf8": BODY,
    "unknown_cookie": b"# coding: klingon\n" + BODY,
    "wrong_cookie": b"# coding: ascii\n" + BODY,
    "half_a_codec": b"# coding: cp1252\n# \x81\n" + BODY,
    "two_byte_codec": b"# coding: shift_jis\n" + BODY,
    "bom_conflict": b"\xef\xbb\xbf# coding: latin-1\n" + BODY,
    "crlf": BODY.replace(b"\n", b"\r\n"),
    "and_broken": BODY + b"def h(self, x=\n    return y(\n",
    "and_utf8": "ü = 'ä'; ".encode() + BODY,
    "and_cuneiform": "𒀀 = 1\n".encode() + BODY,
}
BINARY = {
    "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0\x90wS\xde\ndef x(): pass\n",
    "utf16": "def x(): pass\n".encode("utf-16"),
    "zeros": b"\0\xff" * 1000,
    "pyc": b"\xcb\r\r\n\0\0\0\0\xe3\0\0\0\0def f(): pass\n\0\0\0\0",
}
COMMENTED = b"import os  # caf\xe9\ndef f(): return os\n"


def read(raw: bytes, folder: Path, part: str = "source") -> dict[str, Any]:
    """Return the row of a file with this content."""
    path = folder / "m.py"
    path.write_bytes(raw)
    file = ScannedFile("r", "m.py", str(path), len(raw), "")
    (row,) = extract_batch([file], part=part).to_pylist()
    return dict(row)


def names(row: dict[str, Any], kind: str) -> list[str]:
    return [node["name"] for node in row["ast_nodes"] if node["kind"] == kind]


@pytest.mark.parametrize("name", FILES)
def test_definitions_imports_calls_and_names_stay(name: str, tmp_path: Path) -> None:
    raw = FILES[name]
    row = read(raw, tmp_path)
    assert row["parser"] == "tree_sitter"
    assert row["errors"][0]["extractor"] == "decode"
    assert row["encoding"] is None
    found = [d["qualified_name"] for d in row["ast_defs"]]
    assert found[:4] == ["m", "m.C", "m.C.f", "m.g"]
    assert [i["module"] for i in row["ast_imports"]] == ["os"]
    assert names(row, "CALL")[:3] == ["os.path.join", None, "C"]
    assert {"Base", "os", "x"} <= {*names(row, "NAME")}
    for definition in row["ast_defs"][1:]:
        span = raw[definition["name_bstart"] : definition["name_bend"]]
        assert span.decode() == definition["name"]
    for node in row["ast_nodes"]:
        if node["kind"] == "NAME" and "\\" not in node["name"]:
            assert raw[node["bstart"] : node["bend"]].decode() == node["name"]


def test_ids_are_those_of_the_repaired_file(tmp_path: Path) -> None:
    broken = read(BODY, tmp_path)
    whole = read(BODY.replace(b"\xe9", b"e"), tmp_path)
    assert whole["parser"] == "ast"
    assert [d["def_id"] for d in broken["ast_defs"]] == [d["def_id"] for d in whole["ast_defs"]]
    places = [
        [(n["kind"], n["bstart"], n["bend"], n["col"]) for n in row["ast_nodes"]]
        for row in (broken, whole)
    ]
    assert places[0] == places[1]


def test_a_name_that_is_no_text_is_no_other_name(tmp_path: Path) -> None:
    raw = b"def caf\xe9(): pass\ndef caf\xe8(x\xff): return caf\xe9 + caf\nimport \xfe.y\n"
    row = read(raw, tmp_path)
    assert [d["name"] for d in row["ast_defs"]] == ["m", r"caf\xe9", r"caf\xe8"]
    assert [(d["name_bstart"], d["name_bend"]) for d in row["ast_defs"][1:]] == [(4, 8), (21, 25)]
    assert names(row, "NAME") == [r"caf\xe9", "caf"]
    assert names(row, "PARAMETER") == [r"x\xff"]
    assert row["ast_imports"][0]["module"] == r"\xfe.y"
    assert len({d["def_id"] for d in row["ast_defs"]}) == 3


def test_letters_of_the_declared_encoding_are_read(tmp_path: Path) -> None:
    raw = b"# coding: cp1252\n\x81\n\xfc = 1; f(\xfc)\n"
    assert names(read(raw, tmp_path), "NAME") == [r"\x81", "ü", "f", "ü"]


@pytest.mark.parametrize("name", BINARY)
def test_a_binary_file_is_a_module_and_no_more(name: str, tmp_path: Path) -> None:
    row = read(BINARY[name], tmp_path)
    assert [n["kind"] for n in row["ast_nodes"]] == ["MODULE"]
    assert row["parser"] is None
    assert row["errors"][0]["extractor"] == "decode"


def test_a_byte_in_a_comment_hinders_no_import(tmp_path: Path) -> None:
    """Python compiles these bytes when the file is imported, and refuses to run it as a script."""
    compile(COMMENTED, "m.py", "exec", dont_inherit=True)
    row = read(COMMENTED, tmp_path)
    assert (row["parser"], row["encoding"]) == ("ast", None)
    assert [e["extractor"] for e in row["errors"]] == ["decode"]
    assert row["facts"] is not None
    assert row["flow_edges"]
    assert row["symtable_names"]
    (comment,) = row["comments"]
    assert (comment["text"], comment["bstart"], comment["bend"]) == (r"# caf\xe9", 11, 17)
    assert read(COMMENTED, tmp_path, "bytecode")["bc_instructions"]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252", "shift_jis", "utf-16", "utf-7"])
def test_every_byte_has_its_place(encoding: str) -> None:
    raw = bytes(range(256)) + "é€𝄞".encode() + b"\xe2\x82"
    text = with_stand_ins(raw, encoding)
    assert raw_length(text, encoding) == len(raw)
    assert text[:128] == raw[:128].decode("ascii")


def test_the_offsets_of_an_encoded_text_agree() -> None:
    failure = decode("# ä\n".encode() + b"x = '\xe9'; y = 'ab'\n")
    assert isinstance(failure, DecodeFailure)
    source = lenient(failure)
    assert source is not None
    assert escaped(source.text) == "# ä\nx = '\\xe9'; y = 'ab'\n"
