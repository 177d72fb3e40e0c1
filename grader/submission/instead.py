"""Recognizes files that are not what their name says, by how they begin, or that hold an unfinished merge of Git."""

import re

BEGINNINGS = {
    b"version https://git-lfs.github.com/": "is a pointer of Git LFS, not the file: run git lfs pull, then hand it in",
    b"<!doctype html": "is a web page: download the file itself",
    b"<html": "is a web page: download the file itself",
    b"%pdf-": "is a PDF file: hand in the .py or .ipynb file that it was made from",
    b"{\\rtf": "is text with a layout (RTF): save it as plain text",
    b"pk\x03\x04": "is a zip file or an office document: hand in the .py or .ipynb file that is in it",
    b"import marimo": "is a notebook of marimo: hand in what marimo export script makes of it",
    b"\x1f\x8b": "is compressed (gzip): unpack it, and hand in what is in it",
}
"""In lower case, as web pages may have either; no other Python source and no notebook begins so."""
SIDES = [re.compile(mark, re.MULTILINE) for mark in ("^<{7} ", "^={7}\r?$", "^>{7} ")]
"""The conflict markers that Git leaves around two sides that it could not merge."""
UNMERGED = "a merge was left open there (<<<<<<<): keep one side, and remove the marks that Git left."


def instead(data: bytes) -> str | None:
    """What a file is, and what to do about it; None: it may be what its name says."""
    begin = data[:1000].lstrip(b"\xef\xbb\xbf \t\r\n")[:50].lower()
    return next((kind for sign, kind in BEGINNINGS.items() if begin.startswith(sign)), None)


def unmerged(text: str) -> int | None:
    """The line of the first of Git's conflict markers; None where they are not all there."""
    first, *others = (mark.search(text) for mark in SIDES)
    return text.count("\n", 0, first.start()) + 1 if first and all(others) else None
