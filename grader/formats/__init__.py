"""Report formats: each is a pure function from reports to bytes. A new one is a file here and a line in `FORMATS`."""

from collections.abc import Callable
from typing import NamedTuple

from grader.formats import html, json, junit, text


class Format(NamedTuple):
    """A format in which reports are written."""

    dumps: Callable[..., bytes]
    """`dumps(reports: Sequence[Report], *, many: bool)`; `many`: they are a stack's, even if it holds only one."""
    words: str
    """What the format is called in help texts, after "write the report as"."""


FORMATS: dict[str, Format] = {
    "json": Format(json.dumps, "JSON"),
    "junit": Format(junit.dumps, "JUnit XML"),
    "html": Format(html.dumps, "a page with pictures"),
    "text": Format(text.dumps, "plain text, every check in detail"),
}
"""Each format, by the name of its option: `--json FILE`."""
