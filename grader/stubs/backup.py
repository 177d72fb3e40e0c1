"""Puts a generated text where somebody may have written, and keeps what was there."""

from pathlib import Path

from grader.records import GraderError


def replace_text(path: Path, text: str) -> Path | None:
    """Write a text; a different text that was there is kept beside it as `NAME.1.bak`, or with the first free number.

    Args:
        path: the file to write; its folder is made where it is missing.
        text: written as UTF-8, with the line ends that it has.

    Returns:
        The copy of the old text; None where there was none, or the same text. No earlier copy is overwritten.

    Raises:
        GraderError: the copy or the file cannot be written.
    """
    try:
        path.parent.mkdir(exist_ok=True)
        old = path.read_bytes() if path.exists() else None
        if old == text.encode():
            return None
        backup = None if old is None else _copy(path, old)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        repair = "check what is there, and its permissions."
        raise GraderError(f"{path} cannot be written ({error.strerror}): {repair}") from error
    return backup


def _copy(path: Path, old: bytes) -> Path:
    number = 1
    while True:
        backup = path.with_name(f"{path.name}.{number}.bak")
        try:
            with backup.open("xb") as copy:
                copy.write(old)
        except FileExistsError:
            number += 1
        else:
            return backup
