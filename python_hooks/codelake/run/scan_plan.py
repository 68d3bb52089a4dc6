"""What a build must extract: the scan of its repositories against the evidence table.

    plan_scan(evidence, {"repos": ["../app"], "only": ["app/*.py"]})
        -> WritePlan(action="replace", predicate="file_id in (...)", scan="<plan file>")

What is known comes from the evidence table itself. The plan file is what the data source reads
(pyspark_codelake.py): the files decided on here are the files extracted, whatever happens on
disk in between.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from codelake.errors import CodelakeError
from codelake.evidence.ids import file_id
from codelake.extract.concrete.concrete_tree import libcst_reader
from codelake.extract.versions import ALL_LAYERS, extractor_digest
from codelake.run.catalogue import is_delta_table
from codelake.run.plan_file import new_plan_file
from codelake.run.write_plan import (
    WritePlan,
    digests,
    key_predicate,
    must_create,
    zero_row_plan,
)
from codelake.sources.plan import plan_changes, write_plan
from codelake.sources.scan import INCLUDE, MAX_FILE_BYTES, parse_repositories, scan

_KNOWN_COLUMNS = ("file_id", "repo", "path", "file_sha256", "extractor_digest")


SCAN_VARIABLE = "CODELAKE_SCAN"
"""JSON of vars that `codelake build` hands over: `--vars` would make dbt read its project anew."""


PROFILE_PARTS = {"default": (), "full": ("bytecode",), "accelerators": ()}
"""Evidence that the tables of a profile are made from."""


type Layer = Literal["syntax", "names", "flow", "calls", "dominators"]


class ScanRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The dbt vars that say what to read."""

    repos: tuple[str, ...] = ()
    include: tuple[str, ...] = INCLUDE
    exclude: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    max_file_bytes: int = MAX_FILE_BYTES
    id_salt: int = 0
    layers: tuple[Layer, ...] = ("names", "flow", "calls")
    extractors: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    lock_file: tuple[str, ...] = ()
    scip: tuple[str, ...] = ()
    build_profile: Literal["default", "full", "accelerators"] = "default"


def plan_scan(
    path: Path,
    request: Mapping[str, Any],
    *,
    contract: str,
    part: str = "source",
    selected: bool = False,
    empty: bool = False,
    full_refresh: bool = False,
) -> WritePlan:
    """Decide which files a build extracts.

    Args:
        path: the folder of the evidence table.
        request: the vars of ScanRequest; a single text counts as a list of one.
        contract: hash of the columns and constraints declared now.
        part: which evidence the table holds; any but `source` is extracted on request only.
        selected: the build was narrowed to this model and others.
        empty: a zero-row build.
        full_refresh: extract every file again.
    """
    create = must_create(path, contract)
    if empty:
        return zero_row_plan(path, create)
    wanted = scan_request(request)
    repositories = parse_repositories(wanted.repos)
    names = [repository.name for repository in repositories]
    known = digests(path, _KNOWN_COLUMNS) if is_delta_table(path) else {}
    asked = (*wanted.extractors, *PROFILE_PARTS[wanted.build_profile])
    if not (part == "source" or part in asked or selected or known):
        return WritePlan(create=False, action="none", reason=f"{part} was not asked for")
    if part == "cst":
        libcst_reader()  # one clear error instead of one per file
    left_out = sorted({repo for repo, *_ in known.values()} - set(names))
    if create and left_out:
        raise CodelakeError(
            "CONTRACT_CHANGED",
            f"the evidence was made with another contract, so {', '.join(left_out)} must be read "
            "again too.",
            "name all repositories of the lake in one build",
        )
    if not repositories:
        return WritePlan(create=create, action="none", reason="no repositories given")
    found = [
        file
        for repository in repositories
        for file in scan(
            repository, wanted.include, wanted.exclude, wanted.only, wanted.max_file_bytes
        )
    ]
    changes = plan_changes(
        found,
        {} if create else known,
        "" if full_refresh else extractor_digest(part, wanted.layers),
        wanted.only,
        repositories=names,
        salt=wanted.id_salt,
    )
    keys = {file_id(file.repo, file.path, wanted.id_salt) for file in changes.changed}
    keys |= set(changes.deleted)
    if not keys:
        return WritePlan(create=create, action="none", reason="no file changed")
    scan_file = new_plan_file("scan")
    layers = tuple(layer for layer in ALL_LAYERS if layer in wanted.layers)
    write_plan(msgspec.structs.replace(changes, layers=layers), scan_file)
    return WritePlan(
        create=create,
        action="replace" if known.keys() - keys else "overwrite",
        predicate=key_predicate("file_id", keys),
        reason=f"{len(changes.changed)} files to read, {len(changes.deleted)} gone, "
        f"{changes.unchanged} unchanged",
        scan=scan_file,
        files=len(changes.changed),
    )


def scan_request(values: Mapping[str, Any]) -> ScanRequest:
    """Read the dbt vars, and what `codelake build` hands over in their place."""
    given = msgspec.json.decode(os.environ.get(SCAN_VARIABLE) or "{}")
    listed = {
        name: [value] if isinstance(value, str) and name != "build_profile" else value
        for name, value in {**values, **given}.items()
        if value is not None
    }
    try:
        return msgspec.convert(listed, ScanRequest, strict=False)
    except msgspec.ValidationError as error:
        allowed = ", ".join(ScanRequest.__struct_fields__)
        raise CodelakeError(
            "VAR_INVALID", f"the vars of the scan cannot be read: {error}.", f"use {allowed}"
        ) from None
