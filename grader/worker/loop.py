"""The event loop of a submission: it waits for time only, so it needs no open descriptor."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any


class _Clock:
    """What asyncio calls a selector: here nothing but time can pass."""

    def select(self, timeout: float | None) -> list[Any]:
        """Sleeps until the next timer is due.

        Raises:
            RuntimeError: there is none: what is awaited can never come.
        """
        if timeout is None:
            raise RuntimeError("await waits for something that never comes: there is no network and no other process")
        time.sleep(timeout)
        return []


class Loop(asyncio.BaseEventLoop):
    """asyncio's own scheduling over that clock."""

    _selector = _Clock()

    def _process_events(self, events: list[Any]) -> None:
        """There are none."""

    def _write_to_self(self) -> None:
        """Nothing waits that would have to be woken: there is one thread."""


def run(awaiting: Coroutine[Any, Any, Any]) -> Any:
    """What `await` at the top of a cell gives.

    Raises:
        BaseException: whatever it raises.
    """
    return Loop().run_until_complete(awaiting)


def stand_in() -> None:
    """Has asyncio make this loop wherever it makes one; its own asks the system for sockets."""
    asyncio.SelectorEventLoop = Loop  # type: ignore[misc]
    asyncio.DefaultEventLoopPolicy._loop_factory = Loop  # type: ignore[attr-defined]
