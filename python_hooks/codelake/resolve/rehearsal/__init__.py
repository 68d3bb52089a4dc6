"""Rehearsal: a program is gone through on paper, to tell which value flows do not happen.

rehearse.py             all ways through a program
machine.py              one way, step by step
expressions.py statements.py matching.py operators.py items.py texts.py     the language
calling.py classes.py attributes.py methods.py constructors.py groups.py    its objects
library.py              what is known of the standard library, and the files it names
values.py names.py      what they all speak of
"""
