"""Thin shell that dbt finds by the profile's `type: codelake`; see codelake/run/adapter.py."""

from dbt.adapters.base import AdapterPlugin

from codelake.run.adapter import INCLUDE_PATH, CodelakeAdapter
from codelake.run.connection import CodelakeCredentials

Plugin = AdapterPlugin(
    adapter=CodelakeAdapter,
    credentials=CodelakeCredentials,
    include_path=INCLUDE_PATH,
    dependencies=["spark"],
)
