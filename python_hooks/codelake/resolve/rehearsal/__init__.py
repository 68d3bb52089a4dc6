"""Rehearsal: a program is gone through on paper, to tell which value flows do not happen.

rehearse.py                       all ways through a program
machine.py                        one way, step by step
values.py  names.py               what is computed with; which names a definition binds
expressions.py  operators.py  texts.py  items.py
statements.py  imports.py  matching.py  groups.py      the language
calling.py  classes.py  attributes.py  constructors.py      functions, classes, instances
methods.py  collection_methods.py  sorting.py          built-in values
library.py                        what is known of the standard library:
    builtin_functions.py  iterators.py  function_tools.py  library_functions.py
    managers.py  text_objects.py  queues.py  event_loop.py  threads.py  environment.py
    mocks.py  handled_errors.py
"""
