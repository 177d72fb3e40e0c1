"""From a path to a `Submission`; every kind of bad input has a sentence of its own."""

import ast
import codecs
import errno
import hashlib
import io
import stat
import sys
import tokenize
import warnings
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from grader.records import Cell, GraderError, Submission
from grader.submission.beside import IsThere, beside, in_folder
from grader.submission.imports import imports
from grader.submission.instead import UNMERGED, instead, unmerged
from grader.submission.names import nearest
from grader.submission.scripts import marimo_cells
from grader.submission.suspects import suspects
from grader.submission.syntax import too_many, too_much

SOURCE_LIMIT = 1 << 20
"""Bytes of Python source: far above any solution, far below what makes a parser slow."""
NOTEBOOK_LIMIT = 50 << 20
"""Bytes of a notebook file, outputs and pictures included."""
REPAIRS = {
    ".py": "remove what the kata does not need",
    ".ipynb": "remove what the kata does not need and clear its outputs",
    ".zip": "leave .venv out, or name the unpacked folder",
}
"""What to do about a file that is too large."""
OF_ADDRESSES = ("punycode", "idna")
"""Encodings in which no source is written, and of which Python reads a megabyte in hours."""
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".7z", ".rar")
"""Endings of what may hold a submission and is not read here; a .zip file is opened before it comes here."""
SUFFIXES = {".py": SOURCE_LIMIT, ".ipynb": NOTEBOOK_LIMIT}


def reading(source_bytes: int) -> dict[str, int]:
    """The most bytes that are read of a file of each suffix; `source_bytes` holds for a notebook's code as well."""
    return SUFFIXES | {".py": source_bytes}


def read(path: Path, limits: Mapping[str, int] = SUFFIXES) -> Submission:
    """Read one submission; nothing of it is run.

    Args:
        path: a `.py` or `.ipynb` file.
        limits: as `reading` gives them.

    Returns:
        The decoded source, cell by cell, and the SHA-256 of the file's bytes.

    Raises:
        GraderError: no such file, not a regular file, wrong suffix, empty, too large, not readable, not
            decodable, syntax error of a `.py`, not a notebook, a notebook without code.
    """
    return decoded(path, read_bytes(path, limits), limits, in_folder(path))


def decoded(
    path: Path, data: bytes, limits: Mapping[str, int] = SUFFIXES, is_there: IsThere = lambda name: False
) -> Submission:
    """The submission in a file's bytes.

    Args:
        path: by its suffix a `.py` or `.ipynb` file; nothing is read from there.
        data: the bytes.
        limits: as `reading` gives them.
        is_there: looks for a file beside it; left out: none is.

    Raises:
        GraderError: wrong suffix, empty, something else than its name says, not decodable, syntax error of a `.py`,
            not a notebook, a notebook without code.
    """
    limit_of(path)
    if not data.strip():
        raise GraderError(f"{path} is empty: save your work into it first.")
    if told := instead(data):
        raise GraderError(f"{path} {told}.")
    is_notebook, hint = path.suffix.lower() != ".py" or _is_notebook(data), None
    if is_notebook:
        # Imported here: a notebook's libraries take half a second that a `.py` file need not wait for.
        from grader.submission.notebook import read_notebook

        cells, hint = read_notebook(path, data, limits[".py"])
    else:
        text = _source(path, data, limits[".py"])
        cells = _other_form(text) or (Cell(text),)
    # All that is told from the source is told here, in the time that reading has.
    modules, named = imports(cells), suspects(cells, path.name)
    digest = hashlib.sha256(data).hexdigest()
    return Submission(path, digest, cells, is_notebook, hint, beside(path, modules, is_there), modules, named)


def _is_notebook(data: bytes) -> bool:
    """Whether a `.py` file holds a notebook's JSON: it was saved by another name."""
    return data.lstrip().startswith(b"{") and b'"cells"' in data and b'"nbformat"' in data


def _other_form(source: str) -> tuple[Cell, ...]:
    """The cells of a `.py` file that is a notebook in another form; none: it is none."""
    if ".run_cell_magic(" in source:
        from grader.submission.notebook import exported  # as above

        return exported(source)
    return marimo_cells(source)


def limit_of(path: Path, limits: Mapping[str, int] = SUFFIXES) -> int:
    """The most bytes that are read of a file, by its suffix.

    Raises:
        GraderError: it is no suffix of a submission.
    """
    limit = limits.get(path.suffix.lower())
    if limit is None and path.name.lower().endswith(ARCHIVES):
        raise GraderError(f"{path} is an archive that is not opened: unpack it, and hand in the folder.")
    if limit is None:
        ending = f"ends in {path.suffix}" if path.suffix else "has no suffix"
        raise GraderError(f"{path} {ending}: a submission is a .py or an .ipynb file; rename or export it.")
    return limit


def is_folder(path: Path) -> bool:
    """Whether a path leads to a folder.

    Raises:
        GraderError: nobody can tell.
    """
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        if error.errno == errno.ELOOP:  # a link that leads to itself, told as any link is
            return False
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> GraderError:
    """Why a path leads nowhere: a folder on the way that may not be entered, a name longer than any can be."""
    return GraderError(f"{path} cannot be read ({error.strerror}): check the path and its permissions.")


def check_kind(path: Path) -> None:
    """See that a path leads to a regular file.

    Raises:
        GraderError: it does not, or nobody can tell; the sentence says what is there.
    """
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise GraderError(_missing(path)) from None
    except OSError as error:
        raise unreadable(path, error) from error
    if stat.S_ISLNK(mode):
        raise GraderError(f"{path} is a symbolic link, and may lead anywhere: hand in the file itself.")
    if stat.S_ISDIR(mode):
        raise GraderError(f"{path} is a folder: name one .py or .ipynb file in it.")
    if not stat.S_ISREG(mode):
        raise GraderError(f"{path} is not a regular file (a pipe, socket or device): save it as a file first.")


def _missing(path: Path) -> str:
    if path.parts[0].endswith(":") and len(path.parts[0]) > 2:
        return f"{path} is an address, and a file is asked for: save it here, and name it without {path.parts[0]}//."
    if not path.parent.is_dir():
        return f"{path} does not exist, and neither does its folder {path.parent}: check the path."
    names = []
    with suppress(OSError):  # a folder that may be entered and not listed
        names = [entry.name for entry in path.parent.iterdir() if entry.suffix.lower() in SUFFIXES]
    near = nearest(path.name, names)
    hint = f"did you mean {path.parent / near}?" if near else "check the path."
    return f"{path} does not exist: {hint}"


def read_bytes(path: Path, limits: Mapping[str, int]) -> bytes:
    """The bytes of a regular file of one of these suffixes, each with the most bytes that are read.

    Raises:
        GraderError: no such file, not a regular file, wrong suffix, too large, not readable.
    """
    check_kind(path)
    limit = limit_of(path, limits)
    size = path.stat().st_size
    if size > limit:
        raise GraderError(
            f"{path} is {_mib(size)} large, and at most {_mib(limit)} are read: {REPAIRS[path.suffix.lower()]}."
        )
    try:
        return path.read_bytes()
    except OSError as error:
        raise GraderError(f"{path} cannot be read ({error.strerror}): check its permissions.") from error


def _mib(size: int) -> str:
    return f"{size / (1 << 20):.4g} MiB"


def _source(path: Path, data: bytes, limit: int) -> str:
    """Decode as Python does (PEP 263 line, byte order mark, any line ends) and see that it parses."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        if codecs.lookup(encoding).name in OF_ADDRESSES:
            raise LookupError(f"{encoding} is for addresses")
        source = io.TextIOWrapper(io.BytesIO(data), encoding).read()
    except (SyntaxError, UnicodeError, LookupError) as error:  # LookupError: rot13 decodes no bytes
        raise GraderError(f"{path} cannot be decoded ({error}): save it as UTF-8.") from error
    if many := too_many([source], limit):
        raise GraderError(f"{path} holds {many}: {REPAIRS['.py']}.")
    if much := too_much(source):
        raise GraderError(f"{path} holds too much in {much} to be read: {REPAIRS['.py']}.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "invalid escape sequence" and the like: untidy is still correct
            ast.parse(source, str(path))
    except SyntaxError as error:
        if error.lineno is None:  # a null byte
            raise GraderError(f"{path} is not Python source ({error.msg}): save it as text.") from error
        if line := unmerged(source):
            raise GraderError(f"{path}:{line}: {UNMERGED}") from error
        from grader.submission.notebook import without_magics  # as above

        if python := without_magics(source):
            return python
        text = (error.text or "").strip()
        repair = f"Correct that line; it is read as Python {sys.version_info[0]}.{sys.version_info[1]}."
        if text.startswith("```"):
            repair = "That line is Markdown: keep only the code between the lines of ```."
        raise GraderError(
            f"{path}:{error.lineno}: syntax error, {error.msg}" + (f": {text}" if text else "") + f"\n{repair}"
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise GraderError(
            f"{path} is not Python source ({str(error) or 'more than Python can parse'}): save it as text."
        ) from error
    return source
