"""One group is resolved beside the driver; what goes wrong there stops the build by name."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from codelake.errors import CodelakeError
from codelake.resolve.groups import ResolvePlan
from codelake.run.resolve_alone import is_alone, resolve_alone


def _plan(folder: Path, *groups: tuple[str, ...]) -> str:
    file = folder / "plan.json"
    file.write_bytes(msgspec.json.encode(ResolvePlan(str(folder / "evidence"), 0, groups)))
    return str(file)


@pytest.mark.parametrize(("groups", "alone"), [((), False), ((("a", "b"),), True)])
def test_one_group_needs_no_spark(tmp_path: Path, groups: tuple[tuple[str, ...], ...], alone: bool):
    assert is_alone(_plan(tmp_path, *groups)) is alone
    assert not is_alone(_plan(tmp_path, ("a",), ("b",)))


def test_a_process_that_dies_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    changes = tmp_path / "changes" / "resolution.arrow"
    with pytest.raises(CodelakeError, match=r"RESOLVER_DIED: .*\n?.*evidence"):
        resolve_alone(_plan(tmp_path, ("a",)), tmp_path / "resolution", 0, "", changes)
    assert list(changes.parent.iterdir()) == []
