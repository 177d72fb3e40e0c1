"""The katas, in teaching order: a folder each, of which a kit has one, without what is hidden."""

from importlib import import_module
from importlib.util import find_spec

from grader.checks.kata import Kata

ORDER = ("scaled_dot_product", "plain_class", "functional", "scaffold", "module", "fused_qkv")


def load(name: str, package: str = __name__) -> Kata:
    """A kata of its folder: `contract.KATA` with `public.CLAIMS`, and `hidden.CLAIMS` and `hidden.KEY` if there.

    Args:
        name: of the folder.
        package: that the folder lies in.
    """
    kind = import_module(f"{package}.{name}.contract").KATA
    claims = import_module(f"{package}.{name}.public").CLAIMS
    if find_spec(f"{package}.{name}.hidden") is None:
        return kind(claims)
    hidden = import_module(f"{package}.{name}.hidden")
    return kind((*claims, *hidden.CLAIMS), hidden.KEY)


KATAS: tuple[Kata, ...] = tuple(load(name) for name in ORDER if find_spec(f"{__name__}.{name}") is not None)
