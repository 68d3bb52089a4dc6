"""Names: views of CPython's symbol table, and of every occurrence of a name."""

from __future__ import annotations

from codelake.semantic.catalog.nested import DEF_IDS, SCOPE_IDS, nested_view, node
from codelake.semantic.ir import Dataset

symtable_scopes = nested_view(
    "symtable_scopes",
    "symtable_scopes",
    element="scope",
    description="Scopes of CPython's symbol table, and those it leaves out.",
    grain="One row per scope.",
    key=("scope_id",),
    with_columns={**DEF_IDS, **SCOPE_IDS},
    position="scope_no",
    shape="scope_id scope_no parent_scope_id? node_id kind:scope_kind name:scope_name scope_path "
    "line is_nested is_optimized has_children is_inlined is_text parameters? locals? globals? "
    "nonlocals? frees? methods?",
    values={
        "scope_no": "scope_no",
        "parent_scope_id": "scope_ids[scope.parent_scope_no]",
        "node_id": node("scope.node"),
    },
)

symtable_symbols = nested_view(
    "symtable_symbols",
    "symtable_symbols",
    element="entry",
    description="Names of each scope, with the flags of CPython's symbol table.",
    grain="One row per scope and name.",
    key=("scope_id", "name"),
    with_columns=SCOPE_IDS,
    shape="scope_id name:symbol symbol_class=resolution binding_scope_id? is_referenced "
    "is_imported is_parameter is_type_parameter is_global is_nonlocal is_declared_global is_local "
    "is_annotated is_free is_assigned is_free_class is_comp_iter is_comp_cell is_namespace "
    "is_inlined namespaces",
    values={
        "scope_id": "scope_ids[entry.scope_no]",
        "binding_scope_id": "scope_ids[entry.binding_scope_no]",
    },
)

symtable_names = nested_view(
    "symtable_names",
    "symtable_names",
    element="entry",
    description="Every occurrence of a name, with the scope that binds it as CPython does.",
    grain="One row per node and name.",
    key=("node_id", "name"),
    with_columns={**DEF_IDS, **SCOPE_IDS},
    shape="node_id name symbol scope_id context resolution binding_scope_id? binding_id? "
    "is_evaluated",
    values={
        "node_id": node("entry.node"),
        "scope_id": "scope_ids[entry.scope_no]",
        "binding_scope_id": "scope_ids[entry.binding_scope_no]",
        "binding_id": "optional_binding_id(scope_ids, entry.binding_scope_no, entry.symbol)",
    },
)

DATASETS: tuple[Dataset, ...] = (symtable_scopes, symtable_symbols, symtable_names)
