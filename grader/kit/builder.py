"""The kit of one kata, as a zip file that is the same, byte for byte, for the same sources."""

import hashlib
import io
import json
import zipfile
from pathlib import Path
from string import Template

from grader.checks.kata import Kata
from grader.katas import DERIVED, POINTS
from grader.kit.manifest import COPIED, LEFT_OUT, OF_THE_KATA, REQUIREMENTS
from grader.records import GraderError, Visibility
from grader.stubs.writer import notebook_text, stub
from grader.submission.decode import decode
from grader.submission.kit_json import NAME, Kit, code_of, dumps

TEMPLATE = Path(__file__).with_name("README.md")
OLDEST = (1980, 1, 1, 0, 0, 0)
"""The first date that a zip file can hold: no member tells when it was made."""
MODE = 0o100644


def build_archive(kata: Kata, root: Path) -> bytes:
    """Return the kit as a zip file.

    Raises:
        GraderError: as `build`.
    """
    archive = io.BytesIO()
    # Stored, not compressed: what a compressor writes depends on its version.
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as packed:
        for name, data in sorted(build(kata, root).items()):
            member = zipfile.ZipInfo(name, OLDEST)
            member.create_system, member.external_attr = 3, MODE << 16
            packed.writestr(member, data)
    return archive.getvalue()


def build(kata: Kata, root: Path) -> dict[str, bytes]:
    """Return every file of the kit, by its path in the kit.

    Args:
        kata: the kata that the kit is for.
        root: the repository.

    Raises:
        GraderError: a file that the kit is made of is missing.
    """
    name, exercise, book = kata.name, stub(kata.name, root), notebook_text(kata.name, root, hints=False)
    texts = {path: _text(root, path) for path in _copied(root, name)}
    points = {check.name: check.points for check in kata.checks if check.visibility is Visibility.PUBLIC}
    texts[f"grader/katas/{name}/{POINTS}"] = json.dumps(points, indent=1) + "\n"
    texts["Makefile"] = _text(root, "grader/kit/Makefile")
    texts["requirements.txt"] = _requirements(_text(root, "requirements.txt"))
    texts["README.md"] = _readme(kata)
    texts |= {f"pristine/{name}.py": exercise, f"pristine/{name}.ipynb": book}
    to_write = {
        f"exercises/{name}.py": exercise,
        f"notebooks/{name}.ipynb": book,
    }
    files = {path: text.encode() for path, text in (texts | to_write).items()}
    manifest = Kit(
        kata=name,
        public_points=_points(kata, Visibility.PUBLIC),
        all_points=_points(kata, *Visibility),
        code={path: code_of(decode(Path(path), files[path])) for path in to_write},
        files={path: hashlib.sha256(data).hexdigest() for path, data in sorted(files.items())},
    )
    return files | {NAME: dumps(manifest).encode()}


def _copied(root: Path, kata: str) -> list[str]:
    paths: list[str] = []
    folders = [kata, *([DERIVED[kata]] if kata in DERIVED else [])]
    for pattern in (*COPIED, *(f"grader/katas/{folder}/{file}" for folder in folders for file in OF_THE_KATA)):
        matching = sorted(path.relative_to(root).as_posix() for path in root.glob(pattern))
        if not matching:
            raise GraderError(f"{pattern} is missing for the kit: restore it.")
        paths += matching
    return [path for path in paths if path not in LEFT_OUT]


def _text(root: Path, path: str) -> str:
    try:
        return (root / path).read_text(encoding="utf-8")
    except OSError as error:
        raise GraderError(f"{path} cannot be read ({error.strerror}) for the kit: restore it.") from error


def _requirements(text: str) -> str:
    wanted = [line for line in text.splitlines() if line.partition("==")[0] in REQUIREMENTS]
    return "\n".join(["# What `make` installs into .venv.", *wanted]) + "\n"


def _readme(kata: Kata) -> str:
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        kata=kata.name,
        title=kata.title,
        public=_points(kata, Visibility.PUBLIC),
        all=_points(kata, *Visibility),
    )


def _points(kata: Kata, *visible: Visibility) -> int:
    return sum(check.points for check in kata.checks if check.visibility in visible)
