"""Ids: the vectors that Spark SQL is tested against too, and a second XXH64 to check them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codelake.evidence import ids

VECTORS = json.loads((Path(__file__).parent / "vectors" / "ids.json").read_text("utf-8"))
P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5, MASK = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5, (1 << 64) - 1
PARTS = {
    "repository_id": lambda repo, salt: [("i", salt), repo],
    "file_id": lambda repo, path, salt: [("i", salt), repo, path],
    "definition_id": lambda file, path: [("l", file), path],
    "scope_id": lambda file, path: [("l", file), "scope", path],
    "node_id": lambda definition, ordinal: [("l", definition), ("i", ordinal)],
    "edge_id": lambda kind, src, dst, label: [kind, ("l", src), ("l", dst), label],
}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['recipe']}")
def test_vector(vector: dict[str, object]) -> None:
    recipe, args = vector["recipe"], vector["args"]
    assert getattr(ids, recipe)(*args) == vector["id"]
    if recipe == "node_id" and args[1] == 0:
        assert vector["id"] == args[0]
    else:
        assert vector["id"] == chain(PARTS[recipe](*args))


def test_known_digest() -> None:
    """The empty input with seed 0 and `Spark` with seed 42, as published."""
    assert xxh64(b"", 0) == 0xEF46DB3751D8E999
    assert xxh64(b"Spark", 42) == ids._text("Spark", 42)


def test_salt_reaches_every_id_of_a_file() -> None:
    assert ids.file_id("r", "p", 1) != ids.file_id("r", "p")
    assert ids.repository_id("r", 1) != ids.repository_id("r")


def chain(parts: list[str | tuple[str, int]]) -> int:
    seed = 42
    for part in parts:
        if isinstance(part, str):
            data = part.encode()
        else:
            data = part[1].to_bytes(4 if part[0] == "i" else 8, "little", signed=True)
        seed = xxh64(data, seed)
    return seed - (1 << 64) if seed >> 63 else seed


def xxh64(data: bytes, seed: int) -> int:
    """XXH64 from its specification, apart from the library that codelake uses."""
    at = 0
    if len(data) >= 32:
        lanes = [(seed + P1 + P2) & MASK, (seed + P2) & MASK, seed, (seed - P1) & MASK]
        while at <= len(data) - 32:
            for number in range(4):
                lanes[number] = lane_round(lanes[number], word(data, at + 8 * number, 8))
            at += 32
        result = sum(rotate(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True))
        for lane in lanes:
            result = ((result ^ lane_round(0, lane)) * P1 + P4) & MASK
    else:
        result = seed + P5
    result = (result + len(data)) & MASK
    while at + 8 <= len(data):
        result = (rotate(result ^ lane_round(0, word(data, at, 8)), 27) * P1 + P4) & MASK
        at += 8
    if at + 4 <= len(data):
        result = (rotate(result ^ (word(data, at, 4) * P1 & MASK), 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        result = rotate(result ^ (byte * P5 & MASK), 11) * P1 & MASK
    result = (result ^ result >> 33) * P2 & MASK
    result = (result ^ result >> 29) * P3 & MASK
    return result ^ result >> 32


def lane_round(lane: int, value: int) -> int:
    return rotate((lane + value * P2) & MASK, 31) * P1 & MASK


def rotate(value: int, by: int) -> int:
    value &= MASK
    return (value << by | value >> (64 - by)) & MASK


def word(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")
