"""Lines of styled text: built once, printed plainly or in colour."""

import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple, TextIO, TypeAlias

from grader.records import GraderError

PLAIN_WIDTH = 110
NARROWEST = 40
LEAST_ROOM = 20
"""The fewest columns for a text behind what stands to its left: with fewer, it begins on the line below."""
FILLER = "\uffff"
"""A code point that is no character, and that clean.py removes from all texts before they are drawn."""


class Span(NamedTuple):
    """A piece of a line; `style` is one of rich's (`bold red`), or empty."""

    text: str
    style: str = ""


Line: TypeAlias = list[Span]


def wrapped(text: str, width: int, first: Sequence[Span], style: str = "") -> list[Line]:
    """The text behind `first`; what does not fit goes on below, under the text's own beginning, or further left.

    Args:
        text: may hold line ends, which are kept.
        width: of the whole line.
        first: what stands to the left of the first line.
        style: of the text.
    """
    left = sum(columns(span.text) for span in first)
    above: list[Line] = []
    if text and width - left < LEAST_ROOM:
        left = max(0, width - LEAST_ROOM)
        above = _further_left(first, left)
        first = [Span(" " * left)]
    room = max(width - left, 1)
    if not text.isascii():
        room -= 1  # a break may part a letter from its filler
    pieces = [
        piece.replace(FILLER, "")
        for line in _filled(text).split("\n")
        for piece in textwrap.wrap(line, room, break_on_hyphens=False) or [""]
    ]
    lines: list[Line] = [*above, [*first, Span(pieces[0], style)]]
    lines += [[Span(" " * left), Span(piece, style)] for piece in pieces[1:]]
    return lines


def _further_left(first: Sequence[Span], most: int) -> list[Line]:
    """A line for `first` alone, moved left to begin before the text, which goes below it; none if `first` is blank."""
    if not any(span.text.strip() for span in first):
        return []
    label, *others = first
    blanks = len(label.text) - len(label.text.lstrip())
    return [[Span(label.text[max(0, blanks - most + 2) :], label.style), *others]]


def columns(text: str) -> int:
    """The number of columns that the text takes in a terminal: some letters take two."""
    return len(_filled(text))


def _filled(text: str) -> str:
    """The text with a filler before each letter that takes two columns, because textwrap counts letters."""
    if text.isascii():
        return text
    return "".join(FILLER + sign if unicodedata.east_asian_width(sign) in "WF" else sign for sign in text)


def plain(lines: Iterable[Line]) -> str:
    """The text alone, each line with its end."""
    return "".join("".join(span.text for span in line).rstrip() + "\n" for line in lines)


def in_colour(stream: TextIO) -> bool:
    """Whether to print in colour: only on a terminal, and not where `NO_COLOR` is set or the terminal is dumb."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width_for(stream: TextIO) -> int:
    """The terminal's width up to 110 columns; 110 elsewhere, so that files do not depend on a terminal."""
    if not stream.isatty():
        return PLAIN_WIDTH
    return max(NARROWEST, min(shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns, PLAIN_WIDTH))


@contextmanager
def printing(stream: TextIO) -> Iterator[None]:
    """A context for a block that prints. A closed pipe is no error: its reader has read enough.

    Raises:
        GraderError: standard output cannot be written.
    """
    try:
        yield
        stream.flush()
    except BrokenPipeError:
        pass
    except OSError as error:
        raise GraderError(f"Standard output cannot be written ({error.strerror}): choose another place.") from error


def say(text: str) -> None:
    """Print what a command has to say.

    Raises:
        GraderError: standard output cannot be written.
    """
    with printing(sys.stdout):
        sys.stdout.write(text)


def complain(text: str) -> None:
    """Say on standard error what is wrong; where that cannot be written, only the exit status tells."""
    with suppress(OSError):
        sys.stderr.write(text)


def show(lines: Sequence[Line], stream: TextIO) -> None:
    """Print the lines, in colour where that is wanted."""
    # A console that cannot encode a character (an old code page) shows a question mark, not a traceback.
    encoding = getattr(stream, "encoding", None) or "utf-8"
    lines = [[Span(_shown_in(encoding, span.text), span.style) for span in line] for line in lines]
    if not in_colour(stream):
        stream.write(plain(lines))
        return
    # Imported here: 65 ms that a pipe, a file and a test need not wait for.
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False)
    for line in lines:
        console.print(Text.assemble(*((span.text, span.style) for span in line)), soft_wrap=True)


def _shown_in(encoding: str, text: str) -> str:
    return text.encode(encoding, "replace").decode(encoding)
