"""Two revisions of a git repository as two graphs.

    diff_revisions("../app@v1", "../app@v2") -> GraphDiff

The files of each revision come from `git archive`, so the work tree is neither read nor touched.
Both are built into lakes that last as long as the comparison, under the repository's own name.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from pathlib import Path

from codelake.errors import CodelakeError
from codelake.run.build import build
from codelake.run.graph_diff import Graph, GraphDiff, diff_graphs


def is_revision(text: str) -> bool:
    """Say whether a text is REPO@REV and the repository is there."""
    folder, at, revision = text.rpartition("@")
    return bool(at and revision) and Path(folder).is_dir()


def diff_revisions(before: str, after: str, *, target: str = "dev") -> GraphDiff:
    """Build two revisions aside and compare their graphs.

    Args:
        before: REPO@REV.
        after: REPO@REV.
        target: a target of profiles.yml.

    Raises:
        CodelakeError: REVISION_UNKNOWN, or BUILD_FAILED with the errors of the build.
    """
    with tempfile.TemporaryDirectory(prefix="codelake-diff-") as folder:
        graphs = []
        for side, text in (("before", before), ("after", after)):
            repo, _, revision = text.rpartition("@")
            tree = Path(folder) / side / Path(repo).resolve().name
            unpack_revision(Path(repo), revision, tree)
            lake = Path(folder) / side / "lake"
            result = build([tree], lake, target=target)
            if result.status != "complete":
                raise CodelakeError("BUILD_FAILED", f"{text}: {'; '.join(result.errors)}")
            graphs.append(Graph(lake, {}))
        return diff_graphs(graphs[0], graphs[1], (before, after))


def unpack_revision(repo: Path, revision: str, tree: Path) -> None:
    """Write the files of a revision into a new folder.

    Raises:
        CodelakeError: REVISION_UNKNOWN.
    """
    command = ["git", "-C", str(repo), "archive", "--format=tar", revision, "--"]
    done = subprocess.run(command, capture_output=True)
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip()
        raise CodelakeError("REVISION_UNKNOWN", f"`{revision}` of `{repo}`: {reason}.")
    tree.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(tree, filter="tar")
