"""Drivers: small programs that exercise modules of the standard library, as an oracle of flow.

    drive("heapq")  -> the Program of heapq.py, executed and used under its trace

The module is compiled again from its own source, so that its instructions have the positions of the
text that was analysed, and executed as a module of its own beside the real one. What a call returns
or raises does not matter here, only the way it takes.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import drivers_text as text
import drivers_values as values
from flow_trace import Program

LIMIT = 3_000_000


DRIVERS: dict[str, Callable[[Any], None]] = {
    "argparse": text.drive_argparse,
    "ast": text.drive_ast,
    "calendar": values.drive_calendar,
    "colorsys": values.drive_colorsys,
    "configparser": text.drive_configparser,
    "contextlib": values.drive_contextlib,
    "copy": values.drive_copy,
    "difflib": text.drive_difflib,
    "fnmatch": text.drive_fnmatch,
    "fractions": values.drive_fractions,
    "functools": values.drive_functools,
    "graphlib": values.drive_graphlib,
    "heapq": values.drive_heapq,
    "html.parser": text.drive_html_parser,
    "json.decoder": text.drive_json_decoder,
    "json.encoder": text.drive_json_encoder,
    "json.scanner": text.drive_json_scanner,
    "pprint": text.drive_pprint,
    "shlex": text.drive_shlex,
    "statistics": values.drive_statistics,
    "string": text.drive_string,
    "textwrap": text.drive_textwrap,
    "tokenize": text.drive_tokenize,
    "urllib.parse": text.drive_urllib_parse,
}


def source(name: str) -> str:
    """Return the text of a module of the standard library, without importing it."""
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).read_text("utf-8")


def drive(name: str) -> Program:
    """Execute a module and its driver under the trace."""
    program = Program(source(name), name)
    module = types.ModuleType(name)
    spec = importlib.util.find_spec(name)
    module.__spec__, module.__package__, module.__file__ = spec, spec.parent, spec.origin
    held = sys.modules.get(name)
    output = io.StringIO()
    try:
        sys.modules[name] = module
        quiet = contextlib.redirect_stdout(output), contextlib.redirect_stderr(output)
        with program.traced(LIMIT), quiet[0], quiet[1]:
            exec(program.code, module.__dict__)
            DRIVERS[name](module)
    finally:
        sys.modules.pop(name, None)
        if held is not None:
            sys.modules[name] = held
    assert program.events <= LIMIT
    return program
