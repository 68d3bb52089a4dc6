"""The README's blocks run, and print what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

pytestmark = pytest.mark.spark

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = re.compile(r"\d+\.\d s$", re.MULTILINE)
NOT_HERE = ("make test",)  # this test is part of it


def commands(block: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with the output that the README shows."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    found = []
    for part in parts:
        lines = part.splitlines()
        end = next(n for n in range(len(lines)) if "\n".join(lines[: n + 1]).count('"') % 2 == 0)
        found.append(("\n".join(lines[: end + 1]), "\n".join(lines[end + 1 :])))
    return found


def test_every_block_runs_and_prints_what_is_shown(tmp_path: Path) -> None:
    outer_make = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")  # `make` says more when inside `make`
    environment = {
        **{name: value for name, value in os.environ.items() if name not in outer_make},
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "CODELAKE_LAKE": str(tmp_path / "lake"),
        "LAKE": str(tmp_path / "lake"),
        "DBT_TARGET_PATH": str(tmp_path / "target"),
    }
    ran = []
    for kind, block in BLOCK.findall((ROOT / "README.md").read_text()):
        if kind == "python":
            steps = [(block, "")]
        else:
            steps = [step for step in commands(block) if step[0] not in NOT_HERE]
        for text, shown in steps:
            if kind == "python":
                text = text.replace('"lake', f'"{tmp_path}/lake')
                call = [sys.executable, "-c", text]
            else:
                call = ["bash", "-c", text.replace(".venv/bin/", "")]
            done = subprocess.run(
                call, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900
            )
            assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
            if shown:
                assert plain(done.stdout) == plain(shown), text
            ran.append(text)
    assert len(ran) >= 8


def plain(text: str) -> str:
    """Return an output without timings and trailing blanks."""
    lines = SECONDS.sub("N s", text).splitlines()
    return "\n".join(line.rstrip() for line in lines if line.strip())
