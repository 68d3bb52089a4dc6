"""profiles/profiles.yml, written from the targets of session.py.

    profiles_text() -> the file's text; `write_profiles` keeps it and the link at the root

Plain `dbt` looks for profiles.yml in the working directory, so the root has a link to it.
"""

from __future__ import annotations

from codelake.run.project import ROOT, SCHEMA
from codelake.run.session import TARGETS, Target

_HEADER = """\
# Generated from python_hooks/codelake/run/session.py.
# Do not edit: run `codelake compile`.
codelake:
  target: "{{ env_var('CODELAKE_TARGET', 'dev') }}"
  outputs:
"""

_THRIFT = f"""\
    # A Spark Thrift server that you run; the lake's tables must be registered there.
    thrift:
      type: codelake
      method: thrift
      host: "{{{{ env_var('CODELAKE_THRIFT_HOST', '127.0.0.1') }}}}"
      port: 10000
      schema: {SCHEMA}
      threads: 2
"""


def profiles_text() -> str:
    """Return profiles.yml."""
    return _HEADER + "".join(_output(target) for target in TARGETS) + _THRIFT


def stale_profiles() -> list[str]:
    """Return the paths that differ from what `write_profiles` writes."""
    path, link = ROOT / "profiles" / "profiles.yml", ROOT / "profiles.yml"
    stale = []
    if not path.is_file() or path.read_text() != profiles_text():
        stale.append("profiles/profiles.yml")
    if not link.exists() or link.read_text() != profiles_text():
        stale.append("profiles.yml")
    return stale


def write_profiles() -> list[str]:
    """Write profiles.yml and its link; return what changed."""
    stale = stale_profiles()
    path, link = ROOT / "profiles" / "profiles.yml", ROOT / "profiles.yml"
    if stale:
        path.write_text(profiles_text())
        link.unlink(missing_ok=True)
        link.symlink_to("profiles/profiles.yml")
    return stale


def _output(target: Target) -> str:
    kind, address = ("remote", target.remote) if target.remote else ("master", target.master)
    return f"""\
    # {target.doc}
    {target.name}:
      type: codelake
      method: session
      schema: {SCHEMA}
      threads: {target.threads}
      lake: "{{{{ env_var('CODELAKE_LAKE', 'lake') }}}}"
      {kind}: "{{{{ env_var('{target.variable}', '{address}') }}}}"
"""
