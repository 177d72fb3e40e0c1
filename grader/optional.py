"""Modules that a kit leaves out: what a candidate must not have stands in files of its own."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any


def is_there(name: str) -> bool:
    """Whether there is a module of this name; only the packages that hold it are imported."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # its package is not there either
        return False


def optional(name: str) -> Any:
    """The module of this name; None: it was left out."""
    return import_module(name) if is_there(name) else None
