"""Hands in a device file, which has no end; only root can make one, and root's folders may hold one."""

import os
import stat
from pathlib import Path

REFUSED = "not a regular file"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # that of /dev/zero
    return path
