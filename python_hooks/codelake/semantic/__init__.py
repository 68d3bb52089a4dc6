"""What relates to what, declared once: vocabulary, catalogue, checks.

    types.py        Spark types, and what a column means (NodeId, Line, Confidence ...)
    functions.py    the Spark functions an expression may call, and the id recipes
    expressions.py  SQL text <-> SQLGlot tree
    ir.py           the few operations every dataset is made of
    catalog/        the declarations, one module per area
    inference.py    types and nulls of expressions
    check.py        names and types of the whole catalogue, all errors at once (spec_errors.py)
    pprint.py       the IR as text, canonical, so that it can be hashed and read

Next: codelake.compile, which turns the catalogue into dbt models.
"""
