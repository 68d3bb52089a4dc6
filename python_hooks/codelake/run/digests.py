"""The digests of the tables of a run, in its manifest.

    digest_outputs(lake, outputs)  -> the same with digests, when a run ends
    digest_run(lake, "last")       -> a run of an older codelake, or one whose digests failed

A version of a table stays what it is, and so does each of its files: what the rows of a file add up
to is kept beside the lake (`_codelake/digests.json`), so an edit costs the files that it wrote. The
file can be removed at any time; digests then take the whole tables once.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from codelake.errors import CodelakeError
from codelake.run.catalogue import table_location
from codelake.run.events import note_event
from codelake.run.manifest import RunManifest, TableOutput, read_run, write_manifest
from codelake.run.table_digest import FileSums, combined, file_sums, table_digest

_RECIPE = 1
"""To be raised when the same rows are to give other sums."""


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    recipe: int
    tables: dict[str, FileSums]


def digest_outputs(lake: Path, outputs: Iterable[TableOutput]) -> tuple[TableOutput, ...]:
    """Return what a run left in tables, each with its digest; one that cannot be had is an event.

    Args:
        lake: the lake's folder.
        outputs: of a run that just ended.
    """
    before = _kept(lake)
    kept = dict(before)
    done = []
    for output in outputs:
        if output.version is not None:
            try:
                path = table_location(lake, output.name)
                sums = file_sums(path, output.version, before.get(output.name))
            except Exception as error:  # deltalake and pyarrow raise several kinds
                note_event("digest", output.name, "failed", str(error))
            else:
                kept[output.name] = sums
                output = msgspec.structs.replace(output, digest=combined(sums).digest)
        done.append(output)
    if kept != before:
        draft = _file(lake).with_suffix(".tmp")
        draft.write_bytes(msgspec.json.encode(_Kept(_RECIPE, kept), order="deterministic"))
        draft.replace(_file(lake))
    return tuple(done)


def digest_run(lake: Path, run_id: str) -> RunManifest:
    """Return a run with the digest of each of its tables.

    Args:
        lake: the lake's folder.
        run_id: of the run, as for `read_run`.

    Raises:
        CodelakeError: VERSION_GONE when the files of a version were removed.
    """
    manifest = read_run(lake, run_id)
    done = msgspec.structs.replace(
        manifest, outputs=tuple(_digested(lake, each) for each in manifest.outputs)
    )
    if done != manifest:
        write_manifest(lake, done)
    return done


def _digested(lake: Path, output: TableOutput) -> TableOutput:
    if output.version is None or output.digest is not None:
        return output
    try:
        found = table_digest(table_location(lake, output.name), output.version)
    except Exception as error:  # deltalake and pyarrow raise several kinds
        message = f"version {output.version} of `{output.name}` cannot be read: {error}"
        raise CodelakeError("VERSION_GONE", message, "it was vacuumed; take a later run") from error
    return msgspec.structs.replace(output, digest=found.digest, rows=found.rows)


def _file(lake: Path) -> Path:
    return lake / "_codelake" / "digests.json"


def _kept(lake: Path) -> dict[str, FileSums]:
    """Return what is known of files; nothing when another codelake wrote it."""
    try:
        found = msgspec.json.decode(_file(lake).read_bytes(), type=_Kept)
    except (FileNotFoundError, msgspec.DecodeError):
        return {}
    return found.tables if found.recipe == _RECIPE else {}
