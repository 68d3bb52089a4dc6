"""A seed's rows -> CSV as dbt reads it."""

from __future__ import annotations

import csv
import io

from codelake.semantic.ir import Seed


def emit_csv(seed: Seed) -> str:
    """Write the header and the rows."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(column.name for column in seed.columns)
    writer.writerows(seed.rows)
    return text.getvalue()
