"""Library types: the table against the stubs that it comes from, and against real objects."""

from __future__ import annotations

import argparse
import ast
import datetime as dt
import decimal
import email.message
import fractions
import http.cookies
import inspect
import logging
import pathlib
import random
import socket
import sqlite3
import string
import struct
import subprocess
import tarfile
import textwrap
import threading
import urllib.parse
import urllib.request
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

import library_types_scan
from codelake.resolve import known_types
from codelake.resolve.known_types import attribute_type, call_type
from codelake.resolve.library_classes import canonical, is_subclass

QUESTIONS = ("is", "has", "get", "as_", "keys", "copy", "fetch", "absolute", "total_", "utc")


def objects() -> Iterator[Any]:
    with sqlite3.connect(":memory:") as connection:
        yield connection
        yield connection.execute("select 1")
    connection.close()
    with socket.socket() as closed:
        yield closed
    yield from (logging.getLogger("x"), logging.Formatter(), logging.StreamHandler())
    yield from (argparse.ArgumentParser(), string.Template("$x"), textwrap.TextWrapper())
    yield from (threading.current_thread(), random.Random(1), struct.Struct("i"))
    yield from (pathlib.Path(), dt.datetime(2020, 1, 1), dt.timedelta(1), uuid.UUID(int=1))
    yield from (decimal.Decimal(1), decimal.Context(), fractions.Fraction(1, 2))
    yield from (inspect.signature(repr), inspect.Parameter("x", inspect.Parameter.KEYWORD_ONLY))
    yield from (ast.parse("x").body[0], tarfile.TarInfo(), zipfile.ZipInfo())
    yield from (email.message.EmailMessage(), http.cookies.SimpleCookie("a=1"))
    yield from (urllib.parse.urlsplit("http://a"), urllib.request.Request("http://a"))
    yield subprocess.CompletedProcess([], 0, "", "")


def name_of(cls: type) -> str:
    full = f"{cls.__module__}.{cls.__qualname__}"
    return canonical(full) or full


def fits(value: object, kind: str) -> bool:
    head = kind.partition("[")[0]
    full = head if "." in head else f"builtins.{head}"
    return any(is_subclass(name_of(cls), full) or name_of(cls) == full for cls in type(value).mro())


def test_the_table_is_that_of_the_stubs() -> None:
    table = known_types.__file__.replace("known_types.py", "library_types.txt")
    assert pathlib.Path(table).read_text("utf-8").splitlines() == list(library_types_scan.scan())


@pytest.mark.skipif(
    not hasattr(pathlib.Path, "from_uri"), reason="the stubs are read as those of 3.13"
)
def test_objects_have_what_the_table_says() -> None:
    seen, wrong = 0, []
    for one in objects():
        owner = name_of(type(one))
        for name in dir(one):
            if name.startswith("_"):
                continue
            kind = attribute_type(f"{owner}.{name}")
            value = None
            if kind is not None:
                value = getattr(one, name, None)
            elif name.startswith(QUESTIONS):
                kind = call_type(f"{owner}.{name}")
                with suppress(Exception):
                    value = getattr(one, name)()
            if kind is not None and value is not None:
                seen += 1
                if not fits(value, kind):
                    wrong.append(f"{owner}.{name}: {kind}, is {type(value)}")
    assert seen > 150
    assert wrong == []


def test_types_follow_bases_and_other_names() -> None:
    assert call_type("sqlite3.connect") == "sqlite3.Connection"
    assert call_type("sqlite3.dbapi2.Connection.cursor") == "sqlite3.Cursor"
    assert call_type("logging.FileHandler.get_name") == "str"
    assert call_type("json.loads") is None
    assert call_type("sqlite3.Cursor.fetchall") is None
