"""Names that were typed or defined, and the ones that were probably meant."""

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path


def nearest(name: str, defined: Iterable[str]) -> str | None:
    """The name that was probably meant: `did you mean ...?`; None where none comes near."""
    by_lower = {other.lower(): other for other in defined}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[close[0]] if close else None


def unknown(kind: str, name: str, names: Sequence[str]) -> str:
    """`There is no kata "scafold": did you mean scaffold? ...` and the list of all.

    Args:
        kind: of thing, such as `kata`.
        name: as typed.
        names: all that there are.
    """
    near = nearest(name, names)
    hint = f"did you mean {near}? There are" if near else "use one of"
    return f'There is no {kind} "{name}": {hint} {", ".join(names)}.'


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def shown(path: Path) -> Path:
    """A path as a person would type it from here."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
