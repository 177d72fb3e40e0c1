"""The attacks of tests/attacks/handed_in/: modules that each make what is handed in, around the code of a control."""

import importlib
from types import ModuleType

from tests.attack_tools import FOLDER, Attack, attack

HANDED_IN = sorted(path.stem for path in (FOLDER / "handed_in").glob("*.py"))
"""Their names."""


def module(name: str) -> ModuleType:
    return importlib.import_module(f"tests.attacks.handed_in.{name}")


def control(name: str) -> Attack:
    """The control whose code it hands in."""
    return attack(f"control_{getattr(module(name), 'CODE', 'right')}")
