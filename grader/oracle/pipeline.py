"""The oracle: attention as a pipeline of named steps; a mistake is one step replaced.

Vaswani et al. 2017, "Attention Is All You Need", section 3.2, in float64 and with the plainest operators.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import torch
from torch import Tensor

from grader.checks.case import Answer, Case, Projections, Size
from grader.checks.draw import causal
from grader.oracle.style import ZEROS, Style
from grader.oracle.walk import Walk

MOST_SCORES = 10_000_000
"""The most scores of one call: no check asks for a tenth of that."""


@dataclass(frozen=True, slots=True)
class Context:
    """What every step may look at."""

    case: Case
    size: Size
    weights: Projections
    style: Style = ZEROS


@dataclass(frozen=True, slots=True)
class HelperContext(Context):
    """The context of a step that a helper of the contract takes by itself."""

    @classmethod
    def of(
        cls,
        size: Size,
        style: Style = ZEROS,
        allow: Tensor | None = None,
        keep: Tensor | None = None,
        bias: Tensor | None = None,
    ) -> Self:
        """A context whose projections change nothing.

        Args:
            size: how the attention is built.
            style: of the pipeline that the step belongs to.
            allow: bool, True = may see.
            keep: bool (N, S), True = a real key.
            bias: float, added to the scores.
        """
        e = torch.eye(size.embed_dim, dtype=size.dtype)
        return cls(Case(e, allow=allow, keep=keep, bias=bias), size, Projections(e, e, e, e), style)


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps in running order; each takes its tensors and the context.

    Attributes:
        project: the inputs become query, key, value, (N, L|S, E) each.
        split: (N, L, E) becomes (N, H, L, D).
        score: query and key become scores (N, H, L, S).
        scale: scores become scaled scores.
        mask: scaled scores become masked scores.
        later_keys: masked scores lose the keys after the query, where the call says that it is causal.
        softmax: masked scores become weights; a row with nothing to see becomes zeros.
        dropout: weights become the weights in use.
        weighted_sum: weights and value become (N, H, L, D).
        merge: (N, H, L, D) becomes (N, L, E).
        project_out: (N, L, E) is mixed by the output projection.
        drop_output: the result becomes the output.
        give: weights become the weights that the contract returns.
        causal: T queries and S keys become the causal mask (T, S) of a contract's helper; no other step uses it.
        style: one of the ways in which right programs differ.
    """

    project: Callable[[Context], tuple[Tensor, Tensor, Tensor]]
    split: Callable[[Tensor, Context], Tensor]
    score: Callable[[Tensor, Tensor, Context], Tensor]
    scale: Callable[[Tensor, Context], Tensor]
    mask: Callable[[Tensor, Context], Tensor]
    later_keys: Callable[[Tensor, Context], Tensor]
    softmax: Callable[[Tensor, Context], Tensor]
    dropout: Callable[[Tensor, Context], Tensor]
    weighted_sum: Callable[[Tensor, Tensor, Context], Tensor]
    merge: Callable[[Tensor, Context], Tensor]
    project_out: Callable[[Tensor, Context], Tensor]
    drop_output: Callable[[Tensor, Context], Tensor]
    give: Callable[[Tensor, Context], Tensor | None]
    causal: Callable[..., Tensor]
    style: Style = ZEROS

    stages: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "project": ("project",),
        "split": ("split",),
        "scale": ("score", "scale"),
        "mask": ("mask", "later_keys", "style"),
        "softmax": ("softmax", "style"),
        "dropout": ("dropout",),
        "weighted_sum": ("weighted_sum",),
        "merge": ("merge",),
        "output": ("project_out", "drop_output"),
        "give": ("give", "style"),
    }
    """The stages in running order, each with the steps that are taken in it."""

    def but(self, **steps: Callable[..., object] | Style) -> Self:
        """The same pipeline with some steps replaced, or in another style."""
        return replace(self, **steps)  # type: ignore[arg-type]  # each step's type is its field's

    def prepared(self, query: Tensor, key: Tensor, value: Tensor, c: Context) -> tuple[Tensor, Tensor, Tensor]:
        """Query, key and value as a subclass changes them before the scores are computed; here unchanged.

        Args:
            query: (N, H, L, D).
            key: (N, H, S, D).
            value: (N, H, S, D).
            c: as every step gets it.
        """
        return query, key, value

    def walk(self, case: Case, size: Size, beside: Walk | None = None) -> Walk:
        """Begin a walk through a call.

        Args:
            case: the call.
            size: how the attention is built.
            beside: another program's walk through the same call.
        """
        return Walk(self, self.stages, beside, draws=case.manner.training and size.dropout > 0)

    def run(self, case: Case, size: Size, weights: Projections, walk: Walk | None = None) -> Answer:
        """The answer after all the steps, taken from the generator's state that the worker's call began with.

        Args:
            case: the call.
            size: how the attention is built.
            weights: (E, E) each, biases (E,).
            walk: of this program through this call; None: nothing of it is known.
        """
        c, take = self._begun(case, size, weights, walk)
        value, dropped, given = self._weighed(c, take)
        mixed = take("weighted_sum", lambda: self.weighted_sum(dropped, value, c))
        merged = take("merge", lambda: self.merge(mixed, c))
        output = take("output", lambda: self.drop_output(self.project_out(merged, c), c))
        return Answer(output, given)

    def give_weights(self, case: Case, size: Size, weights: Projections, walk: Walk) -> Tensor | None:
        """The weights that `run` returns, without what comes after them.

        Args:
            case: the call.
            size: how the attention is built.
            weights: (E, E) each, biases (E,).
            walk: of this program through this call; what is computed stays in it.
        """
        return self._weighed(*self._begun(case, size, weights, walk))[2]

    def _begun(
        self, case: Case, size: Size, weights: Projections, walk: Walk | None
    ) -> tuple[Context, Callable[..., Any]]:
        # Two programs that walk through a call draw the same numbers, even where the call has no seed of its own.
        seed = 0 if walk is not None and case.manner.seed is None else case.manner.seed
        if seed is not None:
            torch.default_generator.manual_seed(seed)  # torch.manual_seed also looks for other devices, for 1 ms
        return Context(case, size, weights, self.style), (walk or self.walk(case, size)).take

    def _weighed(self, c: Context, take: Callable[..., Any]) -> tuple[Tensor, Tensor, Tensor | None]:
        """The values, the weights that mix them, and the weights that are returned."""
        query, key, value = take("project", lambda: self.project(c))
        split = take("split", lambda: self.prepared(self.split(query, c), self.split(key, c), self.split(value, c), c))
        query, key, value = split
        scores = take("scale", lambda: self.scale(self.score(query, key, c), c))
        masked = take("mask", lambda: self.later_keys(self.mask(scores, c), c))
        weights_in_use = take("softmax", lambda: self.softmax(masked, c))
        dropped = take("dropout", lambda: self.dropout(weights_in_use, c))

        def give() -> Tensor | None:
            apart = self.style.of_weights
            if apart is None:
                return self.give(dropped if self.style.gives_dropped else weights_in_use, c)
            own = replace(c, style=apart)
            return self.give(self.softmax(self.later_keys(self.mask(scores, own), own), own), own)

        return value, dropped, take("give", give)


def noting(steps: Steps, taken: set[str]) -> Steps:
    """The same steps, each of which adds its name to `taken` when it is taken."""

    def noted(name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        def take(*args: Any) -> Any:
            taken.add(name)
            return step(*args)

        return take

    named = {field.name: getattr(steps, field.name) for field in fields(steps)}
    return steps.but(**{name: noted(name, step) for name, step in named.items() if callable(step)})


def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """x W^T + b, as nn.Linear.

    Args:
        x: (..., in features).
        weight: (out features, in features).
        bias: (out features,), or None.
    """
    return x @ weight.T if bias is None else x @ weight.T + bias


def project(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    w = c.weights
    return (
        linear(c.case.query, w.q, w.q_bias),
        linear(c.case.keys, w.k, w.k_bias),
        linear(c.case.values, w.v, w.v_bias),
    )


def split(x: Tensor, c: Context) -> Tensor:
    n, length, _ = x.shape
    return x.reshape(n, length, c.size.num_heads, c.size.head_dim).transpose(1, 2)


def score(query: Tensor, key: Tensor, c: Context) -> Tensor:
    """The scores (N, H, L, S), not scaled yet.

    Args:
        query: (N, H, L, D).
        key: (N, H, S, D).
        c: as every step gets it; not looked at.
    """
    return query @ key.transpose(-2, -1)


def scale(scores: Tensor, c: Context) -> Tensor:
    return scores / math.sqrt(c.size.head_dim)


def hidden(scores: Tensor, c: Context) -> Tensor:
    """bool, True = hidden, broadcastable to the scores."""
    joined = torch.zeros((), dtype=torch.bool)
    for part in hidden_by_each(scores, c):
        joined = joined | part
    return joined


def hidden_by_each(scores: Tensor, c: Context) -> list[Tensor]:
    """For each mask of the call, bool, True = hidden by it, broadcastable to the scores."""
    parts = []
    if c.case.bias is not None:
        parts.append(over_heads(c.case.bias, scores, c.case) == -torch.inf)
    if c.case.allow is not None:
        parts.append(~over_heads(c.case.allow, scores, c.case))
    if c.case.keep is not None:
        parts.append(~over_queries(c.case.keep, scores))
    return parts


def over_heads(mask: Tensor, scores: Tensor, case: Case) -> Tensor:
    """A mask (N, L, S) with axes of 1 between N and L, as for the heads of the scores; other shapes broadcast already.

    Args:
        mask: (..., L, S).
        scores: of as many axes as the inputs, or (N, H, L, S).
        case: the call.
    """
    if mask.dim() != 3 or scores.dim() <= case.query.dim():
        return mask
    return mask.reshape(mask.shape[0], *[1] * (scores.dim() - 3), *mask.shape[1:])


def over_queries(keep: Tensor, scores: Tensor) -> Tensor:
    """(N, S) becomes (N, 1, ..., 1, S)."""
    return keep.reshape(keep.shape[0], *[1] * (scores.dim() - 2), keep.shape[1])


def mask(scores: Tensor, c: Context) -> Tensor:
    if c.case.bias is not None:
        scores = scores + over_heads(c.case.bias, scores, c.case).to(scores.dtype)
    return _hidden_by(hidden_by_each(scores, c), scores, c)


def hide(scores: Tensor, which: Tensor, c: Context) -> Tensor:
    """The scores with more of them hidden, in the way of the pipeline's style.

    Args:
        scores: (N, H, L, S).
        which: bool, True = to be hidden, broadcastable to the scores.
        c: as every step gets it.
    """
    return _hidden_by([which], scores, c)


def lowered(scores: Tensor, number: float, c: Context) -> Tensor:
    """The scores with a number added where a mask hides, once for each mask.

    Args:
        scores: (N, H, L, S).
        number: negative.
        c: as every step gets it.
    """
    for part in hidden_by_each(scores, c):
        scores = scores + number * part
    return scores


def _hidden_by(parts: Sequence[Tensor], scores: Tensor, c: Context) -> Tensor:
    """The scores, hidden where any of the parts is True.

    Raises:
        ValueError: a mistake laid the masks along other axes, and there would be too many scores.
    """
    # These are views; torch.broadcast_shapes would first import PyTorch's references in Python, in a third of a second.
    if torch.broadcast_tensors(scores, *parts)[0].numel() > MOST_SCORES:
        raise ValueError("too many scores")
    return c.style.hide(scores, parts)


def later_keys(scores: Tensor, c: Context) -> Tensor:
    return hide(scores, ~causal(*scores.shape[-2:]), c) if c.case.is_causal else scores


def softmax(scores: Tensor, c: Context) -> Tensor:
    return c.style.softmax(scores, -1)


def dropout(weights: Tensor, c: Context) -> Tensor:
    if not c.case.manner.training or c.size.dropout == 0:
        return weights
    return torch.nn.functional.dropout(weights, c.size.dropout)


def weighted_sum(weights: Tensor, value: Tensor, c: Context) -> Tensor:
    """What each query gets of the values, (N, H, L, D).

    Args:
        weights: (N, H, L, S).
        value: (N, H, S, D).
        c: as every step gets it; not looked at.
    """
    return weights @ value


def merge(mixed: Tensor, c: Context) -> Tensor:
    return mixed.transpose(1, 2).flatten(2)


def project_out(merged: Tensor, c: Context) -> Tensor:
    return linear(merged, c.weights.o, c.weights.o_bias)


def drop_nothing(x: Tensor, c: Context) -> Tensor:
    return x


def give_per_head(weights: Tensor, c: Context) -> Tensor | None:
    return weights if c.case.need_weights else None


def give_always(weights: Tensor, c: Context) -> Tensor:
    return weights


def give_average(weights: Tensor, c: Context) -> Tensor | None:
    return weights.mean(dim=1) if c.case.need_weights else None


def give_nothing(weights: Tensor, c: Context) -> None:
    return None


PER_HEAD = Steps(
    project,
    split,
    score,
    scale,
    mask,
    later_keys,
    softmax,
    dropout,
    weighted_sum,
    merge,
    project_out,
    drop_nothing,
    give_per_head,
    causal,
)
