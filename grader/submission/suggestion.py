"""`did you mean ...?`: finds the known name that was probably meant by an unknown one."""

import difflib
from collections.abc import Iterable, Sequence


def nearest(name: str, defined: Iterable[str]) -> str | None:
    """The name that was probably meant: `did you mean ...?`; None where none comes near."""
    by_lower = {other.lower(): other for other in defined}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[close[0]] if close else None


def unknown(kind: str, name: str, names: Sequence[str]) -> str:
    """`There is no kata "scafold": did you mean scaffold? ...` and the list of all.

    Args:
        kind: the kind of thing, such as `kata`.
        name: as typed.
        names: all known names.
    """
    near = nearest(name, names)
    hint = f"did you mean {near}? There are" if near else "use one of"
    return f'There is no {kind} "{name}": {hint} {", ".join(names)}.'
