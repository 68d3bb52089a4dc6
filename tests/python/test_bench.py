"""The benchmark's own parts: what it measures, refuses and prints. No Spark."""

from __future__ import annotations

import ast
import datetime as dt
import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import process_tree
from bench import Bench
from builds import Sample, problems, read_result
from codelake.run.build import RunResult
from extraction import measured
from measure import Finished, Usage, measure
from peers import PeerSample, find_peer, parse_peer_line, run_peer
from process_tree import parse_pss
from report import (
    growth,
    peer_summary,
    print_extraction,
    print_report,
    promises,
    ratio,
    slowest_models,
    summary,
    without_folders,
)
from trees import EMPTY, BenchError, append_line, copy_tree, count_lines, grow

ROLLUP = """\
560f6c000000-7ffd3a5fe000 ---p 00000000 00:00 0    [rollup]
Rss:                2048 kB
Pss:                1500 kB
Pss_Dirty:          1000 kB
SwapPss:               0 kB
"""
BURN = "import time\nwhile time.process_time() < 0.3: pass\n"
LINE = '{"peer": "p", "wall_s": 40.0, "cpu_s": 60, "max_rss_mb": 3000}'


def usage(wall_s: float, cpu_s: float = 2.0, peak_mb: float = 100.0) -> Usage:
    return Usage(wall_s, 0.0, cpu_s, peak_mb, samples=1, sampling_s=0.0, killed=0)


def sample(tree: str, step: str, wall_s: float, **timings: float) -> Sample:
    return Sample(
        tree=tree,
        step=step,
        round=0,
        run_id="r",
        lines=1000,
        usage=usage(wall_s),
        build_s=wall_s,
        files_read=3,
        rows={"cpg_nodes": 1200, "cpg_edges": 3400, "evidence": 3},
        versions={},
        timings=timings,
    )


def result(files_read: int = 0, status: str = "complete") -> RunResult:
    return RunResult(
        run_id="r",
        status=status,
        lake="/lake",
        files_read=files_read,
        seconds=1.0,
        tables={},
        timings={},
        errors=["cpg_nodes: out of luck"] if status == "failed" else [],
    )


def peer(folder: Path, body: str, name: str = "peer.py") -> Path:
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{body}")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODELAKE_CACHE", str(tmp_path / "cache"))


def test_pss_is_the_line_of_that_name() -> None:
    assert parse_pss(ROLLUP) == 1500 * 1024
    assert parse_pss("Rss: 1 kB\nPss_Dirty: 1 kB\n") is None
    assert parse_pss("") is None


def test_measure_counts_children_that_outlive_the_command(tmp_path: Path) -> None:
    body = f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {BURN!r}])\nprint('x')"
    done = measure([sys.executable, "-c", body], tmp_path)
    assert (done.returncode, done.stdout) == (0, "x\n")
    assert done.usage.cpu_s >= 0.3
    assert done.usage.tail_s >= 0.2
    assert done.usage.killed == 0


def test_measure_sees_the_memory_of_grandchildren(tmp_path: Path) -> None:
    child = "import time; held = bytearray(60 << 20); time.sleep(0.6)"
    body = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {child!r}])"
    done = measure([sys.executable, "-c", body], tmp_path)
    assert 60 < done.usage.peak_mb < 160


def test_measure_counts_times_that_a_parent_throws_away(tmp_path: Path) -> None:
    body = (
        "import signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        f"subprocess.Popen([sys.executable, '-c', {BURN!r}]).wait()\n"
    )
    assert measure([sys.executable, "-c", body], tmp_path).usage.cpu_s >= 0.15


def test_measure_kills_what_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_tree, "PATIENCE_S", 0.2)
    body = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"
    )
    done = measure([sys.executable, "-c", body], tmp_path)
    assert done.usage.killed == 1
    assert done.usage.tail_s < 10


def test_ratio_needs_both_sides() -> None:
    assert ratio(3.0, 2.0) == 1.5
    assert ratio(None, 2.0) is None
    assert ratio(3.0, None) is None
    assert ratio(3.0, 0.0) is None


def test_summary_has_medians_spreads_and_ratios_to_empty() -> None:
    samples = [sample(EMPTY, "cold", 4.0), sample(EMPTY, "unchanged", 2.0)]
    samples += [sample("flask", "cold", wall) for wall in (6.0, 12.0, 8.0)]
    rows = {(row["tree"], row["step"]): row for row in summary(samples)}
    assert rows["flask", "cold"]["wall_s"] == 8.0
    assert rows["flask", "cold"]["wall_s_spread"] == 6.0
    assert rows["flask", "cold"]["wall_ratio"] == 2.0
    assert rows[EMPTY, "cold"]["wall_ratio"] == 1.0
    assert summary([sample("flask", "edited", 1.0)])[0]["wall_ratio"] is None


def test_slowest_models_are_those_of_the_cold_build() -> None:
    timings = {f"m{n}": float(n) for n in range(10)}
    samples = [sample("flask", "cold", 1.0, **timings), sample("flask", "edited", 1.0, late=99.0)]
    slowest = slowest_models(samples, "flask")
    assert slowest[0] == ("m9", 9.0)
    assert len(slowest) == 8


def test_report_prints_builds_peer_and_models() -> None:
    samples = [sample(EMPTY, "cold", 4.0), sample("flask", "cold", 8.0, cpg_nodes=1.5)]
    figures = parse_peer_line(LINE)
    peers = [
        PeerSample(tree=EMPTY, round=0, figures={}, error="exit 1: no source"),
        PeerSample(tree="flask", round=0, figures=figures),
    ]
    console = Console(file=io.StringIO(), width=110, highlight=False, markup=False)
    print_report(console, samples, peers)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    lines = [line.split() for line in text.splitlines()]
    assert ["flask", "cold", "8.00", "2.00", "100", "3", "1,200", "3,400", "2.00"] in lines
    assert ["flask", "40.00", "5.00", "60.00", "30.00", "3,000.00", "30.00"] in lines
    assert [EMPTY, *["-"] * 6] in lines
    assert "the peer failed on empty: exit 1: no source" in text
    assert ["cpg_nodes", "1.50"] in lines


def test_peer_line_is_the_last_one_of_json() -> None:
    assert parse_peer_line(f"hello\n{{}}\n{LINE}\nbye\n")["wall_s"] == 40.0


@pytest.mark.parametrize(
    ("stdout", "reason"),
    [
        ("", "no JSON line"),
        ("{oops", "no JSON"),
        ('{"wall_s": 1, "cpu_s": "2", "max_rss_mb": true}', "cpu_s, max_rss_mb"),
        ('{"wall_s": NaN, "cpu_s": 2, "max_rss_mb": 3}', "wall_s"),
    ],
)
def test_peer_line_that_says_too_little(stdout: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_peer_line(stdout)


def test_peer_by_relative_path_gets_the_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = (
        "import json, os, sys\n"
        "files = len(os.listdir(sys.argv[1]))\n"
        "print(json.dumps({'wall_s': files, 'cpu_s': 2, 'max_rss_mb': 3}))\n"
    )
    peer(tmp_path, body)
    monkeypatch.chdir(tmp_path)
    found = run_peer(find_peer("peer.py"), EMPTY, copy_tree(EMPTY, tmp_path))
    assert found.figures == {"wall_s": 1.0, "cpu_s": 2.0, "max_rss_mb": 3.0}
    assert found.error == ""


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise SystemExit('no memory')", "exit 1: no memory"),
        (f"print({LINE!r}); raise SystemExit(3)", "exit 3: "),
        ("print('done')", "no JSON line"),
    ],
)
def test_failing_peer_is_a_sample(tmp_path: Path, body: str, reason: str) -> None:
    command = find_peer(str(peer(tmp_path, body)))
    found = run_peer(command, "flask", tmp_path)
    assert found.figures == {}
    assert reason in found.error
    row = peer_summary([sample("flask", "cold", 8.0)], [found])[0]
    assert (row["wall_s"], row["wall_s_ratio"], row["errors"]) == (None, None, [found.error])


def test_peer_that_cannot_start_is_a_sample(tmp_path: Path) -> None:
    path = peer(tmp_path, "")
    path.write_bytes(b"\x00\x01")
    assert "Exec format error" in run_peer(find_peer(str(path)), "flask", tmp_path).error


def test_missing_peer_stops_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="no peer"):
        find_peer(str(tmp_path / "none"))


def test_unfair_builds_are_named() -> None:
    tables = {"cpg_nodes": 1, "run_manifest": 0}
    assert problems("cold", result(3), {}, tables) == []
    assert problems("cold", result(0), {}, tables) == ["read no file"]
    assert problems("unchanged", result(0), tables, {**tables, "run_manifest": 1}) == []
    assert problems("unchanged", result(2), tables, {**tables, "cpg_nodes": 2, "new": 0}) == [
        "read 2 files instead of 0",
        "committed a new version of cpg_nodes, new",
    ]
    assert problems("edited", result(1), tables, {**tables, "cpg_nodes": 2}) == []
    assert problems("edited", result(2), tables, tables) == ["read 2 files instead of 1"]


def test_build_that_is_not_complete_stops_with_its_last_words() -> None:
    printed = json.dumps(
        {name: getattr(result(status="failed"), name) for name in RunResult.__struct_fields__}
    )
    with pytest.raises(BenchError, match=r"flask cold: exit 3, status failed[\s\S]*out of luck"):
        read_result(Finished(3, printed, "boom", usage(1.0)), "flask cold")
    with pytest.raises(BenchError, match=r"exit 1 and no result[\s\S]*JAVA_MISSING"):
        read_result(Finished(1, "", "JAVA_MISSING: none", usage(1.0)), "flask cold")


def test_edit_is_one_line_in_a_function_of_the_middle_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def small(): return 1\n")
    (tmp_path / "b.py").write_text("def f():\n    return 1\n")
    (tmp_path / "c.py").write_text("class A:\n\tdef f(self):\n\t\tif 1:\n\t\t\tpass\n\nx = 1  # é")
    (tmp_path / "d.py").write_text("def f():\n    return 1\n" * 9)
    before = (tmp_path / "c.py").read_bytes().split(b"\n")
    assert append_line(tmp_path) == "c.py"
    after = (tmp_path / "c.py").read_bytes().split(b"\n")
    assert after[:4] + after[5:] == before
    method = ast.parse(b"\n".join(after)).body[0].body[0]  # type: ignore[attr-defined]
    assert isinstance(method.body[-1], ast.Assign)


def test_edit_of_a_tree_without_functions_ends_its_file(tmp_path: Path) -> None:
    tree = copy_tree(EMPTY, tmp_path)
    assert append_line(tree) == "empty.py"
    assert len(ast.parse((tree / "empty.py").read_text()).body) == 1


def test_a_package_is_cut_and_copied(tmp_path: Path) -> None:
    package = tmp_path / "lib"
    for part, lines in (("a", 4), ("b", 4), ("c", 2)):
        (package / part).mkdir(parents=True)
        (package / part / "m.py").write_text("from lib.a import lib_x\n" * lines)
    grow(package, tmp_path / "cut", 6)
    assert count_lines(tmp_path / "cut") == 8
    assert {path.name for path in (tmp_path / "cut" / "lib").iterdir()} == {"a", "b"}
    grow(package, tmp_path / "copied", 20)
    assert count_lines(tmp_path / "copied") == 20
    assert (tmp_path / "copied" / "lib1" / "c" / "m.py").read_text() == (
        "from lib1.a import lib_x\n" * 2
    )


def test_growth_is_what_a_line_costs_above_an_empty_tree() -> None:
    taken = [sample(EMPTY, "cold", 4.0), sample("django", "cold", 10.0)]
    assert growth(taken) == []
    taken.append(replace(sample("django-600k", "cold", 28.0), lines=4000))
    walls = [(row["tree"], row["lines"], row["wall_us_a_line"]) for row in growth(taken)]
    assert walls == [("django", 1000, 6000.0), ("django-600k", 4000, 6000.0)]
    console = Console(file=io.StringIO(), width=110)
    print_report(console, taken, [])
    assert "wall us a line above empty" in console.file.getvalue()


def test_promises_are_checks_and_the_record_of_a_cold_build() -> None:
    timings = {"chk_a": 0.5, "is_empty_chk_a_": 0.25, "codelake-on-run-end-0": 0.25, "chk": 9.0}
    samples = [sample("flask", "cold", 10.0, **timings), sample("flask", "edited", 1.0, chk_a=99.0)]
    expected = {"tree": "flask", "checks_s": 0.75, "record_s": 0.25, "share": 0.1}
    assert promises(samples) == [expected]


def test_json_names_no_folder() -> None:
    assert without_folders("no such file: '/srv/me/x.py', at 3/4") == (
        "no such file: 'x.py', at 3/4"
    )
    bench = Bench(["/opt/tools/peer"])
    bench.samples = [sample(EMPTY, "cold", 4.0)]
    bench.peer_samples = [
        PeerSample(tree=EMPTY, round=0, figures={}, error="exit 1: /secret/place/x")
    ]
    text = json.dumps(bench.as_json(dt.datetime(2026, 1, 1, tzinfo=dt.UTC), "empty: /secret/y"))
    assert "/secret" not in text
    assert "/opt" not in text
    assert json.loads(text)["summary"][0]["wall_ratio"] == 1.0


def test_extraction_alone_is_measured(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(x):\n    return x\n" * 50)
    (tmp_path / "b.py").write_text("x = (\n")
    once, thrice = measured(tmp_path), measured(tmp_path, 303)
    assert (once.files, once.lines) == (2, 101)
    assert (thrice.files, thrice.lines) == (6, 303)
    assert once.ratio > 0 < once.worker_mb
    console = Console(file=io.StringIO(), width=110)
    print_extraction(console, [("a", once)])
    assert "x parse" in console.file.getvalue()
