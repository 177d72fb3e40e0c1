"""The katas, in teaching order: a folder each. A kit has one kata, without what is hidden.

Their names are known at once; PyTorch is imported with the katas themselves, when `KATAS` is first asked for.
"""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.checks.kata import Kata
    from grader.checks.tiers import Claim

    KATAS: tuple[Kata, ...]

POINTS = "points.json"
"""The file, in the folder of a kit's kata, with the points of its public checks; hidden checks have the others."""
ORDER = (
    "scaled_dot_product",
    "plain_class",
    "functional",
    "scaffold",
    "module",
    "fused_qkv",
    "rope",
    "need_weights",
    "sdpa_backend",
    "write_head_permutation_test",
    "write_memory_benchmark",
    "write_fp16_stability_test",
    "repair_functional",
)
"""Group by group, as `make list` shows them."""
DERIVED = {"repair_functional": "functional", "need_weights": "module"}
"""Katas derived from another kata, which supplies what their own folder does not define."""


def load(name: str, package: str = __name__) -> Kata:
    """The kata of a folder: `contract.KATA` with `public.CLAIMS`, and `hidden.CLAIMS` and `hidden.KEY` if there.

    Args:
        name: the name of the folder.
        package: the package that the folder lies in.
    """
    kind, claims, key = _parts(name, package)
    if key is None:
        return kind(claims, points=json.loads(_points(name, package).read_text()))
    return kind(claims, key)


def _parts(name: str, package: str) -> tuple[Any, tuple[Claim, ...], Any]:
    """The class of a kata, its claims, and its key, which only the judge has: None in a kit.

    A kata in `DERIVED` has all of another kata, but for what its own `contract.KATA` defines; its claims and the
    questions of its `hidden.QUESTIONS` are added to the other kata's.
    """
    contract, public = (import_module(f"{package}.{name}.{part}") for part in ("contract", "public"))
    hidden = import_module(f"{package}.{name}.hidden") if find_spec(f"{package}.{name}.hidden") else None
    claims = (*public.CLAIMS, *(hidden.CLAIMS if hidden else ()))
    if name not in DERIVED:
        return contract.KATA, claims, hidden.KEY if hidden else None
    base, of_base, key = _parts(DERIVED[name], package)
    if key is not None and hidden is not None:
        key = replace(key, questions={**key.questions, **hidden.QUESTIONS})
    own = {"contract": replace(getattr(contract.KATA, "contract", base.contract), kata=name, by_name_alone=True)}
    return type(contract.KATA.__name__, (contract.KATA, base), own), (*of_base, *claims), key


def _points(name: str, package: str) -> Path:
    return Path(str(find_spec(f"{package}.{name}.public").origin)).with_name(POINTS)  # type: ignore[union-attr]


def _is_here(name: str) -> bool:
    """Whether the kata is complete here: a kit has one kata, and only parts of the kata that it is derived from."""
    if find_spec(f"{__name__}.{name}") is None:
        return False
    return find_spec(f"{__name__}.{name}.hidden") is not None or _points(name, __name__).exists()


def names() -> tuple[str, ...]:
    """The names of the katas that are here, in teaching order."""
    return tuple(name for name in ORDER if _is_here(name))


def __getattr__(name: str) -> Any:
    if name != "KATAS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = katas = tuple(load(kata) for kata in names())
    return katas
