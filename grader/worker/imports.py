"""What a worker imports before it locks itself in, since it can open no file afterwards."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from contextlib import suppress

from grader.worker import plots, printing


def bring_in(names: Sequence[str]) -> None:
    """Imports modules by name.

    What cannot be imported is left out: the submission then meets the same error itself.

    Args:
        names: `a.b`, a module; `a:b`, a module only if `a` defines nothing of that name.
    """
    for library in (plots, printing):
        if library.NEEDED in names:
            with suppress(Exception):  # it need not be installed
                library.get_ready()
    for name in names:
        with suppress(BaseException):  # a module may raise anything, SystemExit too
            outer, _, inner = name.partition(":")
            module = importlib.import_module(outer)
            if inner and not hasattr(module, inner):
                importlib.import_module(f"{outer}.{inner}")
