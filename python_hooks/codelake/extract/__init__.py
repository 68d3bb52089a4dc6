"""Bytes -> facts: the second stage, one module per source of knowledge.

- parse.py: text -> Python's syntax tree, or the reason why there is none
- node_kinds.py: each class of the tree -> kind, name and attributes of its node
- node_children.py: each class of the tree -> its children in source order
- signatures.py: the header of a definition -> signature and name span
- syntax_tree.py: the walk that makes nodes, definitions and imports
- file_evidence.py: files -> one Arrow batch of evidence rows

Nothing of the code that is read is executed or imported.
"""
