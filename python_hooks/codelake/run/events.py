"""What happened during a run, in order: kept in memory, written once at its end.

note_event("commit", "cpg_nodes", "overwrite", "another program")

plan          table   create, overwrite, replace, none (kept as it is), with the reason
policy        table   resolved, with each field and where it comes from
schema        table   additive, mismatch, drift, with the columns
registration  table   table (with its history), files (of one version), defaults (a view, with what
                      stands for columns that the table lacks)
digest        table   failed: its digest could not be had
bootstrap     table   started, completed, failed: an internal table that had no log
"""

from __future__ import annotations

import datetime as dt
import threading

import msgspec


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that happened."""

    at: dt.datetime
    event: str
    subject: str
    outcome: str
    detail: str = ""


_events: list[Event] = []
_lock = threading.Lock()


def note_event(event: str, subject: str, outcome: str, detail: str = "") -> None:
    """Keep one event of the run that goes on."""
    now = dt.datetime.now(dt.UTC)
    with _lock:
        _events.append(Event(at=now, event=event, subject=subject, outcome=outcome, detail=detail))


def noted_events() -> list[Event]:
    """Return the events so far."""
    with _lock:
        return list(_events)


def forget_events() -> None:
    """Begin anew."""
    with _lock:
        _events.clear()
