"""Hands in zip files in zip files, four deep and four wide, which unpack to 256 MiB where each of them is opened."""

import io
import zipfile
from pathlib import Path

REFUSED = "is an archive that is not opened"


def make(folder: Path, code: str) -> Path:
    data, suffix = bytes(1 << 20), "py"
    for _ in range(4):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(4):
                archive.writestr(f"{number}.{suffix}", data)
        data, suffix = packed.getvalue(), "zip"
    path = folder / "candidate.zip"
    path.write_bytes(data)
    return path
