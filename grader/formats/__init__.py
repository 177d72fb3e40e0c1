"""Report formats: each is a pure function from reports to bytes. A new one is a file here and a line in `FORMATS`."""

from collections.abc import Callable
from typing import NamedTuple

from grader.formats import html, json, junit, text


class Format(NamedTuple):
    """A format in which reports are written."""

    dumps: Callable[..., bytes]
    """`dumps(reports: Sequence[Report], *, many: bool)`; `many`: they are a stack's, be it of one."""
    words: str
    """What it is, after "write the report as"."""


FORMATS: dict[str, Format] = {
    "json": Format(json.dumps, "JSON"),
    "junit": Format(junit.dumps, "JUnit XML"),
    "html": Format(html.dumps, "a page with pictures"),
    "text": Format(text.dumps, "plain text, every check in detail"),
}
"""By the name of their option: `--json FILE`."""
