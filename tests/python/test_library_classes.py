"""Library classes: the table against the Python that runs, which may not have more than it says."""

from __future__ import annotations

import argparse
import email.message
import importlib
import logging
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import library_scan
from codelake.resolve import library_classes
from codelake.resolve.library_classes import (
    has_member,
    is_library_class,
    is_library_function,
    is_subclass,
)

TABLE = Path(library_classes.__file__).with_name("library_classes.txt")
_MODULES = """
    argparse array asyncio collections collections.abc concurrent.futures configparser contextlib
    csv datetime decimal difflib email.message enum fractions functools hashlib http http.client
    inspect io ipaddress itertools json logging multiprocessing.pool numbers os pathlib queue
    random re selectors shelve socket sqlite3 string subprocess tarfile tempfile threading time
    traceback types unittest urllib.parse urllib.request uuid weakref xml.etree.ElementTree zipfile
    zoneinfo
"""
MODULES = _MODULES.split()


def _classes(module: str) -> list[tuple[str, type]]:
    names = vars(importlib.import_module(module))
    return [
        (f"{module}.{name}", value)
        for name, value in names.items()
        if isinstance(value, type) and is_library_class(f"{module}.{name}")
    ]


@pytest.mark.parametrize("module", MODULES)
def test_no_member_of_the_running_python_is_denied(module: str) -> None:
    found = _classes(module)
    assert found
    for name, cls in found:
        assert [one for one in dir(cls) if has_member(name, one) is False] == [], name


@pytest.mark.parametrize("module", MODULES)
def test_subclasses_are_those_of_the_running_python(module: str) -> None:
    tested = [("builtins.str", str), ("builtins.dict", dict), *_classes("collections.abc"),
              *_classes("datetime"), *_classes("pathlib"), *_classes("numbers")]  # fmt: skip
    for name, cls in _classes(module):
        for other, above in tested:
            if other != "collections.abc.Hashable":
                assert is_subclass(name, other) is issubclass(cls, above), (name, other)


@pytest.mark.parametrize(
    "made",
    [
        argparse.ArgumentParser(),
        email.message.Message(),
        logging.getLogger(),
        logging.StreamHandler(),
        logging.LogRecord("a", 1, "b", 2, "c", (), None),
        subprocess.CompletedProcess([], 0),
        subprocess.CalledProcessError(1, []),
        threading.Event(),
        threading.Thread(),
    ],
    ids=lambda made: type(made).__name__,
)
def test_what_instances_are_given_is_not_denied(made: object) -> None:
    name = f"{type(made).__module__}.{type(made).__name__}"
    assert is_library_class(name)
    assert [one for one in vars(made) if has_member(name, one) is False] == []


@pytest.mark.parametrize(
    ("name", "attribute", "expected"),
    [
        ("pathlib.Path", "exists", True),
        ("pathlib.Path", "joinpath", True),
        ("pathlib.Path", "filter", False),
        ("pathlib.Path", "__html__", False),
        ("pathlib.Path", "__call__", False),
        ("functools.partial", "__call__", True),
        ("datetime.date", "hour", False),
        ("json.JSONDecodeError", "lineno", True),
        ("enum.Enum", "upper", False),
        ("collections.abc.Mapping", "register", True),
        ("http.HTTPStatus", "NOT_FOUND", True),
        ("argparse.Namespace", "anything", None),
        ("types.SimpleNamespace", "anything", None),
        ("threading.local", "anything", None),
        ("unittest.mock.Mock", "anything", None),
        ("ctypes.Structure", "anything", None),
        ("attrs.Attribute", "anything", None),
    ],
)
def test_members(name: str, attribute: str, expected: bool | None) -> None:
    assert has_member(name, attribute) is expected


@pytest.mark.parametrize(
    ("name", "other", "expected"),
    [
        ("datetime.datetime", "datetime.date", True),
        ("builtins.bool", "builtins.int", True),
        ("builtins.list", "collections.abc.Sequence", True),
        ("pathlib.Path", "os.PathLike", True),
        ("threading.Thread", "builtins.object", True),
        ("datetime.date", "builtins.str", False),
        ("datetime.date", "collections.abc.Hashable", None),
        ("datetime.date", "attrs.Attribute", None),
        ("attrs.Attribute", "builtins.str", None),
    ],
)
def test_subclasses(name: str, other: str, expected: bool | None) -> None:
    assert is_subclass(name, other) is expected


def test_functions_that_look_like_classes() -> None:
    assert is_library_function("multiprocessing.Pool")
    assert is_library_function("os.path.join")
    assert not is_library_function("threading.Lock")
    assert not is_library_function("attrs.field")


def test_a_table_reads_back() -> None:
    text = TABLE.read_text("utf-8")
    assert library_scan.write(library_scan.read(text)) == text


@pytest.mark.prove
@pytest.mark.skipif(sys.platform != "linux", reason="other platforms have other members")
def test_the_running_python_adds_nothing() -> None:
    """A new release may: then put a scan of it to the table, as library_scan.py tells."""
    table = library_scan.read(TABLE.read_text("utf-8"))
    both = library_scan.merge(table, library_scan.scan())
    assert library_scan.write(both) == library_scan.write(table)


def test_open_classes_are_few() -> None:
    table = library_scan.read(TABLE.read_text("utf-8"))
    opened = {name for name, entry in table.classes.items() if entry.is_open}
    assert len(opened) < len(table.classes) / 20
    assert {"argparse.Namespace", "types.ModuleType", "weakref.ProxyType"} <= opened
