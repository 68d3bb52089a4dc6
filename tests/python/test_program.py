"""The compiled program: strict, versioned, canonical, and described by a schema.

CODELAKE_UPDATE_CASES=1 writes the snapshots anew; read the difference before you keep it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from catalogue_text import read_catalogue
from codelake.compile.assemble import assemble
from codelake.compile.pipeline import run_pipeline
from codelake.compile.program import (
    PROGRAM_PATH,
    Program,
    decode_program,
    encode_program,
    program_hash,
    read_program,
)
from codelake.errors import CodelakeError

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOTS = ROOT / "tests" / "cases" / "program"
_CATALOGUE = """\
parameter least_score double = 0.5
extractor reader of source = file_id, score
dataset evidence in evidence
  file_id bigint not null as FileId
  score double as Score
  key file_id
  write extract of source by file_id
dataset good in surface
  file_id bigint not null as FileId
  key file_id
source evidence
above = project evidence
  file_id
  where score >= var('least_score')
"""


def _small(text: str = _CATALOGUE) -> Program:
    return assemble(run_pipeline(read_catalogue(text)), "0" * 64, {})


def _compare(name: str, data: bytes) -> None:
    path = SNAPSHOTS / name
    if os.environ.get("CODELAKE_UPDATE_CASES") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    assert path.read_bytes() == data


def test_schema_is_the_snapshot() -> None:
    schema = json.dumps(msgspec.json.schema(Program), indent=2, sort_keys=True) + "\n"
    _compare("schema.json", schema.encode())


def test_bytes_of_a_small_program_are_the_snapshots() -> None:
    program = _small()
    _compare("version_2.json", encode_program(program).encode())
    packed = msgspec.msgpack.encode(program, order="deterministic")
    _compare("version_2.msgpack", packed)
    assert msgspec.msgpack.decode(packed, type=Program) == program
    assert decode_program(encode_program(program).encode()) == program


def test_version_1_is_read() -> None:
    program = decode_program((SNAPSHOTS / "version_1.json").read_bytes())
    assert program.version == 2
    assert [each.name for each in program.datasets] == ["evidence", "good"]
    assert program.parameters == program.joins == program.decisions == ()


def _without(fields: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key != name}


def test_anything_else_is_refused() -> None:
    fields = msgspec.json.decode((SNAPSHOTS / "version_2.json").read_bytes())
    dataset, *rest = fields["datasets"]
    bad = [
        fields | {"surprise": 1},
        fields | {"version": 99},
        fields | {"version": 1},
        _without(fields, "joins"),
        fields | {"datasets": [_without(dataset, "fingerprint"), *rest]},
        fields | {"datasets": [dataset | {"colour": "red"}, *rest]},
    ]
    for each in bad:
        with pytest.raises(CodelakeError, match="PROGRAM_INVALID"):
            decode_program(msgspec.json.encode(each))


def test_hash_is_of_the_meaning() -> None:
    program = _small()
    other_default = _small(_CATALOGUE.replace("= 0.5", "= 0.9"))
    assert other_default.parameters != program.parameters
    model, changed = program.datasets[1], other_default.datasets[1]
    assert model.fingerprint == changed.fingerprint
    other_filter = _small(_CATALOGUE.replace(">=", ">"))
    assert other_filter.program_hash != program.program_hash
    assert program_hash(program.datasets) == program.program_hash


def test_program_of_the_project_is_canonical() -> None:
    text = (ROOT / PROGRAM_PATH).read_text("utf-8")
    assert encode_program(read_program(ROOT)) == text
