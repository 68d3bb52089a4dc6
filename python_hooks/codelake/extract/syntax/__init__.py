"""Python's syntax tree -> nodes, definitions and imports.

- syntax_tree.py: the walk that makes them, and numbers the nodes
- node_kinds.py: each class of the tree -> kind, name and attributes of its node
- node_children.py: each class of the tree -> its children in source order
- signatures.py: the header of a definition -> signature and name span
"""
