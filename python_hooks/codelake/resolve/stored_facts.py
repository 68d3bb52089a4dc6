"""Stored facts: what resolution reads of a file, as one value of the evidence.

    pack_facts(syntax, table, reaches, facts)  -> bytes, the column `facts`
    unpack_facts(bytes, repo, path, module, is_package) -> FileFacts, addresses of its nodes

One value per file: nothing but resolution reads it, and as nested columns it would be a quarter of
what a build of the evidence writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from codelake.evidence.rows import Addresses, Column
from codelake.extract.symbols.symbol_table import SymbolTable
from codelake.extract.syntax.syntax_tree import SyntaxTree
from codelake.resolve.file_facts import Definition, Fact, FileFacts
from codelake.resolve.gather_facts import gather_facts


class StoredFacts(msgspec.Struct, frozen=True, array_like=True):
    """The stored form of FileFacts, with the address of each node."""

    definitions: Sequence[Definition]
    parents: Sequence[int]
    def_nos: Sequence[int]
    ordinals: Sequence[int]
    facts: Sequence[Fact]
    names: dict[int, tuple[str, str, int | None]]
    reaches: dict[int, list[int]]
    path_reaches: dict[int, list[int]]


def pack_facts(
    syntax: SyntaxTree, table: SymbolTable, reaches: Sequence[Column], facts: Sequence[Column]
) -> bytes:
    """Return the stored form of a file's facts.

    Args:
        syntax: its syntax tree.
        table: its symbol table.
        reaches: columns of the data flow.
        facts: columns of the facts.
    """
    parts = gather_facts(syntax, table, reaches, facts)
    stored = StoredFacts(def_nos=syntax.nodes[3], ordinals=syntax.nodes[4], **parts)
    return msgspec.msgpack.encode(stored)


_DECODER = msgspec.msgpack.Decoder(StoredFacts)


def unpack_facts(data: bytes, **identity: Any) -> tuple[FileFacts, Addresses]:
    """Return the facts of a file and the addresses of its nodes.

    Args:
        data: the column `facts`.
        identity: repo, path, module, is_package and other_names of the file.
    """
    stored = _DECODER.decode(data)
    found = FileFacts(
        definitions=stored.definitions,
        parents=stored.parents,
        facts=stored.facts,
        names=stored.names,
        reaches=stored.reaches,
        path_reaches=stored.path_reaches,
        **identity,
    )
    return found, (stored.def_nos, stored.ordinals)
