"""`make kata NAME=rope LIKE=plain_class` begins a kata as a copy of another one, whole but for the tables of pages.

What is copied are the files that a person writes; what is generated is generated. From there on the contract, the
solution and the checks are changed until they are the new kata's.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from grader.katas import ORDER
from tests.grading import ROOT

SOLUTION, FOLDER = "solutions/{}.py", "grader/katas/{}"
REGISTRY = "grader/katas/__init__.py"
EDITS = "tests/mistakes/{}.py"
NO_EDITS = '''"""Edits of our solution of `{}`: mistakes that it is the first kata to have, and what has no name."""

from tests.mistakes import Change, Edit

EDITS: tuple[Edit, ...] = ()
WITHOUT_A_NAME: dict[str, tuple[Change, ...]] = {{}}
'''


def begin(name: str, like: str, root: Path = ROOT) -> list[Path]:
    """Copies a kata's files under another name and puts that into the registry, behind the one it is like.

    Args:
        name: of the new kata, lower case with underscores.
        like: the kata to copy.
        root: the repository.

    Returns:
        The files that were written.

    Raises:
        ValueError: the name is none, or is taken, or there is no such kata to copy.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(
            f'"{name}" is no name of a kata: use lower case letters, digits and _, as in blocked_attention'
        )
    if like not in ORDER:
        raise ValueError(f'There is no kata "{like}" to begin with: use one of {", ".join(ORDER)}')
    given = root / FOLDER.format(like)
    own = sorted(path.relative_to(given).as_posix() for path in given.rglob("*.py"))
    files = [SOLUTION, *(f"{FOLDER}/{path}" for path in own)]
    taken = [file.format(name) for file in files if (root / file.format(name)).exists()]
    if taken or name in ORDER:
        raise ValueError(f"{name} is there already ({taken[0] if taken else REGISTRY}): choose another name")
    written = []
    for file in files:
        path = root / file.format(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (root / file.format(like)).read_text(encoding="utf-8")
        path.write_text(_renamed(text, like, name), encoding="utf-8")
        written.append(path)
    edits = root / EDITS.format(name)
    edits.write_text(NO_EDITS.format(name), encoding="utf-8")
    registry = root / REGISTRY
    text = registry.read_text(encoding="utf-8")
    registry.write_text(text.replace(f'"{like}"', f'"{like}", "{name}"', 1), encoding="utf-8")
    # In a process of its own, which reads the new registry.
    subprocess.run([sys.executable, "-m", "grader", "stubs"], cwd=root, stdout=subprocess.DEVNULL, check=True)
    stubs = [root / "exercises" / f"{name}.py", root / "notebooks" / f"{name}.ipynb"]
    return [*written, edits, registry, *stubs]


def _renamed(text: str, like: str, name: str) -> str:
    """The kata's name where it is one, and the name of its class of checks."""
    text = re.sub(rf"\b{like}\b", name, text)
    return re.sub(r"^class (\w+)\((\w*Kata)\)", rf"class {_camel(name)}(\2)", text, flags=re.MULTILINE).replace(
        f"KATA = {_class_of(text)}\n", f"KATA = {_camel(name)}\n"
    )


def _class_of(text: str) -> str:
    found = re.search(r"^KATA = (\w+)$", text, re.MULTILINE)
    return found[1] if found else ""


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def main() -> int:
    """The command.

    Returns:
        The exit status: 0, or 2 where the names cannot be used.
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
    for path in written:
        print(f"written: {path.relative_to(ROOT)}")
    print(f"next: change solutions/{options.name}.py and grader/katas/{options.name}/")
    print("then: make stubs, make readme and make check")
    return 0


if __name__ == "__main__":
    sys.exit(main())
