"""`reset`: puts the pristine stub and notebook back, and keeps the old texts in .bak files."""

import argparse
from pathlib import Path

from grader.core import place
from grader.formats.lines import say
from grader.katas import ORDER
from grader.optional import optional
from grader.records import GraderError
from grader.stubs.backup import replace_text
from grader.submission import unknown
from grader.submission.paths import as_typed

HELP = "give the pristine stub and notebook back and keep the old texts in .bak files"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("kata", nargs="?")


def run(options: argparse.Namespace) -> int:
    """Write the pristine stub and notebook.

    Raises:
        GraderError: no kata was named and there are several, no such kata, or the stub cannot be read or written.
    """
    # The names come from the files, not from the katas, which would import PyTorch just to copy a text.
    # In a kit only the stub's own name counts: beside the exercise a candidate may keep other files.
    folders = ("pristine",) if any((place.ROOT / "pristine").glob("*.py")) else ("exercises", "solutions")
    here = {path.stem for folder in folders for path in (place.ROOT / folder).glob("*.py")}
    names = [*(name for name in ORDER if name in here), *sorted(here.difference(ORDER))]
    chosen = options.kata or (names[0] if len(names) == 1 else None)
    if chosen is None:
        raise GraderError(f"No kata was named to reset: make reset KATA=NAME, with one of {', '.join(names)}.")
    if chosen not in names:
        raise GraderError(unknown("kata", chosen, names))
    files = {"stub": Path("exercises", f"{chosen}.py"), "notebook": Path("notebooks", f"{chosen}.ipynb")}
    texts = {what: _pristine(path.name, what, chosen) for what, path in files.items()}
    for what, path in files.items():
        backup = replace_text(place.ROOT / path, texts[what])
        kept = f"; the old text is in {as_typed(backup)}" if backup else ""
        say(f"{as_typed(place.ROOT / path)} is the pristine {what}{kept}\n")
    return 0


def _pristine(name: str, what: str, kata: str) -> str:
    path = place.ROOT / "pristine" / name  # only in a kit, which has no solution to write the text from
    writer = None if path.parent.is_dir() else optional("grader.stubs.writer")
    if writer is not None:
        text: str = writer.stub(kata, place.ROOT) if what == "stub" else writer.notebook_text(kata, place.ROOT)
        return text
    if not path.is_file():
        raise GraderError(f"{as_typed(path)} is missing, and the {what} is copied from it: restore the file.")
    return path.read_text(encoding="utf-8")
