"""Files that were asked for: reports, and kits."""

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from grader.records import GraderError


def check_target(path: Path) -> None:
    """See before the work that a file can be put there.

    Raises:
        GraderError: the folder is missing, or the path is a folder.
    """
    if path.is_dir():
        raise GraderError(f"{path} is a folder: name a file in it.")
    if not path.parent.is_dir():
        raise GraderError(f"{path} cannot be written, its folder {path.parent} does not exist: make it first.")


def check_reports(paths: Sequence[Path]) -> None:
    """See before the work that reports can be put there, and that none takes the place of a submission or of another.

    Raises:
        GraderError: as `check_target`; or the path ends as a submission does, or is named twice.
    """
    for path in paths:
        check_target(path)
        if path.suffix.lower() in (".py", ".ipynb", ".zip"):
            said = "ends as a submission does, and a report would overwrite it"
            raise GraderError(f"{path} {said}: name a .json or .xml file.")
    if len(set(paths)) < len(paths):
        raise GraderError(f"{paths[0]} is named for two reports: name a file for each.")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all: to a temporary one beside it, then renamed.

    Raises:
        GraderError: the folder cannot be written to.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
        os.replace(temporary, path)
    except OSError as error:
        raise GraderError(f"{path} cannot be written ({error.strerror}): choose another place.") from error
    finally:
        temporary.unlink(missing_ok=True)
