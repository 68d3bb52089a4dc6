"""Files that Python cannot parse: broken_tree.py over tree-sitter; comments.py for any file."""
