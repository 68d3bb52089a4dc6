"""What a session insists on before Spark starts: settings of the JVM, the folder of the lake."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from codelake.errors import CodelakeError
from codelake.run.java import find_java
from codelake.run.session import JVM_OPTIONS, Views, require_usable, start

TIERED_DEFAULT = 240 << 20


def test_compiled_code_has_the_room_that_java_gives_by_default() -> None:
    # with the first tier only Java reserves 48 MB, and many questions fill that
    java = find_java().home / "bin" / "java"
    done = subprocess.run(
        [java, *JVM_OPTIONS, "-XX:+PrintFlagsFinal", "-version"],
        capture_output=True,
        text=True,
        check=True,
    )
    size = re.search(r"ReservedCodeCacheSize\s*=\s*(\d+)", done.stdout)
    assert size is not None
    assert int(size[1]) >= TIERED_DEFAULT


@pytest.mark.parametrize("name", ["a[b", "a]", "a^b", "a|b", "a\\b", "a:b", "a\tb", "a%20b"])
def test_a_folder_that_delta_readers_misread_is_refused(tmp_path: Path, name: str) -> None:
    # deltalake panics on some of them inside a worker of dbt, which then waits forever
    with pytest.raises(CodelakeError, match="LAKE_PATH"):
        start(tmp_path / name, views=Views.OF_BUILD)


@pytest.mark.parametrize("name", ["a b", "é", "it's", "50%", "{x}", 'a*?#&;,$`"<>~+=@!'])
def test_any_other_folder_is_taken(tmp_path: Path, name: str) -> None:
    require_usable(tmp_path / name)
