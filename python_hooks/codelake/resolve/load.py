"""Loading: the text of files -> the facts that resolution reads, by the extractors, in process.

    read_repository("shop", {"shop/cart.py": b"..."}) -> [FileFacts("shop", "shop/cart.py", ...)]

For tests and measurements; builds read the same from the stored evidence. A file that CPython
cannot read has no facts and is left out.
Next: resolve.py.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from codelake.evidence.spans import SpanMap
from codelake.extract.data.data_flow import data_flow
from codelake.extract.data.numbered_nodes import numbered_nodes
from codelake.extract.facts.facts import facts
from codelake.extract.flow.control_flow import control_flow
from codelake.extract.parse import ParseFailure, parse
from codelake.extract.symbols.symbol_table import SymbolTable, symbol_table
from codelake.extract.syntax.syntax_tree import syntax_tree
from codelake.resolve.file_facts import FileFacts
from codelake.resolve.gather_facts import gather_facts
from codelake.sources.decode import SourceText, decode
from codelake.sources.modules import Layouts, is_package, module_name


def read_repository(repo: str, sources: Mapping[str, bytes]) -> list[FileFacts]:
    """Read the Python files of a repository.

    Args:
        repo: its name.
        sources: bytes of each file by path; other files may be among them, they tell the layout.

    Returns:
        The facts of each file that could be read, ordered by path.
    """
    layouts = Layouts(sources, root_name=repo)
    found = []
    for path in sorted(sources):
        if path.endswith((".py", ".pyi", ".pyw")):
            others = layouts.module_names(path)[1:]
            module = module_name(path, layouts.of(path))
            file = read_file(repo, path, module, sources[path], others)
            if file is not None:
                found.append(file)
    return found


def read_folder(folder: Path) -> dict[str, bytes]:
    """Return the Python files below a folder, by relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*.py"))
        if path.is_file() and ".git" not in path.parts
    }


def numbered_tree(raw: bytes) -> ast.Module | None:
    """Return the tree of a file whose nodes have their numbers; None when CPython reads none."""
    source = decode(raw)
    if not isinstance(source, SourceText):
        return None
    tree = parse(source.text)
    if isinstance(tree, ParseFailure):
        return None
    syntax_tree(tree, source.raw, SpanMap(source), "", 1)
    return tree


def read_file(
    repo: str, path: str, module: str, raw: bytes, others: tuple[str, ...] = ()
) -> FileFacts | None:
    """Read one file; None when CPython cannot."""
    source = decode(raw)
    if not isinstance(source, SourceText):
        return None
    tree = parse(source.text)
    if isinstance(tree, ParseFailure):
        return None
    syntax = syntax_tree(tree, source.raw, SpanMap(source), module, 1)
    table = symbol_table(source.text, tree, path)
    if not isinstance(table, SymbolTable):
        return None
    reached = data_flow(numbered_nodes(tree), control_flow(tree), table).reaches
    parts = gather_facts(syntax, table, reached, facts(tree, syntax).facts)
    return FileFacts(
        repo=repo,
        path=path,
        module=module,
        is_package=is_package(path),
        other_names=others,
        **parts,
    )
