"""Bytes -> facts: the second stage, one package per source of knowledge.

- parse.py: text -> Python's syntax tree, or the reason why there is none
- syntax/: the tree -> nodes, definitions and imports; numbers the nodes for all others
- symbols/: CPython's symbol table -> scopes, symbols, and what binds each name
- flow/: the tree -> flow graphs in evaluation order, dominators, control dependence
- data/: flow graphs and names -> which definition reaches which use
- facts/: the tree -> how each value comes about, for the resolver
- broken/: files that Python cannot parse -> a tree all the same; comments of any file
- bytecode/: compiled code -> instructions, blocks, stack uses (when asked for)
- concrete/: LibCST as a second reader (when asked for)
- scip/: an index of another tool -> occurrences and symbols (when given)
- file_evidence.py: files -> one Arrow batch of evidence rows
- isolation.py: the same in processes that a bad file may kill

Nothing of the code that is read is executed or imported.
"""
