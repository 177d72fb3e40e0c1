"""Records as plain values, which JSON can hold, and back."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

WORDS = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}
AS_THEY_ARE = frozenset({str, int, float, bool, NoneType})
Reader: TypeAlias = Callable[[Any, str], Any]
"""Turns a plain value into a record or a part of one; the text is what an error message calls the value."""


def to_plain(value: Any) -> Any:
    """A record as a dictionary by the names of its fields, with all that it holds converted likewise."""
    kind = type(value)
    if kind in AS_THEY_ARE:
        return value
    if names := _field_names(kind):
        return {name: to_plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {name: to_plain(each) for name, each in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [to_plain(each) for each in value]
    return str(value) if isinstance(value, Path | StrEnum) else value


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def from_plain(kind: Any, value: Any, name: str) -> Any:
    """The record, from the plain value that `to_plain` made of it; entries that are none of its fields are ignored.

    Args:
        kind: the record's class, or the annotation of a field.
        value: the plain value, as JSON gives it.
        name: what an error message calls the value.

    Raises:
        ValueError: the value does not fit; the message says where, and what was expected there.
    """
    return _reader(kind)(value, name)


@cache
def _reader(kind: Any) -> Reader:
    """The reader of a kind, made once for each kind: a stack reads thousands of records."""
    if is_dataclass(kind):
        return _record(kind)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        of_one = _reader(next(each for each in inner if each is not NoneType))
        return lambda value, name: None if value is None else of_one(value, name)
    if origin is dict:
        of_entry = _reader(inner[1])
        return lambda value, name: {
            key: of_entry(each, f"{name}.{key}") for key, each in _expected(dict, value, name, "an object").items()
        }
    if origin is not None:  # a tuple or a frozenset of one kind
        of_each = _reader(inner[0])
        return lambda value, name: origin(
            of_each(one, f"{name}[{place}]") for place, one in enumerate(_expected(list, value, name, "a list"))
        )
    return _single(kind)


def _record(kind: Any) -> Reader:
    hints = get_type_hints(kind)
    readers = {field.name: _reader(hints[field.name]) for field in fields(kind)}
    needed = [each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING]

    def read(value: Any, name: str) -> Any:
        given = _expected(dict, value, name, "an object")
        for field in needed:
            if field not in given:
                raise ValueError(f"{name}.{field} is missing")
        return kind(**{field: of(given[field], f"{name}.{field}") for field, of in readers.items() if field in given})

    return read


def _single(kind: Any) -> Reader:
    if kind is Any:
        return _anything
    if kind is Path:
        return lambda value, name: Path(_expected(str, value, name, WORDS[str]))
    if issubclass(kind, StrEnum):
        return lambda value, name: _member(kind, value, name)

    def read(value: Any, name: str) -> Any:
        if type(value) is kind:
            return value
        if kind is float and type(value) is int:
            return float(value)
        raise ValueError(f"{name} is {value!r:.40}, and {WORDS[kind]} was expected")

    return read


def _anything(value: Any, name: str) -> Any:
    return tuple(_anything(each, name) for each in value) if isinstance(value, list) else value


def _member(kind: type[StrEnum], value: Any, name: str) -> StrEnum:
    try:
        return kind(value)
    except ValueError:
        raise ValueError(f"{name} is {value!r:.40}, and one of {', '.join(kind)} was expected") from None


def _expected(kind: type, value: Any, name: str, words: str) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"{name} is {value!r:.40}, and {words} was expected")
    return value
