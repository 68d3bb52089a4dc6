"""LibCST as a second reader; see concrete_tree.py. An optional extra."""
