"""Syntax: views of what the parser saw, and the relations that are read off the tree.

An address in a file is (def_no, ordinal); the views turn it into ids. The relations need no
judgement, so their confidence is 1.
"""

from __future__ import annotations

from codelake.semantic.catalog.columns import columns
from codelake.semantic.catalog.files import extract_errors, repo_files
from codelake.semantic.catalog.relations import Relation, Way
from codelake.semantic.ir import Aggregate, Dataset, Explode, Project, Relate, Source

_FILE = {"repo": "repo", "path": "path", "file_id": "file_id"}
_SPAN = ("bstart", "bend", "line", "end_line", "col", "end_col")
IS_TYPE = "slot in ('annotation', 'returns')"

_AROUND = "if(kind = 'LAMBDA', owner_id, definition_id)"
"""The definition that returns, yields or raises a node; a lambda is a definition of its own."""

_SYNTAX_ERROR = "get(filter(errors, error -> error.extractor in ('ast', 'decode')), 0)"

ast_files = Dataset(
    "ast_files",
    layer="evidence",
    description="Who parsed each file, how much is in it, and the syntax error if there is one.",
    grain="One row per file.",
    key=("file_id",),
    columns=columns(
        "repo path file_id module_name python_version parser? is_whole node_count "
        "definition_count:defined_count import_count error_type? message? line? col? bstart? bend?"
    ),
    rows=Project(
        "parsed_files",
        Project(
            "syntax_of_files",
            Source("evidence"),
            {
                **_FILE,
                **{name: name for name in ("module_name", "python_version", "parser")},
                "node_count": "cast(size(ast_nodes) as bigint)",
                "definition_count": "cast(size(ast_defs) as bigint)",
                "import_count": "cast(size(ast_imports) as bigint)",
                "error": _SYNTAX_ERROR,
            },
            note="the first error of whoever decodes or parses",
        ),
        {
            **_FILE,
            **{name: name for name in ("module_name", "python_version", "parser")},
            "is_whole": "coalesce(parser = 'ast', false)",
            **{f"{name}_count": f"{name}_count" for name in ("node", "definition", "import")},
            **{
                name: f"error.{name}"
                for name in ("error_type", "message", "line", "col", "bstart", "bend")
            },
        },
    ),
)

ast_nodes = Dataset(
    "ast_nodes",
    layer="evidence",
    description="Nodes of the syntax tree, with the definition, parent and call they belong to.",
    grain="One row per node.",
    key=("node_id",),
    columns=columns(
        "repo path file_id node_id owner_id definition_id parent_id? parent_syntax? call_id? kind "
        "syntax name? qualified_name? slot? idx? keyword? ordinal bstart bend line end_line col "
        "end_col attrs? origin"
    ),
    rows=Project(
        "nodes",
        Explode(
            "nodes_exploded",
            Project(
                "nodes_of_files",
                Source("evidence"),
                {
                    **_FILE,
                    "def_ids": "ast_defs.def_id",
                    "def_names": "ast_defs.qualified_name",
                    "ast_nodes": "ast_nodes",
                    "parser": "parser",
                },
                note="the arrays that are exploded or looked into, and nothing else",
            ),
            "ast_nodes",
            element="node",
        ),
        {
            **_FILE,
            "node_id": "node_id(def_ids, node.def_no, node.ordinal)",
            "owner_id": "def_ids[node.owner_no]",
            "definition_id": "def_ids[node.def_no]",
            "parent_id": "optional_node_id(def_ids, node.parent_def_no, node.parent_ordinal)",
            "parent_syntax": "node.parent_syntax",
            "call_id": "optional_node_id(def_ids, node.parent_def_no, node.call_ordinal)",
            "kind": "node.kind",
            "syntax": "node.syntax",
            "name": "node.name",
            "qualified_name": "case when node.ordinal = 0 then def_names[node.def_no] end",
            "slot": "node.slot",
            "idx": "node.idx",
            "keyword": "node.keyword",
            "ordinal": "node.ordinal",
            **{name: f"node.{name}" for name in _SPAN},
            "attrs": "node.attrs",
            "origin": "coalesce(parser, 'scan')",
        },
    ),
)

ast_defs = Dataset(
    "ast_defs",
    layer="evidence",
    description="Definitions: modules, classes, functions and lambdas.",
    grain="One row per definition.",
    key=("def_id",),
    columns=columns(
        "repo path file_id def_id parent_id? def_no kind name qualified_name def_path redefinition "
        "is_async signature? returns? name_bstart? name_bend?"
    ),
    rows=Project(
        "defs",
        Explode(
            "defs_exploded",
            Project(
                "defs_of_files",
                Source("evidence"),
                {**_FILE, "def_ids": "ast_defs.def_id", "ast_defs": "ast_defs"},
            ),
            "ast_defs",
            element="definition",
            position="def_no",
        ),
        {
            **_FILE,
            "def_id": "definition.def_id",
            "parent_id": "def_ids[definition.parent_def_no]",
            "def_no": "def_no",
            "kind": "definition.kind",
            "name": "definition.name",
            "qualified_name": "definition.qualified_name",
            "def_path": "definition.def_path",
            "redefinition": "definition.redefinition",
            "is_async": "definition.is_async",
            "signature": "definition.signature",
            "returns": "definition.returns",
            "name_bstart": "definition.name_bstart",
            "name_bend": "definition.name_bend",
        },
    ),
)

ast_imports = Dataset(
    "ast_imports",
    layer="evidence",
    description="Names that import statements bring in, as written.",
    grain="One row per imported name.",
    key=("import_id",),
    columns=columns(
        "repo path file_id import_id owner_id kind:import_kind module? name:import_name? asname? "
        "level is_star"
    ),
    rows=Project(
        "imports",
        Explode(
            "imports_exploded",
            Project(
                "imports_of_files",
                Source("evidence"),
                {**_FILE, "def_ids": "ast_defs.def_id", "ast_imports": "ast_imports"},
            ),
            "ast_imports",
            element="import_entry",
        ),
        {
            **_FILE,
            "import_id": "node_id(def_ids, import_entry.def_no, import_entry.ordinal)",
            "owner_id": "def_ids[import_entry.def_no]",
            "kind": "import_entry.kind",
            "module": "import_entry.module",
            "name": "import_entry.name",
            "asname": "import_entry.asname",
            "level": "import_entry.level",
            "is_star": "import_entry.is_star",
        },
    ),
)

_PARTS = "size(split(module_name, '[.]')) + cast(is_package as int) - level"

python_imports = Dataset(
    "python_imports",
    layer="evidence",
    description="What files import, each once, with relative modules made absolute.",
    grain="One row per file, kind, module, name, asname and level.",
    key=("file_id", "kind", "module", "name", "asname", "level"),
    columns=columns(
        "repo path file_id origin kind:import_kind module? name:import_name? asname? level is_star "
        "absolute_module?"
    ),
    rows=Project(
        "imports_resolved",
        Aggregate(
            "imports_once",
            Relate(
                "imports_of_modules",
                Source("ast_imports"),
                Source("repo_files"),
                on=(("file_id", "file_id"),),
                take=("module_name", "is_package", "parser"),
            ),
            by=(
                *("repo", "path", "file_id", "kind", "module", "name", "asname", "level"),
                *("is_star", "module_name", "is_package", "parser"),
            ),
        ),
        {
            **{c: c for c in ("repo", "path", "file_id")},
            "origin": "coalesce(parser, 'scan')",
            **{c: c for c in ("kind", "module", "name", "asname", "level", "is_star")},
            "absolute_module": (
                "case when level = 0 then module "
                f"when {_PARTS} > 0 "
                f"then concat_ws('.', substring_index(module_name, '.', {_PARTS}), module) end"
            ),
        },
    ),
)

DATASETS: tuple[Dataset, ...] = (ast_files, ast_nodes, ast_defs, ast_imports, python_imports)


RELATIONS: tuple[Relation, ...] = (
    Relation(
        "rel_syntax_tree",
        "AST",
        meaning="parent -> child in the syntax tree; the label is the slot.",
        example="`a + b`: OPERATOR -left-> NAME a",
        ways=(Way(ast_nodes, "parent_id", "node_id", label="coalesce(slot, '')", ordinal="idx"),),
    ),
    Relation(
        "rel_containment",
        "CONTAINS",
        meaning="repository -> file -> module -> class or function -> what is defined in it.",
        example="`class C: def f(self): ...`: CLASS C -> FUNCTION f",
        ways=(
            Way(
                repo_files,
                "repository_id",
                "file_id",
                bstart="0",
                bend="cast(size_bytes as int)",
                name="files_in_repositories",
                origin="scan",
                method="scan",
            ),
            Way(
                ast_nodes,
                "file_id",
                "node_id",
                when="kind = 'MODULE'",
                name="modules_in_files",
            ),
            Way(
                ast_nodes,
                "owner_id",
                "node_id",
                when="kind in ('CLASS', 'FUNCTION', 'LAMBDA', 'COMPREHENSION')",
                name="definitions_in_owners",
            ),
        ),
    ),
    Relation(
        "rel_arguments",
        "ARGUMENT",
        meaning="call -> argument, in order; the label is the keyword.",
        example="`f(1, key=x)`: CALL f -key-> NAME x",
        ways=(
            Way(
                ast_nodes,
                "parent_id",
                "node_id",
                when="parent_syntax = 'Call' and slot in ('args', 'keywords')",
                label="coalesce(keyword, '')",
                ordinal="idx",
            ),
        ),
    ),
    Relation(
        "rel_receivers",
        "RECEIVER",
        meaning="call -> the expression whose attribute is called.",
        example="`a.b.c()`: CALL -> ATTRIBUTE a.b",
        ways=(Way(ast_nodes, "call_id", "node_id"),),
    ),
    Relation(
        "rel_conditions",
        "CONDITION",
        meaning="statement or expression -> the condition that it tests; the label is the slot.",
        example="`if ready: go()`: STATEMENT if -test-> NAME ready",
        ways=(
            Way(
                ast_nodes,
                "parent_id",
                "node_id",
                when="slot in ('ifs', 'guard') or slot = 'test' "
                "and parent_syntax in ('If', 'While', 'IfExp', 'Assert')",
                label="slot",
            ),
        ),
    ),
    Relation(
        "rel_decorations",
        "DECORATES",
        meaning="decorator -> the definition it decorates.",
        example="`@cache` above `def f()`: DECORATOR cache -> FUNCTION f",
        ways=(Way(ast_nodes, "node_id", "parent_id", when="kind = 'DECORATOR'", ordinal="idx"),),
    ),
    Relation(
        "rel_documentation",
        "DOCUMENTS",
        meaning="docstring -> the definition it describes.",
        example='`def f(): "Do it."`: DOCSTRING -> FUNCTION f',
        ways=(Way(ast_nodes, "node_id", "definition_id", when="kind = 'DOCSTRING'"),),
    ),
    Relation(
        "rel_diagnostics",
        "HAS_DIAGNOSTIC",
        meaning="file -> what an extractor could not read in it.",
        example="`def f(:`: FILE -> DIAGNOSTIC SyntaxError",
        ways=(
            Way(
                extract_errors,
                "file_id",
                "diagnostic_id(file_id, extractor, error_type, message, bstart)",
                values={"origin": "extractor"},
            ),
        ),
    ),
    Relation(
        "rel_annotations",
        "ANNOTATED",
        meaning="parameter, function or annotated assignment -> its TYPE_EXPR.",
        example="`def f(x: int): ...`: PARAMETER x -> TYPE_EXPR int",
        ways=(Way(ast_nodes, "parent_id", "node_id", when=IS_TYPE, label="coalesce(slot, '')"),),
    ),
    Relation(
        "rel_returns",
        "RETURNS",
        meaning="returned expression -> the function that returns it.",
        example="`def f(): return x`: NAME x -> FUNCTION f",
        ways=(
            Way(
                ast_nodes,
                "node_id",
                _AROUND,
                when="parent_syntax = 'Return' or parent_syntax = 'Lambda' and slot = 'body'",
            ),
        ),
    ),
    Relation(
        "rel_yields",
        "YIELDS",
        meaning="yielded expression -> the generator; the label tells `yield from`.",
        example="`def f(): yield x`: NAME x -> FUNCTION f",
        ways=(
            Way(
                ast_nodes,
                "node_id",
                _AROUND,
                when="parent_syntax in ('Yield', 'YieldFrom')",
                label="if(parent_syntax = 'YieldFrom', 'from', '')",
            ),
        ),
    ),
    Relation(
        "rel_raises",
        "RAISES",
        meaning="raised expression -> the definition that raises it.",
        example="`def f(): raise E()`: CALL E -> FUNCTION f",
        ways=(
            Way(
                ast_nodes,
                "node_id",
                _AROUND,
                when="parent_syntax = 'Raise' and slot = 'exc'",
            ),
        ),
    ),
)
