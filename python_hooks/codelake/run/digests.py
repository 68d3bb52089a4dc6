"""The digests of the tables of a run: computed when somebody asks, kept in its manifest.

Hashing every row of Django's graph takes seconds, so a build does not do it unasked. The versions
of a run stay what they are, so a digest that is known is not computed again.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from codelake.errors import CodelakeError
from codelake.run.catalogue import table_location
from codelake.run.manifest import RunManifest, TableOutput, read_run, write_manifest
from codelake.run.table_digest import table_digest


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
