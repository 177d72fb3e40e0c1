"""Hands in a zip file whose list says that the file in it begins 9 EB further on, which no reader can count to."""

import io
import struct
import zipfile
from pathlib import Path

REFUSED = "damaged or no zip file"
ENTRY, END = b"PK\x01\x02", b"PK\x05\x06"


def make(folder: Path, code: str) -> Path:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("candidate.py", code)
    data = packed.getvalue()
    start, end = data.index(ENTRY), data.index(END)
    entry, far = bytearray(data[start:end]), struct.pack("<HHQ", 1, 8, 1 << 63)  # the extra field of zip64
    entry[30:32], entry[42:46] = struct.pack("<H", len(far)), b"\xff" * 4
    listed = bytes(entry) + far
    path = folder / "candidate.zip"
    path.write_bytes(data[:start] + listed + struct.pack("<4s4H2LH", END, 0, 0, 1, 1, len(listed), start, 0))
    return path
