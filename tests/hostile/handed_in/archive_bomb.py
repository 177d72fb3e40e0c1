"""Hands in a zip file of 40 KB that unpacks to 320 MiB: every entry of its list leads to the same bytes."""

import struct
import zipfile
from pathlib import Path

REFUSED = "is more than 256 MiB unpacked"
ENTRIES = 8


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.py", bytes(40 << 20))
    data = path.read_bytes()
    first, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    entries = b"".join(data[first:end].replace(b"0.py", b"%d.py" % number) for number in range(ENTRIES))
    counts = struct.pack("<HHL", ENTRIES, ENTRIES, len(entries))
    path.write_bytes(data[:first] + entries + data[end : end + 8] + counts + data[end + 16 :])
    return path
