"""Compiled code -> units, instructions, blocks and stack uses; see bytecode.py."""
