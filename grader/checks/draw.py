"""Inputs, drawn anew in each run from the run's seed; a check chooses sizes that all differ from one another."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Self, TypeVar

import torch
from torch import Tensor

from grader.checks.case import Projections, Size

SCORE_GAIN = 1.2
"""Standard deviation of a projected feature: scores then spread over 1 and more, so that a missing scale shows."""

MOST = 256
"""How many streams are remembered: a kata has 30 to 90 for each seed, of a hundred kilobytes each."""

Drawn = TypeVar("Drawn")
_KNOWN: OrderedDict[int, dict[Any, Any]] = OrderedDict()
"""What was drawn, by a stream's seed: a tree in which each request leads to its answer and to the next requests."""


class Draw:
    """A stream of random tensors that belongs to one check of one run.

    A check draws the same for each submission of a stack and for each mistake that is replayed: what was drawn is
    remembered, so nobody may change it in place. Only a mask from `allow` is the caller's own copy.

    Args:
        seed: the run's seed.
        name: the check's name; two checks of a run never share a stream.
    """

    def __init__(self, seed: int, name: str) -> None:
        self._of_run = seed
        self.seed = derived_seed(seed, name)
        self._inputs = torch.Generator().manual_seed(self.seed)
        # Weights have a stream of their own: the inputs stay the same however an attention gets its weights.
        self._weights = torch.Generator().manual_seed(self.seed ^ 0x5EED)
        self._next = _KNOWN.setdefault(self.seed, {})
        """The requests already made at this place of the stream, each with its answer and the next requests."""
        self._remembered: list[tuple[Callable[..., object], tuple[Any, ...]]] = []
        """Requests answered from memory; the generators have to draw for them too before anything new is drawn."""
        _KNOWN.move_to_end(self.seed)
        if len(_KNOWN) > MOST:
            _KNOWN.popitem(last=False)

    def shared(self, name: str) -> Self:
        """The stream of that name, the same for all checks of the run."""
        return type(self)(self._of_run, name)

    def tensor(self, *shape: int, std: float = 1.0, dtype: torch.dtype = torch.float64) -> Tensor:
        """Normal values, drawn in float64 and rounded to `dtype`."""
        return self._drawn(self._tensor, shape, std, dtype)

    def keep(self, lengths: Sequence[int], size: int | None = None, side: str = "right") -> Tensor:
        """A padding mask, bool (N, S), True = real.

        Args:
            lengths: number of real keys of each sequence, N of them.
            size: S; None: the largest of the lengths.
            side: on which the padding lies, `left` or `right`.
        """
        places = torch.arange(max(lengths) if size is None else size)
        ends = torch.tensor(lengths)[:, None]
        if side == "left":
            return places >= len(places) - ends
        return places < ends

    def allow(self, *shape: int) -> Tensor:
        """An irregular mask, bool, True = may see; the first and last key stay visible to every query."""
        return self._drawn(self._allow, shape).clone()

    def integer(self) -> int:
        """A seed for the worker's generator."""
        return self._drawn(self._integer)

    def projections(self, size: Size) -> Projections:
        """Weights whose scores spread, and biases that are not zero."""
        return self._drawn(self._projections, size)

    def _drawn(self, draw: Callable[..., Drawn], *question: Any) -> Drawn:
        key = draw.__name__, *question
        if key in self._next:
            self._remembered.append((draw, question))
        else:
            for before, arguments in self._remembered:
                before(*arguments)
            self._remembered.clear()
            self._next[key] = draw(*question), {}
        drawn: Drawn
        drawn, self._next = self._next[key]
        return drawn

    def _tensor(self, shape: tuple[int, ...], std: float, dtype: torch.dtype) -> Tensor:
        return (torch.randn(shape, generator=self._inputs, dtype=torch.float64) * std).to(dtype)

    def _allow(self, shape: tuple[int, ...]) -> Tensor:
        allowed = torch.rand(shape, generator=self._inputs) < 0.6
        allowed[..., 0] = True
        allowed[..., -1] = True
        return allowed

    def _integer(self) -> int:
        return int(torch.randint(1, 2**31, (), generator=self._weights))

    def _projections(self, size: Size) -> Projections:
        e = size.embed_dim
        names = ("q", "k", "v", "o")
        weights = {name: self._normal(e, e) * SCORE_GAIN / e**0.5 for name in names}
        biases = {f"{name}_bias": self._normal(e) * 0.5 for name in names} if size.bias else {}
        return Projections(**weights, **biases).to(size.dtype)

    def _normal(self, *shape: int) -> Tensor:
        return torch.randn(shape, generator=self._weights, dtype=torch.float64)


@cache
def striped(*shape: int) -> Tensor:
    """bool, True = may see: every third key is hidden, and which third changes from place to place on every axis.

    Unlike a random mask it is sure to differ between any two neighbours, its own transpose and its complement.
    """
    signs = [1] * (len(shape) - 2) + [-1, 1] if len(shape) > 1 else [1]
    places = [sign * torch.arange(size) for sign, size in zip(signs, shape, strict=True)]
    return torch.stack(torch.meshgrid(*places, indexing="ij")).sum(0) % 3 != 1


def derived_seed(seed: int, name: str) -> int:
    """A seed of 48 bits that depends on both the seed and the name."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:6], "big")


@cache
def causal(queries: int, keys: int | None = None) -> Tensor:
    """bool (L, S), True = may see: query t sees the keys 0 to t, aligned top-left as in PyTorch's `is_causal`."""
    return torch.ones(queries, queries if keys is None else keys, dtype=torch.bool).tril()
