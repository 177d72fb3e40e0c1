"""Files that were asked for: reports, and kits."""

import os
import secrets
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
