"""The katas, in teaching order: a folder each, of which a kit has one, without what is hidden."""

import json
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from grader.checks.kata import AnswerKey, Kata
from grader.checks.tiers import Claim

POINTS = "points.json"
"""In the folder of a kit's kata: the points that its checks have beside those that are hidden."""
ORDER = ("scaled_dot_product", "plain_class", "functional", "scaffold", "module", "fused_qkv")


def load(name: str, package: str = __name__) -> Kata:
    """A kata of its folder: `contract.KATA` with `public.CLAIMS`, and `hidden.CLAIMS` and `hidden.KEY` if there.

    Args:
        name: of the folder.
        package: that the folder lies in.
    """
    public = import_module(f"{package}.{name}.public")
    kind = import_module(f"{package}.{name}.contract").KATA
    if find_spec(f"{package}.{name}.hidden") is None:
        return kind(public.CLAIMS, points=json.loads(Path(str(public.__file__)).with_name(POINTS).read_text()))
    hidden = import_module(f"{package}.{name}.hidden")
    return kind((*public.CLAIMS, *hidden.CLAIMS), hidden.KEY)


def derive(base: Kata, claims: Sequence[Claim] = (), key: AnswerKey | None = None, **attributes: Any) -> Kata:
    """A kata that is another one but for its name, title, contract and whatever else is given.

    Args:
        base: whose checks and key it has.
        claims: asked beside those of the base; the points are shared out anew.
        key: in place of the base's.
        attributes: of the new kata, such as `name`, `title` and `contract`.
    """
    kind = type(type(base).__name__, (type(base),), attributes)
    return kind((*base.claims, *claims), key or base.key)


KATAS: tuple[Kata, ...] = tuple(load(name) for name in ORDER if find_spec(f"{__name__}.{name}") is not None)
