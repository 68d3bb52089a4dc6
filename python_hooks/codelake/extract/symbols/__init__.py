"""CPython's symbol table -> scopes, symbols, and what binds each name; see symbol_table.py."""
