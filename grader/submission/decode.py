"""Decodes a file's bytes into a `Submission`; every kind of bad input has a sentence of its own."""

import codecs
import hashlib
import io
import sys
import tokenize
from collections.abc import Mapping
from pathlib import Path

from grader.records import Cell, GraderError, Submission
from grader.submission.cells import without_magics
from grader.submission.definitions import definitions
from grader.submission.imports import imports
from grader.submission.instead import UNMERGED, instead, unmerged
from grader.submission.notebook import read_notebook
from grader.submission.paths import SUFFIXES, limit_of
from grader.submission.suspects import suspects
from grader.submission.syntax import parse, tree_of

OF_ADDRESSES = ("punycode", "idna")
"""Encodings in which no source is written, and in which Python takes hours to decode a megabyte."""


def decode(path: Path, data: bytes, limits: Mapping[str, int] = SUFFIXES) -> Submission:
    """The submission in a file's bytes; those of unknown files are decoded in another process (`ReadingProcess`).

    Args:
        path: by its suffix a `.py` or `.ipynb` file; nothing is read from there.
        data: the bytes.
        limits: as `most_bytes` gives them.

    Raises:
        GraderError: wrong suffix, empty, something else than its name says, not decodable, syntax error of a `.py`,
            not a notebook, a notebook without code.
    """
    limit_of(path)
    if not data.strip():
        raise GraderError(f"{path} is empty: save your work into it first.")
    if sentence := instead(data):
        raise GraderError(f"{path} {sentence}.")
    is_notebook, hint = path.suffix.lower() != ".py" or _is_notebook(data), None
    if is_notebook:
        cells, hint = read_notebook(path, data, limits[".py"])
    else:
        cells = (Cell(_source(path, data)),)
    return Submission(
        path,
        hashlib.sha256(data).hexdigest(),
        cells,
        is_notebook,
        hint,
        imports=imports(cells),
        worth_reading=suspects(cells, path.name),
        definitions=definitions(cells),
    )


def _is_notebook(data: bytes) -> bool:
    """Whether a `.py` file holds a notebook's JSON: it was saved by another name."""
    return data.lstrip().startswith(b"{") and b'"cells"' in data and b'"nbformat"' in data


def _source(path: Path, data: bytes) -> str:
    """Decode as Python does (PEP 263 line, byte order mark, any line ends) and see that it parses."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        if codecs.lookup(encoding).name in OF_ADDRESSES:
            raise LookupError(f"{encoding} is for addresses")
        source = io.TextIOWrapper(io.BytesIO(data), encoding).read()
    except (SyntaxError, UnicodeError, LookupError) as error:  # LookupError: rot13 decodes no bytes
        raise GraderError(f"{path} cannot be decoded ({error}): save it as UTF-8.") from error
    try:
        parse(source)
    except SyntaxError as error:
        if error.lineno is None:  # a null byte
            raise GraderError(f"{path} is not Python source ({error.msg}): save it as text.") from error
        if line := unmerged(source):
            raise GraderError(f"{path}:{line}: {UNMERGED}") from error
        python = without_magics(source)
        if tree_of(python):
            return python
        raise GraderError(_syntax_error(path, error)) from error
    except ValueError as error:
        raise GraderError(f"{path} is not Python source ({error}): save it as text.") from error
    return source


def _syntax_error(path: Path, error: SyntaxError) -> str:
    text = (error.text or "").strip()
    repair = f"Correct that line; it is read as Python {sys.version_info[0]}.{sys.version_info[1]}."
    if text.startswith("```"):
        repair = "That line is Markdown: keep only the code between the lines of ```."
    return f"{path}:{error.lineno}: syntax error, {error.msg}" + (f": {text}" if text else "") + f"\n{repair}"
