"""`make kata NAME=new_kata LIKE=plain_class` begins a kata as a copy of another one, whole but for the tables of pages.

What is copied are the files that a person writes; what is generated is generated. From there on the contract, the
solution and the checks are changed until they are the new kata's.
"""

import argparse
import keyword
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from grader.katas import DERIVED, ORDER
from grader.records import GraderError
from tests.check import OF_A_KATA
from tests.grading import BY_NAME, ROOT

SOLUTION, FOLDER = "solutions/{}.py", "grader/katas/{}"
STUBS = ("exercises/{}.py", "notebooks/{}.ipynb")
REGISTRY, INDEX = "grader/katas/__init__.py", "notebooks/index.ipynb"
EDITS = "tests/mistakes/{}.py"
NO_EDITS = '''"""Edits of our solution of `{}`: mistakes, and what has no name."""

from tests.mistakes import Change, Edit

EDITS: tuple[Edit, ...] = ()
WITHOUT_A_NAME: dict[str, tuple[Change, ...]] = {{}}
'''


def begin(name: str, like: str, root: Path = ROOT) -> list[Path]:
    """Begins a kata, whole with its stubs; where a step fails, all that was written is taken back.

    Args:
        name: of the new kata, lower case with underscores.
        like: the kata to copy.
        root: the repository.

    Returns:
        The files that were written.

    Raises:
        ValueError: the name is none, or is taken, or there is no such kata to copy.
        GraderError: the stubs cannot be written.
        OSError: a file cannot be written.
    """
    _refuse(name, like, root)
    before = _may_change(root)
    try:
        written = copy(name, like, root)
        write_stubs(root)
    except BaseException:
        _take_back(name, before, root)
        raise
    return [*written, *(root / file.format(name) for file in STUBS), root / INDEX]


def _refuse(name: str, like: str, root: Path) -> None:
    if like not in ORDER:
        raise ValueError(f'There is no kata "{like}" to begin with: use one of {", ".join(ORDER)}')
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(
            f'"{name}" is no name of a kata: use lower case letters, digits and _, as in blocked_attention'
        )
    if keyword.iskeyword(name):
        raise ValueError(f'"{name}" is a keyword of Python, which no module can be named: choose another name')
    taken = [file.format(name) for file in (FOLDER, *OF_A_KATA) if (root / file.format(name)).exists()]
    if taken or name in ORDER:
        raise ValueError(f"{name} is there already ({taken[0] if taken else REGISTRY}): choose another name")
    if find_spec(name):
        hidden = f"is a module that is there already, and exercises/{name}.py would hide it"
        raise ValueError(f'"{name}" {hidden}: choose another name')


def _may_change(root: Path) -> dict[Path, bytes]:
    """What the registry and all generated files hold: stubs that are out of date are written anew with the others."""
    files = [root / REGISTRY, *(path for file in STUBS for path in (root / file).parent.glob("*") if path.is_file())]
    return {path: path.read_bytes() for path in files}


def _take_back(name: str, before: dict[Path, bytes], root: Path) -> None:
    shutil.rmtree(root / FOLDER.format(name), ignore_errors=True)
    for file in OF_A_KATA:
        (root / file.format(name)).unlink(missing_ok=True)
    for path, content in _may_change(root).items():
        if path not in before and path.suffix == ".bak":
            path.unlink()
        elif path in before and content != before[path]:
            path.write_bytes(before[path])


def copy(name: str, like: str, root: Path) -> list[Path]:
    """Copies a kata's files under another name and puts that into the registry, behind the one it is like.

    Args:
        name: of the new kata.
        like: the kata to copy.
        root: the repository.

    Returns:
        The files that were written; the stubs are none of them.
    """
    given = root / FOLDER.format(like)
    own = sorted(path.relative_to(given).as_posix() for path in given.rglob("*.py"))
    written = []
    for file in (SOLUTION, *(f"{FOLDER}/{path}" for path in own)):
        path = root / file.format(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (root / file.format(like)).read_text(encoding="utf-8")
        path.write_text(_renamed(text, like, name), encoding="utf-8")
        written.append(path)
    edits, registry = root / EDITS.format(name), root / REGISTRY
    edits.write_text(NO_EDITS.format(name), encoding="utf-8")
    registry.write_text(_registered(registry.read_text(encoding="utf-8"), like, name), encoding="utf-8")
    return [*written, edits, registry]


def _renamed(text: str, like: str, name: str) -> str:
    """The kata's name where it is that, and not a word as in torch.nn.functional, and the name of its class."""
    before_a_name = r'^"""`|\bgrader\.katas\.|^    name = "|\bContract\(\s*"'
    text = re.sub(rf"({before_a_name}){like}\b", rf"\g<1>{name}", text, flags=re.MULTILINE)
    kind, own = type(BY_NAME[like]).__name__, "".join(part.capitalize() for part in name.split("_"))
    return re.sub(rf"^(class |KATA = ){kind}\b", rf"\g<1>{own}", text, flags=re.MULTILINE)


def _registered(text: str, like: str, name: str) -> str:
    """The registry with the new kata, derived of another one where the one that it is like is."""
    text = text.replace(f'    "{like}",\n', f'    "{like}",\n    "{name}",\n', 1)
    if like not in DERIVED:
        return text
    entry = f'"{like}": "{DERIVED[like]}"'
    return text.replace(entry, f'{entry}, "{name}": "{DERIVED[like]}"', 1)


def write_stubs(root: Path) -> None:
    """Writes all stubs, in a process of its own, which reads the new registry.

    Raises:
        GraderError: with what that process said.
    """
    command = [sys.executable, "-m", "grader", "stubs"]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise GraderError(f"the stubs cannot be written: correct the error that follows.\n{ran.stderr.rstrip()}")


def main() -> int:
    """The command.

    Returns:
        The exit status: 0, or 2 where no kata was begun.
    """
    parser = argparse.ArgumentParser(prog="make kata", description=__doc__)
    parser.add_argument("--name", required=True)
    parser.add_argument("--like", default="plain_class")
    options = parser.parse_args()
    try:
        written = begin(options.name, options.like)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    except (GraderError, OSError) as error:
        print(f"{options.name} is not begun, and what was written is taken back: {error}", file=sys.stderr)
        return 2
    for path in written:
        print(f"written: {path.relative_to(ROOT)}")
    print(f"next: change solutions/{options.name}.py and grader/katas/{options.name}/")
    print("then: make stubs, make readme and make check")
    return 0


if __name__ == "__main__":
    sys.exit(main())
