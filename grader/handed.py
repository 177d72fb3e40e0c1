"""What was handed in: from a path to submissions that were read. A file, a folder, a zip file, a kit that came back."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from grader.records import GraderError, Submission
from grader.submission import SUFFIXES, decoded, limit_of, read
from grader.submission.kit_json import LIMIT, NAME, Kit, Returned, code_of, loads
from grader.submission.tree import Folder, Tree
from grader.submission.written import is_answer, is_rewritten, names_asked


class Handed(NamedTuple):
    """A file that was handed in: read, or the sentence that says why not."""

    path: Path
    submission: Submission | None
    problem: str | None
    kata: str | None = None
    """None: to be told from the submission."""
    returned: Returned | None = None
    """The kit that it came back in."""


class HandedIn(NamedTuple):
    """All that a path led to."""

    files: list[Handed]
    is_stack: bool
    """A folder or zip file of submissions, not one of them."""


def handed_in(path: Path, kata: str | None) -> HandedIn:
    """Read what is at a path.

    Args:
        path: a file, a folder or a zip file; `~` is expanded.
        kata: the one that was named, if any.

    Raises:
        GraderError: nothing is there, or no submission in it.
    """
    path = path.expanduser()
    if path.is_dir():
        return _in_tree(Folder(path), kata)
    if not path.is_file():
        read(path)  # raises with the sentence: there is nothing to make a report about
    # BEGIN HIDDEN
    if path.suffix.lower() == ".zip":
        from grader.submission.archive import open_archive  # its libraries are not needed for anything else

        try:
            return _in_tree(open_archive(path), kata)
        except GraderError as error:
            return HandedIn([Handed(path, None, str(error), kata)], is_stack=False)
    # END HIDDEN
    return HandedIn([_read(path, kata)], is_stack=False)


def exercises(kata: str | None, katas: Sequence[str], root: Path) -> list[Handed]:
    """The exercises below the grader's own folder; in a kit what was written, as of one that came back.

    Raises:
        GraderError: one is missing, or the kit's manifest is damaged.
    """
    if own_kit(root) is not None:
        return _kit(Folder(_shown(root)), "", kata)
    paths = [root / "exercises" / f"{name}.py" for name in ([kata] if kata else katas)]
    missing = [path for path in paths if not path.is_file()]
    if missing:
        raise GraderError(f"{_shown(missing[0])} does not exist: make stubs writes it.")
    return [_read(_shown(path), path.stem) for path in paths]


def own_kit(root: Path) -> Kit | None:
    """The manifest of the kit that this grader is part of; None: it is the whole repository."""
    path = root / NAME
    return loads(path.read_bytes(), NAME) if path.is_file() else None


def _shown(path: Path) -> Path:
    """A path as a person would type it from here."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _read(path: Path, kata: str | None) -> Handed:
    try:
        return Handed(path, read(path), None, kata)
    except GraderError as error:
        return Handed(path, None, str(error), kata)


def _in_tree(tree: Tree, kata: str | None) -> HandedIn:
    bases = _bases(tree)
    kits = [file for base in sorted(bases) for file in _kit(tree, base, kata)]
    others = []
    for name in tree.names:
        suffix = Path(name).suffix.lower()
        if not bases.isdisjoint(_above(name)):
            continue
        if suffix in SUFFIXES:
            others.append(_member(tree, name, kata))
        # BEGIN HIDDEN
        elif suffix == ".zip" and isinstance(tree, Folder):
            others += handed_in(tree.path / name, kata).files
        # END HIDDEN
    if not kits and not others:
        raise GraderError(f"{tree.path} holds no submission: put .py or .ipynb files into it.")
    return HandedIn(sorted([*kits, *others], key=lambda file: file.path), is_stack=bool(others) or len(bases) > 1)


def _bases(tree: Tree) -> set[str]:
    """The folders of the kits, none of them inside another; a kit.json with nothing to write beside it is another's."""
    to_write = ("exercises/", "notebooks/")
    beside = {base for name in tree.names for base in _above(name) if name.startswith(to_write, len(base))}
    bases: set[str] = set()
    for name in sorted((name for name in tree.names if Path(name).name == NAME), key=len):
        base = name.removesuffix(NAME)
        if base in beside and bases.isdisjoint(_above(base)):
            bases.add(base)
    return bases


def _above(name: str) -> list[str]:
    """The folders that a path lies in, from the outermost: `a/b/c` lies in ``, `a/` and `a/b/`."""
    return ["", *(name[: place + 1] for place, sign in enumerate(name) if sign == "/")]


def _kit(tree: Tree, base: str, kata: str | None) -> list[Handed]:
    """What was written in a kit.

    Of its files to write in all that define otherwise than the stub what the kata asks for; where none does, the file
    that was added and does; else those whose code is not the pristine one, or the first.
    """
    place = tree.path / base
    try:
        kit = loads(tree.data(base + NAME, LIMIT), str(place / NAME))
    except GraderError as error:
        return [Handed(place, None, str(error), kata)]
    there = [name for name in kit.code if base + name in tree.names]

    def member(name: str) -> Handed:
        return _member(tree, base + name, kata or kit.kata)._replace(returned=Returned(kit, tree, base))

    touched = [(name, member(name)) for name in there if tree.digest(base + name) != kit.files.get(name)]
    written = [file for name, file in touched if file.submission is None or code_of(file.submission) != kit.code[name]]
    added: list[tuple[str, Handed]] = []
    stub = _stub(kit, tree, base)
    if stub is not None:
        answers = [file for file in written if file.submission is None or is_rewritten(file.submission, stub)]
        if answers:
            return answers
        read_ones = [(name, member(name)) for name in _added(kit, tree, base)]
        added = [(name, file) for name, file in read_ones if file.submission and is_answer(file.submission, stub)]
        if len(added) > 1:
            problem = (
                f"{place}: nothing was written in {', '.join(kit.code)}, and several other files define "
                f"{', '.join(names_asked(stub))}: {', '.join(name for name, _ in added)}. Hand in one of them alone."
            )
            return [Handed(place, None, problem, kata)]
    if not there and not added:
        problem = f"{place} is a kit and holds none of {', '.join(kit.code)}: put one of them back."
        return [Handed(place, None, problem, kata)]
    return [file for _, file in added] or written or [member(there[0])]


def _stub(kit: Kit, tree: Tree, base: str) -> Submission | None:
    """The kit's pristine stub; None: it is missing or was changed."""
    name = f"pristine/{kit.kata}.py"
    if base + name not in tree.names or tree.digest(base + name) != kit.files.get(name):
        return None
    return _member(tree, base + name, None).submission


def _added(kit: Kit, tree: Tree, base: str) -> list[str]:
    """The sources in a kit that are none of its own, nor of a library that was installed into it."""
    names = [name.removeprefix(base) for name in tree.names if name.startswith(base)]
    sources = [name for name in names if Path(name).suffix.lower() in SUFFIXES and "site-packages" not in name]
    return [name for name in sources if name not in kit.files]


def _member(tree: Tree, name: str, kata: str | None) -> Handed:
    path = tree.path / name
    if isinstance(tree, Folder):
        return _read(path, kata)
    try:
        return Handed(path, decoded(path, tree.data(name, limit_of(path))), None, kata)
    except GraderError as error:
        return Handed(path, None, str(error), kata)
