"""Resolution: what names, values, calls and types mean across the files of a repository.

file_facts.py  load.py          what goes in, and how it is made from source texts
module_index.py  module_values.py   modules, imports, exports
bodies.py  guards.py  narrowing.py  steps of a definition, names settled inside a file
solver.py  objects.py  state.py     variables, objects, and all that is known
frames.py  contexts.py  constraints.py   a definition in a context -> constraints
attributes.py  fields.py  class_table.py  operations.py  calls.py   what values do
known_types.py  known_calls.py  known_classes.py   builtins and the standard library
annotations.py  narrowed.py  seeds.py   evidence where values are not known
report.py  resolution.py        what comes out
resolve.py                      the way through
"""
