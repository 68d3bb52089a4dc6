"""The version that dbt shows: the adapter follows dbt-spark's."""

from dbt.adapters.spark.__version__ import version

__all__ = ["version"]
