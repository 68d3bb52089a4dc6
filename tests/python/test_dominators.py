"""Dominators and post-dominators against their definition, on random graphs and on large ones."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelake.extract.flow.control_dependence import block_dependences
from codelake.extract.flow.dominators import dominators, post_dominators
from timing import cpu_seconds

type Graph = list[list[int]]

LARGE = 200_000


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Any graph: irreducible, with unreachable nodes, self loops and parallel edges."""
    size = draw(st.integers(1, 9))
    node = st.integers(0, size - 1)
    return draw(st.lists(st.lists(node, max_size=3), min_size=size, max_size=size))


def reached(successors: Graph, root: int, without: int = -1) -> set[int]:
    """Return what a root reaches when one node is taken away."""
    found = {root} - {without}
    stack = list(found)
    while stack:
        for target in successors[stack.pop()]:
            if target not in found and target != without:
                found.add(target)
                stack.append(target)
    return found


def naive(successors: Graph, root: int) -> list[int]:
    """Return immediate dominators by definition: b needs a when a root without a misses b."""
    everything = reached(successors, root)
    above: dict[int, set[int]] = {node: set() for node in everything}
    for node in everything:
        for lost in everything - reached(successors, root, node) - {node}:
            above[lost].add(node)
    found = [-1] * len(successors)
    found[root] = root
    for node in everything - {root}:
        (found[node],) = (one for one in above[node] if above[node] == above[one] | {one})
    return found


@settings(max_examples=300, deadline=None)
@given(graphs())
def test_dominators_are_those_of_the_definition(graph: Graph) -> None:
    assert dominators(graph, 0) == naive(graph, 0)


@settings(max_examples=300, deadline=None)
@given(graphs())
def test_post_dominators_are_dominators_of_the_reversed_graph(graph: Graph) -> None:
    leave = len(graph) - 1
    post = post_dominators(graph, 0, leave)
    before = reached(graph, 0)
    backwards: Graph = [[] for _ in graph]
    for node in before:
        for target in graph[node]:
            backwards[target].append(node)
    # a virtual edge leaves each terminal component without the exit, once
    stuck = {node for node in before if leave not in reached(graph, node)}
    terminal = {
        frozenset(reached(graph, node))
        for node in stuck
        if all(node in reached(graph, other) for other in reached(graph, node))
    }
    assert len(post.virtual) == len(terminal)
    assert all(any(node in part for node in post.virtual) for part in terminal)
    for node in post.virtual:
        backwards[leave].append(node)
    assert post.immediate == naive(backwards, leave)
    assert all((post.immediate[node] >= 0) == (node in before | {leave}) for node in range(leave))


@settings(max_examples=300, deadline=None)
@given(graphs())
def test_control_dependence_is_that_of_the_definition(graph: Graph) -> None:
    leave = len(graph) - 1
    edges = [
        (node, target, str(n)) for node in range(len(graph)) for n, target in enumerate(graph[node])
    ]
    immediate = dominators(graph, 0)
    post = post_dominators(graph, 0, leave)
    found = block_dependences(edges, immediate, post.immediate, post.virtual)
    assert len(set(found)) == len(found)
    # w depends on u -> v: w post-dominates v, and w does not strictly post-dominate u
    expected = {
        (source, label, node)
        for source, target, label in edges
        if immediate[source] >= 0
        for node in _above(post.immediate, target, leave)
        if node == source or node not in _above(post.immediate, source, leave)
    }
    undecided = {
        (source, node)
        for source in post.virtual
        for node in range(len(graph))
        if all((source, label, node) in expected for one, _, label in edges if one == source)
    }
    assert set(found) == {row for row in expected if (row[0], row[2]) not in undecided}


def _above(post: list[int], node: int, leave: int) -> set[int]:
    """Return a node and its post-dominators; the exit decides nothing and is left out."""
    found = set()
    while node != leave:
        found.add(node)
        node = post[node]
    return found


SHAPES = {  # how to make a graph of n nodes, and the immediate dominator of its last node
    "chain": (lambda n: [[i + 1] for i in range(n - 1)] + [[]], LARGE - 2),
    "ladder": (lambda n: [[j for j in (i + 1, i + 2) if j < n] for i in range(n)], 0),
    "back": (lambda n: [[i + 1, max(0, i - 1)] for i in range(n - 1)] + [[]], LARGE - 2),
    "home": (lambda n: [[i + 1, 0] for i in range(n - 1)] + [[]], LARGE - 2),
    "star": (lambda n: [list(range(1, n - 1))] + [[n - 1]] * (n - 2) + [[]], 0),
}
QUICK = ("chain", "ladder")


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.prove) for name in SHAPES],
)
def test_large_graphs_take_linear_time(name: str) -> None:
    shape, last = SHAPES[name]
    small, large = shape(LARGE // 10), shape(LARGE)
    seconds = [cpu_seconds(partial(_both, graph)) for graph in (small, large)]
    assert seconds[1] < 30 * max(seconds[0], 0.02), (name, seconds)
    assert dominators(large, 0)[LARGE - 1] == last


def _both(graph: Graph) -> None:
    dominators(graph, 0)
    post_dominators(graph, 0, len(graph) - 1)
