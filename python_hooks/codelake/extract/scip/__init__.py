"""An index of another tool, read as evidence; see scip_index.py."""
