"""What relates to what, declared once: vocabulary, catalogue, checks.

    types.py        Spark types, and what a column means (NodeId, Line, Confidence ...)
    functions.py    the Spark functions an expression may call, and the id recipes
    expressions.py  SQL text <-> SQLGlot tree
    ir.py           the few operations every dataset is made of
    catalog/        the declarations, one module per area
    check.py        names and types of the whole catalogue, all errors at once
    pprint.py       the IR as text, canonical, so that it can be hashed and read

Next: codelake.compile, which turns the catalogue into dbt models.
"""
