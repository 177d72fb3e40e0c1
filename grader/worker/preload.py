"""What a worker imports before it locks itself in, since it can open no file afterwards."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from grader.worker import confine, plots

METADATA = {"importlib.metadata", "importlib:metadata"}


def bring_in(names: Sequence[str], without: Collection[str] = ()) -> None:
    """Imports modules by name, once no file can be written; matplotlib alone comes before, as it writes its own files.

    What cannot be imported is left out: the submission then meets the same error itself.

    Args:
        names: `a.b`, a module; `a:b`, a module only if `a` defines nothing of that name; `a:*`, all that `a` lists.
        without: sandbox layers to leave out.
    """
    if not names:
        return
    if not {plots.NEEDED, "matplotlib"}.isdisjoint(names):
        with suppress(Exception):  # it need not be installed
            plots.get_ready()
    # Folders that some modules ask for: these exist already, and need not be made.
    try:
        tempfile.gettempdir()
    except FileNotFoundError:  # none that can be written
        tempfile.tempdir = "/"
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.gettempdir()
    confine.read_only(without)
    if not METADATA.isdisjoint(names):
        _keep_versions({"torch", "numpy", *(name.partition(":")[0].partition(".")[0] for name in names)})
    for name in names:
        with suppress(BaseException):  # a module may raise anything, SystemExit too
            outer, _, inner = name.partition(":")
            module = importlib.import_module(outer)
            if inner == "*":  # what it lists may be imported when it is first asked for: numpy's fft
                for listed in module.__all__:
                    getattr(module, listed)
            elif inner and not hasattr(module, inner):
                importlib.import_module(f"{outer}.{inner}")
    del os.environ["TORCHINDUCTOR_CACHE_DIR"]
    tempfile.tempdir = None


def _keep_versions(libraries: Collection[str]) -> None:
    """Makes `importlib.metadata.version`, which reads a file at each call, remember the versions of these libraries."""
    metadata: Any = importlib.import_module("importlib.metadata")
    metadata.version = cache(metadata.version)
    for library in libraries:
        with suppress(metadata.PackageNotFoundError):
            metadata.version(library)
