"""Flow graphs in evaluation order: control_flow.py, then dominators.py, control_dependence.py."""
