"""Concrete: the table of what LibCST saw, and a view of each kind of it.

The table is filled on request (`codelake build --with cst`), as a second opinion on the syntax.
"""

from __future__ import annotations

from codelake.semantic.catalog.files import evidence_part
from codelake.semantic.catalog.nested import nested_view
from codelake.semantic.ir import Dataset

_TABLE = "evidence_cst"

evidence_cst = evidence_part(_TABLE, "cst", "What LibCST saw in each file, as nested arrays.")


def _view(
    name: str,
    description: str,
    grain: str,
    key: tuple[str, ...],
    shape: str,
    array: str = "",
    position: str | None = None,
) -> Dataset:
    values = {position: position} if position else {}
    return nested_view(
        name,
        array or name,
        table=_TABLE,
        element="entry",
        description=description,
        grain=grain,
        key=key,
        with_columns={},
        shape=shape,
        values=values,
        position=position,
    )


DATASETS: tuple[Dataset, ...] = (
    evidence_cst,
    _view(
        "cst_parse_manifest",
        "How LibCST read each file.",
        "One row per file that it could read.",
        ("file_id",),
        "encoding default_indent default_newline has_trailing_newline future_imports module_name "
        "package_name libcst_version parsed_python_version",
        array="cst_manifest",
    ),
    _view(
        "cst_refs",
        "Names and attributes that LibCST saw.",
        "One row per reference.",
        ("file_id", "bstart", "bend", "kind"),
        "kind:ref_kind ref_text=text ref_context=context ref_scope_kind=scope_kind? "
        "ref_scope_name=scope_name? parent_kind bstart bend",
    ),
    _view(
        "cst_defs",
        "Functions and classes that LibCST saw.",
        "One row per definition.",
        ("file_id", "cst_def_no"),
        "cst_def_no kind:cst_def_kind name container_idx? bstart bend name_bstart name_bend qnames "
        "fqns docstring? decorator_count",
        position="cst_def_no",
    ),
    _view(
        "cst_imports",
        "Imported names that LibCST saw.",
        "One row per imported name.",
        ("file_id", "bstart"),
        "kind:import_kind module? level name:import_name? asname? is_star stmt_bstart stmt_bend "
        "bstart bend",
    ),
    _view(
        "cst_callsites",
        "Calls that LibCST saw, with the qualified names of what is called.",
        "One row per call.",
        ("file_id", "cst_call_no"),
        "cst_call_no bstart bend callee_bstart callee_bend callee_shape callee_text callee_dotted? "
        "arg_count callee_qnames callee_qname_sources callee_fqns",
        position="cst_call_no",
    ),
    _view(
        "cst_call_args",
        "Arguments of the calls that LibCST saw.",
        "One row per call and argument.",
        ("file_id", "call_idx", "idx"),
        "call_idx idx keyword? star? source_text=text bstart bend",
    ),
    _view(
        "cst_type_exprs",
        "Annotations that LibCST saw.",
        "One row per annotation.",
        ("file_id", "bstart", "type_role"),
        "owner_idx? annotated_name=name? type_role=role source_text=text bstart bend",
    ),
    _view(
        "cst_docstrings",
        "Docstrings that LibCST saw.",
        "One row per docstring.",
        ("file_id", "bstart"),
        "owner_idx? owner_kind docstring bstart bend",
    ),
    _view(
        "cst_decorators",
        "Decorators that LibCST saw.",
        "One row per decorator.",
        ("file_id", "bstart"),
        "owner_idx owner_kind idx source_text=text bstart bend",
    ),
    _view(
        "cst_parse_errors",
        "Files that LibCST could not read.",
        "One row per error.",
        ("file_id", "extractor", "error_type", "message", "bstart"),
        "extractor error_type message line? col? bstart? bend?",
        array="errors",
    ),
)
