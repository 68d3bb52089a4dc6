"""Names: views of CPython's symbol table, of every occurrence of a name, and what they relate.

A BINDING is a name in the scope that binds it, a SCOPE what opens one. Whatever gives a name its
value BINDS it, and each use REFERS_TO it, whichever scope the use stands in.
"""

from __future__ import annotations

from codelake.semantic.catalog.nested import DEF_IDS, SCOPE_IDS, nested_view, node
from codelake.semantic.catalog.relations import Relation, Way
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
    with_columns={
        **DEF_IDS,
        **SCOPE_IDS,
        "scope_kinds": "symtable_scopes.kind",
        "scope_def_nos": "symtable_scopes.node_def_no",
        "scope_ordinals": "symtable_scopes.node_ordinal",
    },
    shape="scope_id scope_kind scope_node_id binding_id? name:symbol symbol_class=resolution "
    "binding_scope_id? is_referenced is_imported is_parameter is_type_parameter is_global "
    "is_nonlocal is_declared_global is_local is_annotated is_free is_assigned is_free_class "
    "is_comp_iter is_comp_cell is_namespace is_inlined namespaces",
    values={
        "scope_id": "scope_ids[entry.scope_no]",
        "scope_kind": "scope_kinds[entry.scope_no]",
        "scope_node_id": (
            "node_id(def_ids, scope_def_nos[entry.scope_no], scope_ordinals[entry.scope_no])"
        ),
        "binding_id": "optional_binding_id(scope_ids, entry.binding_scope_no, entry.name)",
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

_NO_PLACE = "cast(null as int)"
# the cells behind super() and the annotations of generic methods: no scope of symtable lists them
_NOT_CLASS_CELL = "not in ('__class__', '__classdict__')"
# scopes beside the body of one definition, which may capture what its body captures too
_BESIDE = "('type_parameters', 'type_alias', 'type_variable')"


def _way(source: Dataset, src: str, dst: str, when: str, label: str = "''") -> Way:
    return Way(source, src, dst, when=when, label=label, bstart=_NO_PLACE, bend=_NO_PLACE)


RELATIONS: tuple[Relation, ...] = (
    Relation(
        "rel_bindings",
        "BINDS",
        meaning="what gives a name its value -> BINDING.",
        example="`x = 1`: NAME x -> BINDING x; `def f(): ...`: FUNCTION f -> BINDING f",
        ways=(
            _way(
                symtable_names,
                "node_id",
                "binding_id",
                "context in ('store', 'parameter', 'import', 'definition') "
                f"and symbol {_NOT_CLASS_CELL}",
                label="symbol",
            ),
        ),
        origin="symtable",
        method="symbol_table",
    ),
    Relation(
        "rel_references",
        "REFERS_TO",
        meaning="name that is read or deleted -> BINDING, and the definitions that it may hold, "
        "as an attribute that is not called; "
        "with the label `decorated` the one it comes from when it holds what a decorator made.",
        example="`return f`: NAME f -> BINDING f, FUNCTION f",
        ways=(
            _way(
                symtable_names,
                "node_id",
                "binding_id",
                f"context in ('load', 'del') and symbol {_NOT_CLASS_CELL}",
                label="symbol",
            ),
        ),
        origin="symtable",
        method="symbol_table",
    ),
    Relation(
        "rel_captures",
        "CAPTURES",
        meaning="function, class or comprehension -> BINDING of an outer function that it uses; "
        "for type parameters and type aliases their SCOPE ->.",
        example="`def f(): x = 1; return lambda: x`: LAMBDA -> BINDING x",
        ways=(
            _way(
                symtable_symbols,
                f"if(scope_kind in {_BESIDE}, scope_id, scope_node_id)",
                "binding_id",
                f"symbol_class = 'free' and name {_NOT_CLASS_CELL}",
            ),
        ),
        origin="symtable",
        method="symbol_table",
    ),
    Relation(
        "rel_scope_nesting",
        "SCOPE_PARENT",
        meaning="SCOPE -> the scope around it.",
        example="`class C: def f(self): ...`: SCOPE f -> SCOPE C",
        ways=(_way(symtable_scopes, "scope_id", "parent_scope_id", "parent_scope_id is not null"),),
        origin="symtable",
        method="symbol_table",
    ),
)
