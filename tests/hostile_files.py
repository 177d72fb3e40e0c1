"""The tricks of tests/hostile/handed_in/: modules that each make what is handed in, around the code of a control."""

import importlib
from types import ModuleType

from tests.hostile_tools import FOLDER, Trick, trick

HANDED_IN = sorted(path.stem for path in (FOLDER / "handed_in").glob("*.py"))
"""Their names."""


def module(name: str) -> ModuleType:
    return importlib.import_module(f"tests.hostile.handed_in.{name}")


def control(name: str) -> Trick:
    """The control whose code it hands in."""
    return trick(f"control_{getattr(module(name), 'CODE', 'right')}")
