"""The hints of a kata, as its notebook has them."""

import json
import re
from pathlib import Path
from typing import NamedTuple

HINT = re.compile(r"<details><summary>Hint \d+: (.*?)</summary>\s*(.*?)\s*</details>", re.DOTALL)


class Hint(NamedTuple):
    """One of them."""

    about: str
    text: str


def hints(kata: str, root: Path) -> tuple[Hint, ...]:
    """In the order in which they help; none where the notebook is gone or damaged.

    Args:
        kata: its name.
        root: the repository or the kit.
    """
    try:
        book = json.loads((root / "notebooks" / f"{kata}.ipynb").read_text(encoding="utf-8"))
        texts = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "markdown"]
    except (OSError, ValueError, TypeError, KeyError):
        return ()
    return tuple(Hint(found[1], _unwrapped(found[2])) for text in texts for found in HINT.finditer(text))


def _unwrapped(text: str) -> str:
    """Each paragraph in one line."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))
