"""The product: cpg_nodes from all that has a place in a file, cpg_edges from all relations."""

from __future__ import annotations

from codelake.semantic.catalog.columns import columns
from codelake.semantic.catalog.relations import EDGE_COLUMNS, Relation
from codelake.semantic.catalog.syntax import IS_TYPE, ast_nodes
from codelake.semantic.ir import Aggregate, Dataset, Kind, Op, Project, Relate, Source, Union, Write

_NODE_COLUMNS = columns(
    "node_id node_kind syntax? name? qualified_name? repo path file_id? owner_id? bstart? bend? "
    "line? end_line? col? end_col? ordinal? attrs? origin"
)
_NODE_NULLS = {c.name: f"cast(null as {c.type})" for c in _NODE_COLUMNS if c.nullable}
EDGE_TABLE_COLUMNS = columns(
    "edge_id edge_kind src_node_id dst_node_id label ordinal:edge_ordinal? repo path file_id "
    "bstart? bend? origin method confidence score? rank? ambiguity_group_id? attrs?"
)

NODE_KINDS: tuple[Kind, ...] = (
    Kind("REPOSITORY", "a repository; it has no file and no span", "the folder given as REPO"),
    Kind("FILE", "a file, whether or not it could be read", "`pkg/mod.py`"),
    Kind("MODULE", "the definition that a file is", "the top level of `pkg/mod.py`"),
    Kind("CLASS", "a class definition", "`class C: ...`"),
    Kind("FUNCTION", "a function or method definition", "`def f(): ...`"),
    Kind("LAMBDA", "an unnamed function", "`lambda x: x`"),
    Kind("COMPREHENSION", "a comprehension or generator expression", "`[x for x in y]`"),
    Kind("PARAMETER", "a parameter of a function or lambda", "`x` in `def f(x): ...`"),
    Kind("ENTRY", "where the flow graph of a definition begins", "before the body of `f`"),
    Kind("EXIT", "where it ends, by return or by falling off", "after the body of `f`"),
    Kind("CALL", "a call", "`f(x)`"),
    Kind("NAME", "a name that is read, written or deleted", "`x`"),
    Kind("ATTRIBUTE", "an attribute of an expression", "`a.b`"),
    Kind("SUBSCRIPT", "an item or slice of an expression", "`a[0]`"),
    Kind("LITERAL", "a constant, or a display of a collection", "`1`, `[a, b]`"),
    Kind("OPERATOR", "an operation on expressions", "`a + b`, `not a`, `a if b else c`"),
    Kind("STATEMENT", "a statement that is no definition or import", "`return x`"),
    Kind("IMPORT", "one name that an import statement brings in", "`import os`"),
    Kind("DECORATOR", "a decorator of a definition", "`@cache`"),
    Kind("DOCSTRING", "the docstring of a definition", '`"""Do it."""`'),
    Kind("COMMENT", "a comment, or a mark for a tool in one", "`# noqa: E501`"),
    Kind("TYPE_EXPR", "an annotation; `syntax` tells what is written", "`int` in `x: int`"),
    Kind("FIELD", "an attribute that a class or its methods give", "`Cart.total`"),
    Kind("EXTERNAL", "a name outside all repositories", "`os.path.join`"),
    Kind("SCIP_SYMBOL", "what an index has a name for", "``pkg 1.0 `p.m`/get().``"),
    Kind("DIAGNOSTIC", "what an extractor could not read", "a file that is no Python"),
    Kind("SCOPE", "what opens a scope of names", "the names of `def f(): ...`"),
    Kind("BINDING", "a name in the scope that binds it", "`x` of `f` in `def f(x): ...`"),
)


def cpg_nodes() -> Dataset:
    """Return the node table."""
    repositories = Project(
        "repository_nodes",
        Aggregate("repositories", Source("repo_files"), by=("repository_id", "repo")),
        _node(
            {
                "node_id": "repository_id",
                "node_kind": "'REPOSITORY'",
                "name": "repo",
                "path": "''",
                "origin": "'scan'",
            }
        ),
    )
    files = Project(
        "file_nodes",
        Source("repo_files"),
        _node(
            {
                "node_id": "file_id",
                "node_kind": "'FILE'",
                "name": "substring_index(path, '/', -1)",
                "file_id": "file_id",
                "bstart": "0",
                "bend": "cast(size_bytes as int)",
                "attrs": (
                    "map('sha256', file_sha256, 'encoding', encoding, 'newline', newline, "
                    "'module_name', module_name, 'is_package', cast(is_package as string), "
                    "'is_test', cast(is_test as string), "
                    "'is_generated', cast(is_generated as string))"
                ),
                "origin": "'scan'",
            }
        ),
    )
    seen = {c.name for c in ast_nodes.columns}
    syntax = Project(
        "syntax_nodes",
        Source("ast_nodes"),
        _node(
            {
                **{c.name: c.name for c in _NODE_COLUMNS if c.name in seen},
                "owner_id": "nullif(owner_id, node_id)",
                "node_kind": f"if({IS_TYPE}, 'TYPE_EXPR', kind)",
            }
        ),
    )
    scopes = Project(
        "scope_nodes",
        Source("symtable_scopes"),
        _node(
            {
                "node_id": "scope_id",
                "node_kind": "'SCOPE'",
                "name": "name",
                "file_id": "file_id",
                "owner_id": "node_id",
                "line": "line",
                "attrs": "map('scope_kind', kind)",
                "origin": "'symtable'",
            }
        ),
    )
    bindings = Project(
        "binding_nodes",
        Source("symtable_symbols"),
        _node(
            {
                "node_id": "binding_id(scope_id, name)",
                "node_kind": "'BINDING'",
                "name": "name",
                "file_id": "file_id",
                "owner_id": "scope_node_id",
                "attrs": "map('symbol_class', symbol_class)",
                "origin": "'symtable'",
            }
        ),
        where="binding_scope_id = scope_id",
    )
    externals = Project(
        "external_nodes",
        Aggregate(
            "externals_of_lake",
            Source("externals_seen"),
            by=("node_id", "outside_name"),
        ),
        _node(
            {
                "node_id": "node_id",
                "node_kind": "'EXTERNAL'",
                "name": "substring_index(outside_name, '.', -1)",
                "qualified_name": "outside_name",
                "repo": "''",
                "path": "''",
                "origin": "'resolver'",
            }
        ),
    )
    fields = Project(
        "field_nodes",
        Source("resolved_fields"),
        _node(
            {
                "node_id": "node_id",
                "node_kind": "'FIELD'",
                "name": "name",
                "qualified_name": "qualified_name",
                "file_id": "file_id",
                "owner_id": "class_id",
                "origin": "'resolver'",
            }
        ),
    )
    symbols = Project(
        "symbol_nodes",
        Source("symbols_seen"),
        _node(
            {
                "node_id": "node_id",
                "node_kind": "'SCIP_SYMBOL'",
                "name": "scip_symbol",
                "repo": "''",
                "path": "''",
                "origin": "'scip'",
            }
        ),
    )
    comments = Project(
        "comment_nodes",
        Source("comments"),
        _node(
            {
                **{name: name for name in ("file_id", "bstart", "bend", "line", "col", "end_col")},
                "node_id": "comment_id(file_id, kind, comment_text, repeat_no)",
                "node_kind": "'COMMENT'",
                "syntax": "kind",
                "end_line": "line",
                "attrs": "map('text', comment_text)",
                "origin": "'tokens'",
            }
        ),
    )
    diagnostics = Project(
        "diagnostic_nodes",
        Source("extract_errors"),
        _node(
            {
                **{name: name for name in ("file_id", "bstart", "bend", "line", "col")},
                "node_id": "diagnostic_id(file_id, extractor, error_type, message, bstart)",
                "node_kind": "'DIAGNOSTIC'",
                "syntax": "error_type",
                "attrs": "map('message', message)",
                "origin": "extractor",
            }
        ),
    )
    return Dataset(
        "cpg_nodes",
        layer="cpg",
        description="Typed nodes of the graph, each with its exact span.",
        grain="One row per node_id.",
        key=("node_id",),
        columns=_NODE_COLUMNS,
        rows=Union(
            "graph_nodes",
            (
                *(repositories, files, syntax, *_ends(), scopes, bindings),
                *(fields, comments, diagnostics, externals, symbols),
            ),
        ),
        write=Write("replace_by_key", key="file_id"),
        constraints=(("span_is_forward", "bstart is null or bstart <= bend"),),
    )


def _ends() -> tuple[Project, ...]:
    """Return the nodes where a flow graph begins and ends."""
    return tuple(
        Project(
            f"{kind.lower()}_nodes",
            Source("flow_units"),
            _node(
                {
                    "node_id": f"{kind.lower()}_id",
                    "node_kind": f"'{kind}'",
                    "file_id": "file_id",
                    "owner_id": "unit_id",
                    "origin": "'flow'",
                }
            ),
        )
        for kind in ("ENTRY", "EXIT")
    )


def _node(given: dict[str, str]) -> dict[str, str]:
    """Fill a node's columns: as given, else null where that is allowed, else the same name."""
    return {c.name: given.get(c.name, _NODE_NULLS.get(c.name, c.name)) for c in _NODE_COLUMNS}


def cpg_edges(relations: tuple[Relation, ...]) -> Dataset:
    """Return the edge table over all relations."""
    found: tuple[Op, ...] = tuple(Source(r.name, r.place) for r in relations)
    taken = {c.name: c.name for c in EDGE_COLUMNS}
    own = {
        "edge_id": "edge_id(edge_kind, src_node_id, dst_node_id, label)",
        # a method that nobody measured breaks the constraint below
        "confidence": "coalesce(precision, cast(-1 as double))",
        "score": "precision / rank",
    }
    return Dataset(
        "cpg_edges",
        layer="cpg",
        description="Typed edges of the graph, each with its origin and confidence.",
        grain="One row per edge_kind, src_node_id, dst_node_id and label.",
        key=("edge_id",),
        columns=EDGE_TABLE_COLUMNS,
        rows=Project(
            "graph_edges",
            Relate(
                "measured_relations",
                Union("relations", found),
                Source("edge_methods"),
                on=(("method", "method"),),
                how="left",
                take=("precision",),
            ),
            {
                c.name: own.get(c.name, taken.get(c.name, f"cast(null as {c.type})"))
                for c in EDGE_TABLE_COLUMNS
            },
        ),
        write=Write("replace_by_key", key="file_id"),
        constraints=(("confidence_is_a_share", "confidence between 0 and 1"),),
    )
