"""rich made ready before the lock: it prints once, which imports what it imports late."""

from __future__ import annotations

import io
import logging
from contextlib import suppress

NEEDED = "rich.console"
"""What is imported for a submission that prints with rich (grader/submission/imports.py)."""


def get_ready() -> None:
    """Prints of each kind once, and throws it away."""
    import rich.status  # noqa: F401
    from rich import inspect
    from rich.console import Console
    from rich.logging import RichHandler
    from rich.table import Table

    console = Console(file=io.StringIO())
    table = Table("x", title="x")
    table.add_row(":smile: 注")
    console.print(table, {"x": [1.0]})
    console.print_json("[1]")
    console.rule("x")
    console.log("x", log_locals=True)
    inspect(table, console=console)
    RichHandler(console=console, rich_tracebacks=True).emit(logging.makeLogRecord({"msg": "x"}))
    with suppress(ZeroDivisionError):
        try:
            1 / 0  # noqa: B018
        finally:
            console.print_exception(show_locals=True)
