"""SCIP: the table of what an index of another tool says, and a view of each kind of it.

The table is filled on request (`codelake build --scip PATH`). Documents of an index are its rows;
one more, without a document, is the index itself. Ranges are bytes of the file as it is now.
"""

from __future__ import annotations

from codelake.semantic.catalog.files import gathered
from codelake.semantic.catalog.nested import nested_view
from codelake.semantic.ir import Dataset, Source

_TABLE = "evidence_scip"
_INDEX = {"repo": "repo", "repository_id": "repository_id", "index_sha256": "index_sha256"}
_DOCUMENT = {
    "repo": "repo",
    "path?": "path",
    "file_id?": "file_id",
    "document_idx?": "document_idx",
}
_OF_FILE = {name.rstrip("?"): value for name, value in _DOCUMENT.items()}
_IN_FILE = "path is not null and file_id is not null and document_idx is not null"

evidence_scip = gathered(
    _TABLE,
    "scip",
    description="What a SCIP index says of each file, as nested arrays.",
    grain="One row per document of an index, and one per index.",
    key=("repo", "document_idx"),
    reads=(Source("evidence"),),
)


def _view(
    name: str,
    array: str,
    description: str,
    grain: str,
    shape: str,
    key: tuple[str, ...] = ("repo", "document_idx", "item_no"),
    of: dict[str, str] = _DOCUMENT,
    position: str | None = None,
    where: str | None = None,
) -> Dataset:
    return nested_view(
        name,
        f"scip_{array}",
        table=_TABLE,
        of=of,
        element="entry",
        description=description,
        grain=grain,
        key=key,
        with_columns={},
        shape=shape,
        values={position: position} if position else {},
        position=position,
        where=where,
    )


DATASETS: tuple[Dataset, ...] = (
    evidence_scip,
    _view(
        "scip_metadata",
        "metadata",
        "Who made an index.",
        "One row per index.",
        "protocol_version tool_name tool_version tool_arguments project_root "
        "text_document_encoding=text_document_encoding?",
        key=("repo",),
        of=_INDEX,
    ),
    _view(
        "scip_index_stats",
        "stats",
        "What an index holds, in numbers.",
        "One row per index.",
        "documents occurrences definitions symbols external_symbols relationships diagnostics "
        "documents_with_text documents_without_encoding assumed_on_wide_lines corrupt_pieces",
        key=("repo",),
        of=_INDEX,
    ),
    _view(
        "scip_documents",
        "documents",
        "Documents of an index; file_id is null where the repository has no such file.",
        "One row per document.",
        "language position_encoding encoding_used=encoding_used? is_in_repository=in_repository "
        "occurrence_count definition_count symbol_count",
        key=("repo", "document_idx"),
        of={**_DOCUMENT, "index_sha256": "index_sha256"},
    ),
    _view(
        "scip_occurrences",
        "occurrences",
        "Places where an index sees a symbol.",
        "One row per occurrence in a file.",
        "item_no=idx scip_symbol=symbol? symbol_roles is_definition is_import is_write is_read "
        "is_generated_code=is_generated is_test_code=is_test is_forward_definition "
        "syntax_kind=syntax_kind? override_documentation range_raw bstart=bstart? bend=bend? "
        "enclosing_range_raw enclosing_bstart=enclosing_bstart? enclosing_bend=enclosing_bend?",
        of=_OF_FILE,
        where=_IN_FILE,
    ),
    _view(
        "scip_symbol_information",
        "symbols",
        "Symbols that an index describes; those of other packages have no document.",
        "One row per symbol and document.",
        "item_no scip_symbol=symbol is_external symbol_kind_no=kind symbol_kind=kind_name? "
        "display_name=display_name? enclosing_symbol=enclosing_symbol? documentation "
        "signature_text=signature_text? signature_language=signature_language? relationship_count",
        position="item_no",
    ),
    _view(
        "scip_symbol_names",
        "symbol_names",
        "The parts that the names of symbols consist of.",
        "One row per document and symbol that occurs in it.",
        "scip_symbol=symbol scheme manager scip_package=package scip_version=version "
        "local_name=local_id? descriptors descriptor_kinds disambiguators symbol_error=error?",
        key=("repo", "document_idx", "scip_symbol"),
    ),
    _view(
        "scip_symbol_relationships",
        "relationships",
        "Symbols that refer to, implement, define or type other symbols.",
        "One row per pair and document.",
        "item_no scip_symbol=symbol related_symbol is_reference is_implementation "
        "is_type_definition is_definition",
        position="item_no",
    ),
    _view(
        "scip_diagnostics",
        "diagnostics",
        "What the maker of an index had to say about a place.",
        "One row per diagnostic in a file.",
        "item_no scip_symbol=symbol? severity_no=severity severity=severity_name? "
        "diagnostic_code=code? diagnostic_text=message diagnostic_source=source? tags "
        "bstart=bstart? bend=bend?",
        of=_OF_FILE,
        position="item_no",
        where=_IN_FILE,
    ),
    _view(
        "scip_index_health",
        "health",
        "What an index promises and does not keep.",
        "One row per finding.",
        "item_no=idx check_name severity=severity? findings=count health_text=text",
    ),
)
