"""Edits of our solution of `repair_functional`: all its mistakes are those of `functional`."""

from tests.mistakes import Change, Edit

EDITS: tuple[Edit, ...] = ()
WITHOUT_A_NAME: dict[str, tuple[Change, ...]] = {}
