"""Of a file in which others are packed."""

import io
import shutil
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePosixPath

from tests.naive_ways.parts import Found, Handed, started


def starts_it(handed: Handed) -> Found:
    """what its first line says, where that begins with #!"""
    with handed.path.open("rb") as file:
        line = file.readline(200)
    if line.startswith(b"#!"):
        started(handed, *line[2:].decode().split(), str(handed.path))
    return Found()


def unpacks(handed: Handed) -> Found:
    """all that is packed in it, whatever its name, by shutil.unpack_archive"""
    with suppress(zipfile.BadZipFile):
        if zipfile.is_zipfile(handed.path):
            shutil.unpack_archive(handed.path, handed.work, "zip")
    return Found()


def unpacks_by_offset(handed: Handed) -> Found:
    """each entry of its list, from where the list says, as programs other than Python do"""
    data, unpacked = handed.path.read_bytes(), []
    for member in zipfile.ZipFile(handed.path).infolist():
        name, extra = struct.unpack_from("<HH", data, member.header_offset + 26)
        start = member.header_offset + 30 + name + extra
        packed = data[start : start + member.compress_size]
        unpacked.append(zlib.decompress(packed, -15) if member.compress_type else packed)
    return Found()


def unpacks_all(handed: Handed) -> Found:
    """all that is packed in it, and in what is packed in it"""

    def files(data: bytes) -> Iterator[bytes]:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                inner = archive.read(name)
                yield from files(inner) if name.endswith(".zip") else [inner]

    list(files(handed.path.read_bytes()))
    return Found()


def lists_folders(handed: Handed) -> Found:
    """each folder that is named in its list"""
    names = zipfile.ZipFile(handed.path).namelist()
    sorted({str(folder) for name in names for folder in PurePosixPath(name).parents})
    return Found()


WAYS = (starts_it, unpacks, unpacks_by_offset, unpacks_all, lists_folders)
