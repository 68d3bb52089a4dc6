"""Identifiers: BIGINT xxhash64 chains, equal to Spark SQL's `xxhash64(a, b, ...)`.

This is the one place that defines the recipes. The first part is hashed with seed 42, and each
digest is the seed of the next part. A string is hashed as its UTF-8 bytes, an int as 4 and a bigint
as 8 bytes, little endian. The result is read as a signed 64-bit number.

| Id | Spark SQL |
|---|---|
| repository_id | `xxhash64(int(salt), repo)` |
| file_id | `xxhash64(int(salt), repo, path)` |
| definition_id | `xxhash64(bigint(file_id), def_path)`, where the module's def_path is `''` |
| scope_id | `xxhash64(bigint(file_id), 'scope', scope_path)`, where the module's path is `''` |
| node_id | `definition_id` when ordinal = 0, else `xxhash64(bigint(definition_id), int(ordinal))` |
| field_id | `xxhash64(bigint(definition_id of the class), 'field', name)` |
| external_id | `xxhash64(int(salt), 'external', qualified_name)` |
| edge_id | `xxhash64(kind, bigint(src), bigint(dst), label)`; a null label is `''` |

    file_id("app", "pkg/mod.py")        -> -6914105499446809391
    definition_id(that, "C.f")          -> the id of the first method f of class C

The salt re-rolls every id of a lake. It enters through file_id, so all ids below a file follow it.
`tests/python/vectors/ids.json` holds vectors that both sides are tested against.
"""

from __future__ import annotations

from xxhash import xxh64_intdigest

_SEED = 42
_SIGN = 1 << 63
_WRAP = 1 << 64


def repository_id(repo: str, salt: int = 0) -> int:
    """Return the id of a repository."""
    return _signed(_text(repo, _int(salt, _SEED)))


def file_id(repo: str, path: str, salt: int = 0) -> int:
    """Return the id of a file.

    Args:
        repo: name of the repository.
        path: POSIX path relative to the repository's root.
        salt: the var `id_salt`.
    """
    return _signed(_text(path, _text(repo, _int(salt, _SEED))))


def definition_id(file_id: int, def_path: str) -> int:
    """Return the id of a definition from its file and its path inside the file."""
    return _signed(_text(def_path, _bigint(file_id, _SEED)))


def scope_id(file_id: int, scope_path: str) -> int:
    """Return the id of a scope of the symbol table from its file and its path inside the file."""
    return _signed(_text(scope_path, _text("scope", _bigint(file_id, _SEED))))


def node_id(definition_id: int, ordinal: int) -> int:
    """Return the id of a node from its definition and its position inside that definition."""
    if ordinal == 0:
        return definition_id
    return _signed(_int(ordinal, _bigint(definition_id, _SEED)))


def field_id(class_id: int, name: str) -> int:
    """Return the id of a field from the class that has it."""
    return _signed(_text(name, _text("field", _bigint(class_id, _SEED))))


def external_id(name: str, salt: int = 0) -> int:
    """Return the id of what lies outside all repositories, from its qualified name."""
    return _signed(_text(name, _text("external", _int(salt, _SEED))))


def edge_id(kind: str, src: int, dst: int, label: str) -> int:
    """Return the id of an edge."""
    return _signed(_text(label, _bigint(dst, _bigint(src, _text(kind, _SEED)))))


def _text(value: str, seed: int) -> int:
    return int(xxh64_intdigest(value.encode("utf-8"), seed))


def _int(value: int, seed: int) -> int:
    return int(xxh64_intdigest(value.to_bytes(4, "little", signed=True), seed))


def _bigint(value: int, seed: int) -> int:
    return int(xxh64_intdigest(value.to_bytes(8, "little", signed=True), seed))


def _signed(digest: int) -> int:
    return digest - _WRAP if digest >= _SIGN else digest
