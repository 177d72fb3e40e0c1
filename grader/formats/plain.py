"""Records as plain values, which JSON can hold, and back."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

WORDS = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


def to_plain(value: Any) -> Any:
    """A record as an object by the names of its fields, and all that it holds likewise."""
    if is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {name: to_plain(each) for name, each in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [to_plain(each) for each in value]
    return str(value) if isinstance(value, Path | StrEnum) else value


def from_plain(kind: Any, value: Any, name: str) -> Any:
    """The record that `to_plain` made a value of; entries that are none of its fields are left out.

    Args:
        kind: its class, or how a field of it is annotated.
        value: as JSON gives it.
        name: under which an error speaks of it.

    Raises:
        ValueError: it is no such value; the message says where, and what was to stand there.
    """
    if is_dataclass(kind):
        return _record(kind, value, name)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        optional = next(each for each in inner if each is not NoneType)
        return None if value is None else from_plain(optional, value, name)
    if origin is dict:
        of = _expected(dict, value, name, "an object").items()
        return {key: from_plain(inner[1], each, f"{name}.{key}") for key, each in of}
    if origin is not None:  # a tuple or a frozenset of one kind
        each = _expected(list, value, name, "a list")
        return origin(from_plain(inner[0], one, f"{name}[{place}]") for place, one in enumerate(each))
    return _single(kind, value, name)


def _record(kind: Any, value: Any, name: str) -> Any:
    given, given_kinds = _expected(dict, value, name, "an object"), _annotations(kind)
    for field in fields(kind):
        if field.name not in given and field.default is MISSING and field.default_factory is MISSING:
            raise ValueError(f"{name}.{field.name} is missing")
    return kind(
        **{
            field.name: from_plain(given_kinds[field.name], given[field.name], f"{name}.{field.name}")
            for field in fields(kind)
            if field.name in given
        }
    )


_annotations = cache(get_type_hints)


def _single(kind: Any, value: Any, name: str) -> Any:
    if kind is Any:
        return tuple(_single(Any, each, name) for each in value) if isinstance(value, list) else value
    if kind is Path:
        return Path(_expected(str, value, name, WORDS[str]))
    if issubclass(kind, StrEnum):
        if value not in list(kind):
            raise ValueError(f"{name} is {value!r:.40}, and one of {', '.join(kind)} was expected")
        return kind(value)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise ValueError(f"{name} is {value!r:.40}, and {WORDS[kind]} was expected")
    return value


def _expected(kind: type, value: Any, name: str, words: str) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"{name} is {value!r:.40}, and {words} was expected")
    return value
