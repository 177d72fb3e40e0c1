"""Reads zip files that were handed in, without unpacking to disk; no name and no size in them is trusted."""

import io
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath, PureWindowsPath

from grader.records import GraderError
from grader.submission.paths import NOTEBOOK_LIMIT, REPAIRS, read_bytes
from grader.submission.tree import Tree, leave_out_environments

ARCHIVE_LIMIT = 64 << 20
"""The most bytes of a zip file; of one file in it, unpacked, `NOTEBOOK_LIMIT` are read."""
TOTAL_LIMIT = 256 << 20
"""The most bytes of all files in it, unpacked."""
MOST_MEMBERS = 10_000
LONGEST_NAME = 1_000
ENTRY = b"PK\x01\x02"
"""What an entry of a zip file's list begins with."""
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 0x1
UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, RuntimeError, OverflowError, struct.error)
"""What zipfile raises, whatever is wrong with a file."""


def open_archive(path: Path) -> "Archive":
    """Opens a zip file.

    Raises:
        GraderError: it cannot be read, is too large, or `Archive` refuses it.
    """
    return Archive(path, read_bytes(path, {".zip": ARCHIVE_LIMIT}))


class Archive(Tree):
    """The files in a zip file. Links in it are not followed, nothing is written to disk.

    Args:
        path: the path of the zip file.
        data: its bytes.

    Attributes:
        outside: names in it that lead out of it, sorted; such files are not read.

    Raises:
        GraderError: it is damaged, encrypted, too large unpacked, or holds a name or kind of file that does not belong
            into one, or only names that lead out of it.
    """

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        # Counted before zipfile makes an object of each.
        if data.count(ENTRY) > MOST_MEMBERS:
            raise GraderError(f"{path} holds more than {MOST_MEMBERS} files: {REPAIRS['.zip']}.")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except UNREADABLE as error:
            raise GraderError(self._damaged(error)) from error
        self._members = self._sound_members()
        self.names = sorted(self._members)

    def data(self, name: str, limit: int) -> bytes:
        member = self._members[name]
        try:
            with self._zip.open(member) as file:
                data = file.read(min(limit, NOTEBOOK_LIMIT) + 1)
        except UNREADABLE as error:
            raise GraderError(self._damaged(error)) from error
        if len(data) > limit:
            raise GraderError(_too_large(self.path / name, limit))
        return data

    def _sound_members(self) -> dict[str, zipfile.ZipInfo]:
        """The files that may be looked at, by name: what is nobody's work (`.venv`) is passed over whatever it is."""
        members: dict[str, zipfile.ZipInfo] = {}
        # bsdtar, which macOS and Windows have as tar, lists the folder itself too.
        packed = [member for member in self._zip.infolist() if member.filename not in (".", "./")]
        names = {member: self._short_name(member) for member in packed}
        self.outside = sorted(name for name in names.values() if _leads_out(name))
        if len(self.outside) == len(packed) > 0:
            raise GraderError(f"{self.path} {self.why_outside()}")
        named = [(_tidied(name), member) for member, name in names.items() if not _leads_out(name)]
        wanted = frozenset(leave_out_environments(name for name, _ in named))
        self.folders = [name for name in wanted if name.endswith("/")]
        for name, member in named:
            if member.is_dir() or name.endswith("/") or name not in wanted:
                continue
            shown = self.path / name
            if name in members:
                raise GraderError(f"{self.path} holds {name} twice: zip the files again.")
            if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
                raise GraderError(f"{shown} is a link or a special file: put the file itself into the zip.")
            if member.flag_bits & ENCRYPTED:
                raise GraderError(f"{shown} is encrypted: zip the files without a password.")
            if member.compress_type not in METHODS:
                raise GraderError(f"{shown} is packed in a way that is not read: zip the files with deflate.")
            if member.file_size > NOTEBOOK_LIMIT:
                raise GraderError(_too_large(shown, NOTEBOOK_LIMIT))
            members[name] = member
        if sum(member.file_size for member in members.values()) > TOTAL_LIMIT:
            raise GraderError(_too_large(self.path, TOTAL_LIMIT))
        return members

    def why_outside(self) -> str:
        """What is wrong with a zip file in which names lead out of it."""
        return f"holds a file that would lie outside of it ({self.outside[0]}): zip the files again."

    def _short_name(self, member: zipfile.ZipInfo) -> str:
        name = member.filename.replace("\\", "/")  # some Windows programs write them so
        if len(name) > LONGEST_NAME:
            raise GraderError(f"{self.path} holds a file with a name of {len(name)} characters: zip the files again.")
        return name

    def _damaged(self, error: Exception) -> str:
        return f"{self.path} is damaged or no zip file ({type(error).__name__}: {error}): zip the files again."


def _leads_out(name: str) -> bool:
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts or bool(PureWindowsPath(name).drive) or not path.parts


def _tidied(name: str) -> str:
    return PurePosixPath(name).as_posix() + ("/" if name.endswith("/") else "")


def _too_large(path: Path, limit: int) -> str:
    return f"{path} is more than {limit >> 20} MiB unpacked: leave out what the kata does not need."
