"""Resolution: what names, values, calls and types mean across the files of a repository.

resolve.py                           the way through: facts in, rows out
file_facts.py  load.py               what goes in, and how it is made from source texts
module_index.py  module_values.py    modules, imports, exports
fact_index.py  store_order.py  blocks.py  guards.py     facts by node, which stores replace others
steps.py  bodies.py  narrowing.py  dependence.py    steps of a definition, names settled in a file
settled_items.py  settled_methods.py    what a list or dict holds at a read, in straight code
growing_lists.py                     positions of what is appended
solver.py  objects.py  state.py      variables, objects, and all that is known
frames.py  contexts.py  constraints.py       a definition in a context -> constraints
attributes.py  descriptors.py  external_attributes.py     what is loaded: from where, how bound
stored_attributes.py  fields.py  own_attributes.py   what is stored, what instances hold
class_table.py  enumerations.py  abstract_methods.py    classes, orders, members
patches.py                           what modules store to modules and classes, in order
calls.py  arguments.py  constructors.py  dispatch.py    calls, arguments, results
special_methods.py  operators.py  items.py  keyed_items.py  iteration.py  managers.py    implicit
known_calls.py  known_support.py  known_builtins.py  known_reflection.py  known_decorators.py
known_library.py  container_methods.py  known_classes.py   builtins and the standard library
library_classes.py  known_types.py    members, bases and types of the standard library
known_holders.py  known_texts.py     what gives back what it got; texts that are names
annotations.py  narrowed.py  seeds.py        evidence where values are not known
value_steps.py  format_texts.py  raised_values.py  dead_code.py  branches.py   where values go
value_search.py                      whether they arrive
rehearsal/  main_modules.py          a program gone through on paper, to tell what does not
type_expressions.py  held.py         classes in annotations, values of nodes
decorated.py                         definitions behind what decorators made
report.py  report_names.py  report_classes.py  report_fields.py  report_types.py
resolution.py  resolved_rows.py      what comes out
"""
