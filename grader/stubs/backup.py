"""Keeps what somebody may have written before a generated text takes its place."""

from pathlib import Path


def back_up(path: Path) -> Path:
    """Copy a file beside itself, as `NAME.1.bak` or the first number that is free.

    Returns:
        The copy; no earlier copy is overwritten.
    """
    number = 1
    while True:
        backup = path.with_name(f"{path.name}.{number}.bak")
        try:
            with backup.open("xb") as copy:
                copy.write(path.read_bytes())
        except FileExistsError:
            number += 1
        else:
            return backup
