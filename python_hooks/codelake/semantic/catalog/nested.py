"""Views over one array of the evidence table: each element a row, its addresses turned into ids.

nested_view("symtable_names", array="symtable_names", element="entry", ...,
            values={"node_id": node("entry.node"), "name": "entry.name"})
"""

from __future__ import annotations

from collections.abc import Mapping

from codelake.semantic.catalog.columns import columns
from codelake.semantic.ir import Dataset, Explode, Project, Source, here

FILE = {"repo": "repo", "path": "path", "file_id": "file_id"}
DEF_IDS = {"def_ids": "ast_defs.def_id"}
SCOPE_IDS = {"scope_ids": "symtable_scopes.scope_id"}


def node(address: str) -> str:
    """Return the id of the node whose address the fields `<address>_def_no` and so on hold."""
    return f"node_id(def_ids, {address}_def_no, {address}_ordinal)"


def optional_node(address: str) -> str:
    """Return the same for an address that may be null."""
    return f"optional_node_id(def_ids, {address}_def_no, {address}_ordinal)"


def nested_view(
    name: str,
    array: str,
    *,
    element: str,
    description: str,
    grain: str,
    key: tuple[str, ...],
    shape: str,
    values: Mapping[str, str],
    with_columns: Mapping[str, str] = DEF_IDS,
    table: str = "evidence",
    layer: str = "evidence",
    of: Mapping[str, str] = FILE,
    position: str | None = None,
    where: str | None = None,
) -> Dataset:
    """Return the view of an array.

    Args:
        name: the dataset.
        array: the column of the evidence table.
        element: what one element is called in `values`.
        description: what a row is.
        grain: what there is one row of.
        key: columns that tell rows apart.
        shape: the columns after those of the file, as for `columns`; `name=field` where the
            field of the element has another name.
        values: the expression of each; that field where none is given.
        with_columns: columns of the file that the values look into.
        table: the table that holds the array.
        layer: where the view belongs.
        of: columns of that table that each row repeats; a name that may be null ends with `?`.
        position: name for the place in the array.
        where: which elements to take.
    """
    words = [word.partition("=") for word in shape.split()]
    fields = [field.rstrip("?") for _, _, field in words]
    declared = columns(" ".join([*of, *map(_column, words)]))
    repeated = {name.rstrip("?"): value for name, value in of.items()}
    taken = {**repeated, **with_columns, array: array}
    own = {
        column.name: values.get(column.name, f"{element}.{field or column.name}")
        for column, field in zip(declared[len(of) :], fields, strict=True)
    }
    place = here(outside=__file__)
    step = f"{array}_of_files" if of is FILE else f"{array}_of_{table}"
    held = Project(step, Source(table, place), taken, place=place)
    exploded = Explode(f"{array}_exploded", held, array, element, position, place)
    return Dataset(
        name,
        layer=layer,
        description=description,
        grain=grain,
        key=key,
        columns=declared,
        rows=Project(f"{name}_seen", exploded, {**repeated, **own}, where, place=place),
        place=place,
    )


def _column(word: tuple[str, str, str]) -> str:
    name, _, field = word
    return f"{name}?" if field.endswith("?") else name
