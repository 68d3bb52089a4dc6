"""How long code takes, so that a busy machine and a full heap change the answer little."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def cpu_seconds(run: Callable[[], object], rounds: int = 2) -> float:
    """Return the least CPU seconds of some rounds, without the cyclic collector."""
    taken = []
    gc.disable()
    try:
        for _ in range(rounds):
            start = time.process_time()
            run()
            taken.append(time.process_time() - start)
    finally:
        gc.enable()
    return min(taken)
