"""SCIP index evidence: a file written by an indexer such as scip-python -> tables.

    parts = scip_index(stream, lookup)      one ScipPart per document, then one for the index
    occurrences   `requests.api`/get().  definition  bytes 148..151 of requests/api.py

An index is one protobuf message that can have hundreds of megabytes. It is walked field by field,
and one document is in memory at a time. Ranges become raw bytes of the stored file, which `lookup`
returns by path. What an index promises and does not keep is a health row, never an exception:
documents outside the repository, ranges outside their file, a text that has changed, duplicates,
pieces that do not decode. Only a file that holds nothing of an index is an error.

Unit of characters: scip-python (0.6) leaves the position encoding unspecified. It is written in
TypeScript on pyright and counts UTF-16 code units, so that is what an index without a stated
encoding is read with; a health row says how many documents that concerns. The assumption matters
only on lines that are not ASCII.
Next: scip_symbol.py, scip_ranges.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import SEEK_END
from typing import Any, BinaryIO

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from codelake.errors import CodelakeError
from codelake.extract.scip.scip_ranges import Ranges, whole_range
from codelake.extract.scip.scip_schema import (
    DIAGNOSTIC_TAGS,
    POSITION_ENCODINGS,
    ROLES,
    SEVERITIES,
    SYMBOL_KINDS,
    SYNTAX_KINDS,
    TEXT_ENCODINGS,
    message,
)
from codelake.extract.scip.scip_symbol import scip_symbol
from codelake.sources.decode import SourceText

type Lookup = Callable[[str], SourceText | None]
type Columns = Sequence[Sequence[Any]]
type _Place = tuple[int | None, int | None]

ASSUMED_ENCODING = "utf-16"
WIDTHS = {
    "metadata": 6,
    "stats": 11,
    "documents": 9,
    "occurrences": 19,
    "symbols": 11,
    "symbol_names": 10,
    "relationships": 7,
    "diagnostics": 10,
    "health": 6,
}
_NAMED_KINDS = frozenset({"type", "term", "method", "parameter"})
_METADATA, _DOCUMENT, _EXTERNAL = 1, 2, 3
_NOWHERE: _Place = (None, None)
_FLAGS = [tuple(bool(roles & bit) for bit in ROLES.values()) for roles in range(128)]


@dataclass(frozen=True, slots=True)
class ScipPart:
    """Columns in the field order of the structs SCIP_METADATA, SCIP_STATS ... in rows.py."""

    metadata: Columns
    stats: Columns
    documents: Columns
    occurrences: Columns
    symbols: Columns
    symbol_names: Columns
    relationships: Columns
    diagnostics: Columns
    health: Columns


def scip_index(stream: BinaryIO, lookup: Lookup) -> Iterator[ScipPart]:
    """Read an index document by document.

    Args:
        stream: the index, a seekable binary file.
        lookup: returns the file at a path relative to the repository, None when there is none.

    Yields:
        The tables of one document each; at the end those of the index as a whole.

    Raises:
        CodelakeError: the file is no SCIP index.
    """
    reader = _Reader(lookup)
    for number, data, place in _fields(stream, reader):
        part = reader.take(number, data, place)
        if part is not None:
            yield part
    yield reader.finish()


def _fields(stream: BinaryIO, reader: _Reader) -> Iterator[tuple[int, bytes, int]]:
    """Yield the length-delimited fields of the outermost message: number, content, offset."""
    size = stream.seek(0, SEEK_END)
    place = stream.seek(0)
    while place < size:
        try:
            tag = _varint(stream)
            number, wire = tag >> 3, tag & 7
            if number == 0:
                raise EOFError("a field has the number 0")
            if wire == 0:
                _varint(stream)
            elif wire in (1, 5):
                _take(stream, 8 if wire == 1 else 4, size)
            elif wire == 2:
                length = _varint(stream)
                yield number, _take(stream, length, size), place
            else:
                raise EOFError(f"wire type {wire} is not in use")
        except EOFError as error:
            reader.broken(place, str(error))
            return
        place = stream.tell()


def _varint(stream: BinaryIO) -> int:
    value = shift = 0
    while shift < 70:
        byte = stream.read(1)
        if not byte:
            raise EOFError("the file ends inside a number")
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return value
        shift += 7
    raise EOFError("a number has more than ten bytes")


def _take(stream: BinaryIO, length: int, size: int) -> bytes:
    if length > size - stream.tell():
        raise EOFError("the file ends inside a field")
    return stream.read(length)


class _Reader:
    """Turns the fields of an index into tables and counts what it meets."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._metadata: Any = None
        self._counts: Counter[str] = Counter()
        self._paths: set[str] = set()
        self._external: set[str] = set()
        self._pending = _Tables()

    def take(self, number: int, data: bytes, place: int) -> ScipPart | None:
        """Read one field of the index."""
        try:
            if number == _METADATA:
                self._take_metadata(data)
            elif number == _DOCUMENT:
                return self._take_document(message("Document").FromString(data))
            elif number == _EXTERNAL:
                self._take_external(message("SymbolInformation").FromString(data))
        except DecodeError:
            names = {_METADATA: "metadata", _DOCUMENT: "document", _EXTERNAL: "external symbol"}
            self._counts["corrupt_pieces"] += 1
            self._pending.complain("corrupt", "error", None, f"{names[number]} at byte {place}")
        return None

    def broken(self, place: int, reason: str) -> None:
        """Note that the rest of the file cannot be read."""
        read = self._metadata is not None or self._counts["documents"] or self._external
        if not read:
            raise CodelakeError(
                "SCIP_INDEX_UNREADABLE",
                f"the file is no SCIP index: {reason} (at byte {place}).",
                fix="make the index again, e.g. `scip-python index . --project-name NAME`",
            )
        self._counts["corrupt_pieces"] += 1
        self._pending.complain("truncated", "error", None, f"{reason} (at byte {place})")

    def _take_metadata(self, data: bytes) -> None:
        new = message("Metadata").FromString(data)
        if self._metadata is not None:
            self._pending.complain("duplicate_metadata", "warning", None, "metadata occurs twice")
            self._metadata.MergeFrom(new)
            return
        if self._counts["documents"]:
            self._pending.complain("late_metadata", "warning", None, "documents come before it")
        self._metadata = new

    def _take_external(self, symbol: Any) -> None:
        if symbol.symbol in self._external:
            self._pending.complain("duplicate_external_symbol", "warning", None, symbol.symbol)
        self._external.add(symbol.symbol)
        self._counts["external_symbols"] += 1
        self._pending.symbol(symbol, None)

    def _take_document(self, document: Any) -> ScipPart:
        tables, counts, path = _Tables(), self._counts, document.relative_path
        number = counts["documents"]
        counts["documents"] += 1
        if path in self._paths:
            tables.complain("duplicate_document", "error", path, "the path occurs twice")
        self._paths.add(path)
        if not _is_canonical(path):
            tables.complain("path_not_canonical", "error", path, "not a relative POSIX path")
        source = self._lookup(path)
        encoding = POSITION_ENCODINGS.get(document.position_encoding)
        if document.position_encoding == 0:
            encoding = ASSUMED_ENCODING
            counts["documents_without_encoding"] += 1
        elif encoding is None:
            text = f"position encoding {document.position_encoding}"
            tables.complain("unknown_position_encoding", "error", path, text)
        if source is None:
            tables.complain("document_not_in_repository", "warning", path, "no such file")
        elif document.text and document.text.removeprefix("\ufeff") != source.text:
            tables.complain("stale_text", "error", path, "the index holds another text")
        if document.text:
            counts["documents_with_text"] += 1
        ranges = None if source is None else Ranges(source, encoding)
        if document.position_encoding == 0 and ranges is not None and not ranges.ascii:
            counts["assumed_on_wide_lines"] += 1
        definitions = tables.occurrences_of(document, number, ranges, source)
        for symbol in document.symbols:
            tables.symbol(symbol, number)
        repeated = _repeated(symbol.symbol for symbol in document.symbols)
        if repeated:
            text = f"{sum(repeated.values())} symbols, e.g. {min(repeated)}"
            tables.complain("duplicate_symbol", "warning", path, text, sum(repeated.values()))
        counts["occurrences"] += len(document.occurrences)
        counts["definitions"] += definitions
        counts["symbols"] += len(document.symbols)
        counts["relationships"] += len(tables.rows["relationships"])
        counts["diagnostics"] += len(tables.rows["diagnostics"])
        sizes = (len(document.occurrences), definitions, len(document.symbols))
        row = (number, path, document.language, document.position_encoding, encoding)
        tables.rows["documents"].append((*row, source is not None, *sizes))
        return tables.part()

    def finish(self) -> ScipPart:
        """Return the tables of the index as a whole."""
        counts, tables, found = self._counts, self._pending, self._metadata
        if found is None:
            tables.complain("no_metadata", "error", None, "nothing says who made the index")
        else:
            tool = found.tool_info
            row = (found.version, tool.name, tool.version, list(tool.arguments))
            encoding = TEXT_ENCODINGS.get(found.text_document_encoding)
            tables.rows["metadata"].append((*row, found.project_root, encoding))
        for what in ("documents", "occurrences", "definitions"):
            if not counts[what]:
                tables.complain(f"no_{what}", "error", None, f"the index has no {what}")
        assumed = counts["documents_without_encoding"]
        if assumed:
            wide = counts["assumed_on_wide_lines"]
            text = f"{assumed} documents, {wide} of them not ASCII, read as {ASSUMED_ENCODING}"
            level = "warning" if wide else "information"
            tables.complain("position_encoding_assumed", level, None, text, assumed)
        names = ("documents", "occurrences", "definitions", "symbols", "external_symbols")
        rest = ("relationships", "diagnostics", "documents_with_text", "documents_without_encoding")
        last = ("assumed_on_wide_lines", "corrupt_pieces")
        tables.rows["stats"].append(tuple(counts[name] for name in names + rest + last))
        return tables.part()


class _Tables:
    """The rows of one part."""

    def __init__(self) -> None:
        self.rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in WIDTHS}
        self._named: set[str] = set()

    def part(self) -> ScipPart:
        """Return the rows as columns."""
        columns = {
            name: list(zip(*rows, strict=True)) if rows else [()] * WIDTHS[name]
            for name, rows in self.rows.items()
        }
        return ScipPart(**columns)

    def complain(
        self, check: str, severity: str, path: str | None, text: str, count: int = 1
    ) -> None:
        """Add a health row."""
        number = len(self.rows["health"])
        self.rows["health"].append((number, check, severity, path, count, text))

    def symbol(self, symbol: Any, document: int | None) -> None:
        """Add a symbol and its relationships; an external one has no document."""
        self.name(symbol.symbol)
        signature = symbol.signature_documentation
        row = (document, symbol.symbol, document is None, symbol.kind)
        kind = SYMBOL_KINDS.get(symbol.kind)
        text = (symbol.display_name or None, symbol.enclosing_symbol or None)
        documented = (list(symbol.documentation), signature.text or None)
        self.rows["symbols"].append(
            (*row, kind, *text, *documented, signature.language or None, len(symbol.relationships))
        )
        for other in symbol.relationships:
            self.name(other.symbol)
            uses = (other.is_reference, other.is_implementation)
            defines = (other.is_type_definition, other.is_definition)
            ends = (symbol.symbol, other.symbol)
            self.rows["relationships"].append((document, *ends, *uses, *defines))

    def name(self, text: str) -> None:
        """Add the parts of a symbol's name, once per part."""
        if not text or text in self._named:
            return
        self._named.add(text)
        found = scip_symbol(text)
        names = (found.scheme, found.manager, found.package, found.version, found.local_id)
        lists = (list(found.descriptors), list(found.kinds), list(found.disambiguators))
        self.rows["symbol_names"].append((text, *names, *lists, found.error))
        if found.error is not None:
            self.complain("malformed_symbol", "warning", None, f"{text!r}: {found.error}"[:256])

    def occurrences_of(
        self, document: Any, number: int, ranges: Ranges | None, source: SourceText | None
    ) -> int:
        """Add the occurrences and diagnostics of a document; return how many define something."""
        path = document.relative_path
        definitions = misnamed = repeated = 0
        trouble: Counter[str] = Counter()
        seen: set[tuple[Any, ...]] = set()
        rows, named, name = self.rows["occurrences"], self._named, self.name
        for item in document.occurrences:
            raw = list(item.range) or _typed_range(item, "range")
            around = list(item.enclosing_range) or _typed_range(item, "enclosing_range")
            place = _place(raw, ranges, trouble, "range")
            outer = _place(around, ranges, trouble, "enclosing_range") if around else _NOWHERE
            roles, symbol = item.symbol_roles, item.symbol
            if symbol not in named:
                name(symbol)
            if roles & 1:
                definitions += 1
                if source is not None and place[0] is not None:
                    misnamed += not _is_name(symbol, source.raw[place[0] : place[1]], source)
            key = (*raw, symbol, roles)
            if key in seen:
                repeated += 1
            seen.add(key)
            head = (number, len(rows), symbol or None, roles, *_FLAGS[roles & 127])
            notes = list(item.override_documentation)
            kind = SYNTAX_KINDS.get(item.syntax_kind)
            rows.append((*head, kind, notes, raw, *place, around, *outer))
            for note in item.diagnostics:
                self._diagnostic(note, number, symbol, place)
        for what, count in sorted(trouble.items()):
            self.complain(what, "error", path, f"{count} of {len(document.occurrences)}", count)
        if misnamed:
            text = f"{misnamed} of {definitions} definitions are not at their name"
            level = "error" if misnamed * 2 > definitions else "warning"
            self.complain("definition_elsewhere", level, path, text, misnamed)
        if repeated:
            self.complain("duplicate_occurrence", "warning", path, f"{repeated} rows", repeated)
        return definitions

    def _diagnostic(self, note: Any, number: int, symbol: str, place: _Place) -> None:
        tags = [DIAGNOSTIC_TAGS.get(tag, str(tag)) for tag in note.tags]
        said = (note.code or None, note.message, note.source or None, tags)
        rank = (note.severity, SEVERITIES.get(note.severity))
        self.rows["diagnostics"].append((number, symbol or None, *rank, *said, *place))


def _typed_range(item: Any, name: str) -> list[int]:
    """Return the numbers of a range in the form that replaces `range`."""
    single, multi = f"single_line_{name}", f"multi_line_{name}"
    if item.HasField(single):
        found = getattr(item, single)
        return [found.line, found.start_character, found.end_character]
    if item.HasField(multi):
        found = getattr(item, multi)
        start = [found.start_line, found.start_character]
        return [*start, found.end_line, found.end_character]
    return []


def _place(numbers: list[int], ranges: Ranges | None, trouble: Counter[str], what: str) -> _Place:
    """Return the raw bytes of a range, or nothing and a complaint."""
    found = whole_range(numbers)
    if found is None:
        trouble[f"{what}_malformed"] += 1
        return _NOWHERE
    if ranges is None:
        return _NOWHERE
    place = ranges.place(found)
    if place is None:
        trouble[f"{what}_{'outside_file' if ranges.encoding else 'not_placed'}"] += 1
        return _NOWHERE
    return place


def _is_name(symbol: str, raw: bytes, source: SourceText) -> bool:
    """Tell whether the bytes of a definition are its name; True where that cannot be told."""
    found = scip_symbol(symbol)
    if not raw or not found.kinds or found.kinds[-1] not in _NAMED_KINDS:
        return True
    return raw.decode(source.encoding, "replace").strip("'\"") == found.descriptors[-1]


def _is_canonical(path: str) -> bool:
    parts = path.split("/")
    return "\\" not in path and not {"", ".", ".."} & set(parts)


def _repeated(items: Iterator[str]) -> dict[str, int]:
    return {item: count - 1 for item, count in Counter(items).items() if count > 1}
