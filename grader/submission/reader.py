"""From a path to a `Submission`; every kind of bad input has a sentence of its own."""

import ast
import hashlib
import io
import os
import tokenize
import warnings
from pathlib import Path

from grader.records import Cell, GraderError, Submission
from grader.submission.signature import nearest

SOURCE_LIMIT = 1 << 20
"""Bytes of Python source: far above any solution, far below what makes a parser slow."""
NOTEBOOK_LIMIT = 50 << 20
"""Bytes of a notebook file, outputs and pictures included."""
SUFFIXES = {".py": SOURCE_LIMIT, ".ipynb": NOTEBOOK_LIMIT}


def read(path: Path) -> Submission:
    """Read one submission; nothing of it is run.

    Args:
        path: a `.py` or `.ipynb` file; `~` is expanded.

    Returns:
        The decoded source, cell by cell, and the SHA-256 of the file's bytes.

    Raises:
        GraderError: no such file, not a regular file, wrong suffix, empty, too large, not readable, not
            decodable, syntax error of a `.py`, not a notebook, a notebook without code.
    """
    path = path.expanduser()
    limit = _check_kind(path)
    data = _read_bytes(path, limit)
    digest = hashlib.sha256(data).hexdigest()
    if path.suffix.lower() == ".py":
        return Submission(path, digest, (Cell(_source(path, data)),), is_notebook=False)

    # Imported here: a notebook's libraries take half a second that a `.py` file need not wait for.
    from grader.submission.notebook import read_notebook

    cells, hint = read_notebook(path, data, SOURCE_LIMIT)
    return Submission(path, digest, cells, is_notebook=True, kata_hint=hint)


def find(folder: Path) -> list[Path]:
    """The submissions below a folder, sorted; hidden files and folders (`.ipynb_checkpoints`) are skipped.

    Raises:
        GraderError: not a folder, or none in it.
    """
    folder = folder.expanduser()
    if not folder.is_dir():
        raise GraderError(f"{folder} is not a folder: name a folder with .py or .ipynb files in it.")
    found = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        visible = [Path(parent, name) for name in names if not name.startswith(".")]
        found += [path for path in visible if path.suffix.lower() in SUFFIXES]
    if not found:
        raise GraderError(f"{folder} holds no submission: put .py or .ipynb files into it.")
    return sorted(found)


def _check_kind(path: Path) -> int:
    """The size limit that goes with the file's suffix."""
    if not path.exists():
        raise GraderError(_missing(path))
    if path.is_symlink():
        raise GraderError(f"{path} is a symbolic link, and may lead anywhere: hand in the file itself.")
    if path.is_dir():
        raise GraderError(f"{path} is a folder: name one .py or .ipynb file in it.")
    if not path.is_file():
        raise GraderError(f"{path} is not a regular file (a pipe, socket or device): save it as a file first.")
    limit = SUFFIXES.get(path.suffix.lower())
    if limit is None:
        ending = f"ends in {path.suffix}" if path.suffix else "has no suffix"
        raise GraderError(f"{path} {ending}: a submission is a .py or an .ipynb file; rename or export it.")
    return limit


def _missing(path: Path) -> str:
    if not path.parent.is_dir():
        return f"{path} does not exist, and neither does its folder {path.parent}: check the path."
    names = [entry.name for entry in path.parent.iterdir() if entry.suffix.lower() in SUFFIXES]
    near = nearest(path.name, names)
    hint = f"did you mean {path.parent / near}?" if near else "check the path."
    return f"{path} does not exist: {hint}"


def _read_bytes(path: Path, limit: int) -> bytes:
    size = path.stat().st_size
    if size > limit:
        raise GraderError(
            f"{path} is {_mib(size)} large, and at most {_mib(limit)} are read: "
            "remove what the kata does not need"
            + (" and clear its outputs." if path.suffix.lower() == ".ipynb" else ".")
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise GraderError(f"{path} cannot be read ({error.strerror}): check its permissions.") from error
    if not data.strip():
        raise GraderError(f"{path} is empty: save your work into it first.")
    return data


def _mib(size: int) -> str:
    return f"{size / (1 << 20):.4g} MiB"


def _source(path: Path, data: bytes) -> str:
    """Decode as Python does (PEP 263 line, byte order mark, any line ends) and see that it parses."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        source = io.TextIOWrapper(io.BytesIO(data), encoding).read()
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:  # LookupError: rot13 decodes no bytes
        raise GraderError(f"{path} cannot be decoded ({error}): save it as UTF-8.") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "invalid escape sequence" and the like: untidy is still correct
            ast.parse(source, str(path))
    except SyntaxError as error:
        text = (error.text or "").strip()
        raise GraderError(
            f"{path}:{error.lineno}: syntax error, {error.msg}" + (f": {text}" if text else "") + "\nCorrect that line."
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise GraderError(f"{path} is not Python source ({error or 'too deeply nested'}): save it as text.") from error
    return source
