"""Writing of the files that were asked for: reports and kits."""

import os
import secrets
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from grader.formats import FORMATS
from grader.records import GraderError, Report


def check_target(path: Path) -> None:
    """Check, before the work begins, that a file can be written to this path.

    Raises:
        GraderError: the path is `-`, the folder is missing or may not be written to, or something other than a file
            is there.
    """
    if path == Path("-"):  # other programs take it for standard output, where the report to read is printed here
        raise GraderError("- is not standard output here: name a file.")
    try:
        there = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        there = 0
    except OSError as error:
        raise _unwritable(path, error) from error
    if stat.S_ISDIR(there):
        raise GraderError(f"{path} is a folder: name a file in it.")
    if there and not stat.S_ISREG(there):  # /dev/null and /dev/stdout too: root would put the file in their place
        raise GraderError(f"{path} is a link, a pipe or a device: name a file.")
    if not path.parent.is_dir():
        raise GraderError(f"{path} cannot be written, its folder {path.parent} does not exist: make it first.")
    if not os.access(path.parent, os.W_OK):
        problem = f"{path} cannot be written, its folder {path.parent} may not be written to"
        raise GraderError(f"{problem}: choose another place.")


def is_other(path: Path, content: bytes) -> bool:
    """Whether a file with other content is there already.

    Raises:
        GraderError: the file cannot be read.
    """
    try:
        return path.exists() and path.read_bytes() != content
    except OSError as error:
        raise GraderError(f"{path} is there already, and cannot be read ({error.strerror}): move it away.") from error


def check_reports(paths: Sequence[Path]) -> None:
    """Check, before the work begins, that reports can be written and replace neither a submission nor each other.

    Raises:
        GraderError: as `check_target`; or a path has the ending of a submission, or is named twice.
    """
    for path in paths:
        check_target(path)
        if path.suffix.lower() in (".py", ".ipynb", ".zip"):
            problem = "ends as a submission does, and a report would overwrite it"
            raise GraderError(f"{path} {problem}: choose another ending.")
    if len(set(paths)) < len(paths):
        raise GraderError(f"{paths[0]} is named for two reports: name a file for each.")


def write_reports(reports: Sequence[Report], files: Mapping[str, Path], *, many: bool) -> list[str]:
    """Write the files that were asked for.

    Args:
        reports: the content of each file.
        files: the path of each file, by the name of its format.
        many: whether the reports are a stack's.

    Returns:
        The reason for each file that could not be written; the others are written.
    """
    problems = []
    for name, path in files.items():
        try:
            write_whole(path, FORMATS[name].dumps(reports, many=many))
        except GraderError as error:
            problems.append(str(error))
    return problems


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; errors as of `write_parts`."""
    write_parts(path, [content])


def write_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file whole or not at all: the parts go to a temporary file beside it, which is then renamed.

    Raises:
        GraderError: the folder cannot be written to.
    """
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")  # not from its name, which may be as long as any can be
    try:
        with temporary.open("wb") as file:
            file.writelines(parts)
        os.replace(temporary, path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def _unwritable(path: Path, error: OSError) -> GraderError:
    return GraderError(f"{path} cannot be written ({error.strerror}): choose another place.")
