"""Catalogue in, dbt project out.

pipeline.py   the ordered passes, with a verifier between them
passes/       one decision each: order, materialise, fuse, inputs, derive, layout, fingerprint
emit_*.py     what the decisions look like as files
assemble.py   program.py   the compiled program, models/program.json
plan.py       the program as people read it: `codelake plan`
write.py      compile_project, write, check, diff, is_stale

from codelake.compile.write import write
write(root)
"""
