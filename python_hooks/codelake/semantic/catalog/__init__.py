"""The catalogue: what there is, and what relates to what.

    columns.py   what a column name means
    files.py     evidence, and views of files
    syntax.py    views of the syntax tree, and the relations read off it
    names.py     views of the symbol tables, and the relations of names
    flow.py      views of control and data flow, and their relations
    bytecode.py  compiled code, on request
    concrete.py  LibCST, on request
    texts.py     views of comments and of broken files
    repositories.py  repositories as a whole, and what they take from elsewhere
    scip.py      an index of another tool, on request
    resolution.py  answers across files, and their relations
    confidence.py  how often each method is right
    graph.py     cpg_nodes, cpg_edges
    props.py     properties by name, edges sorted by one end
    kinds.py     the vocabulary of both, as seeds
    surface.py   what people ask, as views over the graph
    surface_modules.py, surface_definitions.py, surface_values.py   likewise
    support.py   all that speaks for an edge, and where outside names come from
    symbols.py   what an index says
    checks.py    promises that a build must keep
    readers.py   who fills the evidence
    settings.py  what may be set for one build
    quality.py   coverage, ambiguity, anomalies

`catalogue()` puts the modules together; nothing registers itself.
"""

from __future__ import annotations

from codelake.semantic.catalog import (
    bytecode,
    checks,
    columns,
    concrete,
    confidence,
    files,
    flow,
    graph,
    kinds,
    names,
    props,
    quality,
    readers,
    repositories,
    resolution,
    scip,
    settings,
    support,
    surface,
    surface_definitions,
    surface_modules,
    surface_values,
    symbols,
    syntax,
    texts,
)
from codelake.semantic.catalog.relations import Relation, relation_dataset
from codelake.semantic.ir import Catalogue
from codelake.semantic.row_counts import ROW_COUNTS

RELATIONS: tuple[Relation, ...] = (
    *syntax.RELATIONS,
    *flow.RELATIONS,
    *names.RELATIONS,
    *resolution.RELATIONS,
    *symbols.RELATIONS,
)


def catalogue(relations: tuple[Relation, ...] = RELATIONS) -> Catalogue:
    """Return the whole catalogue.

    Args:
        relations: the relations that make up cpg_edges.
    """
    edge_kinds = tuple(kind for relation in relations for kind in relation.edge_kinds)
    return Catalogue(
        datasets=(
            kinds.graph_kinds(graph.NODE_KINDS, edge_kinds),
            *confidence.DATASETS,
            *files.DATASETS,
            *syntax.DATASETS,
            *names.DATASETS,
            *flow.DATASETS,
            *texts.DATASETS,
            *repositories.DATASETS,
            *scip.DATASETS,
            *bytecode.DATASETS,
            *concrete.DATASETS,
            *resolution.DATASETS,
            *map(relation_dataset, relations),
            graph.cpg_nodes(),
            graph.cpg_edges(relations),
            *props.DATASETS,
            *surface.DATASETS,
            *surface_modules.DATASETS,
            *surface_definitions.DATASETS,
            *surface_values.DATASETS,
            *support.DATASETS,
            *symbols.DATASETS,
            *checks.DATASETS,
            *quality.DATASETS,
        ),
        meanings=columns.MEANINGS,
        node_kinds=graph.NODE_KINDS,
        edge_kinds=edge_kinds,
        parameters=settings.PARAMETERS,
        extractors=readers.EXTRACTORS,
        row_counts=ROW_COUNTS,
    )
