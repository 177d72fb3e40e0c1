"""The attention under test, as a check sees it: the submission's, or a mistake's replayed in the judge."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from grader.checks import expect
from grader.checks.case import Answer, Case, Gradients, Projections, Size
from grader.checks.draw import Draw
from grader.checks.expect import Mismatch
from grader.checks.kata import Kata

# BEGIN HIDDEN
# isort: split
from grader.oracle.pipeline import Steps

# END HIDDEN

MOST_KEPT = 5 << 20
"""Bytes of a tensor that is kept: a right one has fewer, and of one in each check together they stay bounded."""


class Seen(NamedTuple):
    """One call and what it returned; with a cotangent, the gradients too."""

    case: Case
    size: Size
    weights: Projections
    answer: Answer
    cotangent: Tensor | None = None
    gradients: Gradients | None = None


@dataclass(slots=True)
class Trace:
    """What the attention did during one check, in order.

    Attributes:
        tensors: every one that it returned.
        weights: of each attention made, with the seed of its calls.
        calls: all but those of helpers.
        odd: the first answer that no check can compute with, as a claim that does not hold.
    """

    tensors: list[Tensor | None] = field(default_factory=list)
    weights: list[tuple[Projections, int]] = field(default_factory=list)
    calls: list[Seen] = field(default_factory=list)
    odd: Mismatch | None = None

    def add(self, *tensors: Tensor | None) -> None:
        self.tensors.extend(None if tensor is None else _kept(tensor.detach()) for tensor in tensors)


def _kept(tensor: Tensor) -> Tensor:
    """The tensor; one that is too large, which no mistake explains, is not kept alive."""
    return tensor if tensor.nbytes <= MOST_KEPT else tensor.new_empty(0)


class Attention(ABC):
    """One attention with known weights. What it returns is recorded in the trace of the check."""

    def __init__(self, kata: Kata, size: Size, weights: Projections, seed: int, trace: Trace) -> None:
        self.kata, self.size, self.weights, self.seed, self.trace = kata, size, weights, seed, trace
        self.cut_off = False  # the last output of which gradients were asked has no graph

    def __call__(self, case: Case) -> Answer:
        """The answer to one call, in eval mode unless the case says otherwise."""
        answer = self._attend(case)
        self._record(Seen(case, self.size, self.weights, answer))
        self.trace.add(*answer)
        self._has_the_shape_of(case, answer)
        return answer

    def _has_the_shape_of(self, case: Case, answer: Answer) -> None:
        """Every call is asked, so that a check may take rows of an answer without asking first."""
        *lead, queries, features = case.query.shape
        names = {0: (), 1: ("N",), 2: ("N", "H")}.get(len(lead), tuple(f"axis {i}" for i in range(len(lead))))
        axes = dict(zip(names, lead, strict=True))
        width = case.values.shape[-1]
        expect.shape("output", answer.output, **axes, L=queries, **{"E" if width == features else "Dv": width})
        if answer.weights is not None:
            heads = {"H": self.size.num_heads} if self.kata.per_head else {}
            expect.shape("weights", answer.weights, **axes, **heads, L=queries, S=case.keys.shape[-2])

    def gradients(self, case: Case, cotangent: Tensor) -> tuple[Answer, Gradients]:
        """The answer, and the gradients of (output * cotangent).sum() by the name of each input and parameter."""
        answer, gradients = self._gradients(case, cotangent)
        answer = answer.asked_for(case)
        self._record(Seen(case, self.size, self.weights, answer, cotangent, gradients))
        self.trace.add(*answer, *(gradients[name] for name in sorted(gradients)))
        return answer, gradients

    def _record(self, seen: Seen) -> None:
        """Weights that are drawn in the call follow the case's seed and default dtype: others are not known."""
        known = (seen.case.seed, seen.case.drawn, seen.case.default_dtype) == (self.seed, 0, None)
        output, weights = seen.answer
        answer = Answer(_kept(output), None if weights is None else _kept(weights))
        if known or not self.kata.draws_weights:
            self.trace.calls.append(seen._replace(answer=answer))

    def helper(self, name: str, *args: Any) -> Any:
        """What a helper method returns; only katas whose contract has helpers."""
        value = self._helper(name, *args)
        self.trace.add(value if isinstance(value, Tensor) else None)
        return value

    def use(self, weights: Projections) -> None:
        """Replaces the weights, but for those that are drawn in the call."""
        if not self.kata.draws_weights:
            self.weights = weights
        self._use(weights)

    def case(self, draw: Draw, N: int, L: int, S: int | None = None, **masks: Any) -> Case:
        """A case with fresh inputs; S None means self-attention."""
        case = self.kata.case(draw, self.size, N, L, S).but(seed=self.seed, **masks)
        return case.stretched(self.kata.stretch(self.size, self.weights))

    # BEGIN HIDDEN
    def expected(self, case: Case) -> Answer:
        """The oracle's answer."""
        return self.kata.oracle.run(case, self.size, self.weights)

    def expected_gradients(self, case: Case, cotangent: Tensor) -> tuple[Answer, Gradients]:
        """The oracle's answer, and its gradients by autograd."""
        answer, gradients = differentiate(self.kata.oracle, self.kata, case, self.size, self.weights, cotangent)
        return answer.detached(), gradients

    def pytorch(self, case: Case) -> Answer:
        """PyTorch's answer with the same weights."""
        return self.kata.pytorch(case, self.size, self.weights)

    # END HIDDEN

    def output_axes(self, N: int, L: int) -> dict[str, int]:
        """The axes of the output."""
        return self.kata.output_axes(self.size, N, L)

    def weights_axes(self, N: int, L: int, S: int) -> dict[str, int]:
        """The axes of the weights that the contract returns."""
        return {"N": N, "H": self.size.num_heads, "L": L, "S": S} if self.kata.per_head else {"N": N, "L": L, "S": S}

    def refusable(self, draw: Draw) -> None:
        """Does what makes a contract refuse a size: a class has done it by now, a function must be called."""
        self(self.case(draw, N=2, L=5))

    def make_readable(self) -> None:
        """Values and outputs pass unchanged: with one-hot values, the output spells the weights."""
        eye = torch.eye(self.size.embed_dim, dtype=self.size.dtype)
        none = torch.zeros(self.size.embed_dim, dtype=self.size.dtype) if self.size.bias else None
        self.use(replace(self.weights, v=eye, o=eye, v_bias=none, o_bias=none))

    def other_scores(self, draw: Draw, case: Case) -> Answer:
        """The answer after queries and keys were changed, and the values were not."""
        if self.kata.streams == 3:
            return self(case.but(key=draw.tensor(*case.keys.shape)))
        fresh = Draw(draw.seed, "other weights").projections(self.size)  # a replay is given its weights, and draws none
        self.use(replace(self.weights, q=fresh.q, k=fresh.k))
        return self(case)

    def changed(self) -> tuple[str, ...]:
        """What the last call changed in place, inputs or an earlier answer; to be asked before the next one."""
        return ()

    def disturbed(self) -> tuple[str, ...]:
        """What construction and the last call changed of the global state."""
        return ()

    def another(self) -> None:
        """Goes on with another object of the same size, made with no seed between, as a stack of layers is."""
        return

    def copy(self) -> None:
        """Goes on with a deep copy of the object, as a stack of layers does."""
        return

    def parameters(self) -> dict[str, Tensor]:
        """Those that the object has, by path; one of no floating-point numbers does not hold."""
        raise NotImplementedError("a replayed mistake has no object")

    def initial_values(self, draw: Draw, *, answers: bool = True) -> dict[str, Tensor]:
        """Those of the contract's paths.

        Args:
            answers: the answer is seen to be made of them before anything sets them; where any call was answered
                before there has to be one.
        """
        raise NotImplementedError("a replayed mistake has no constructor")

    @abstractmethod
    def _attend(self, case: Case) -> Answer: ...

    @abstractmethod
    def _gradients(self, case: Case, cotangent: Tensor) -> tuple[Answer, Gradients]: ...

    @abstractmethod
    def _helper(self, name: str, *args: Any) -> Any: ...

    @abstractmethod
    def _use(self, weights: Projections) -> None: ...


class MakeAttention(Protocol):
    """The `attention` fixture of a check."""

    def __call__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        dtype: torch.dtype = torch.float64,
    ) -> Attention: ...


# BEGIN HIDDEN
def differentiate(
    steps: Steps, kata: Kata, case: Case, size: Size, weights: Projections, cotangent: Tensor
) -> tuple[Answer, Gradients]:
    """The answer, and the gradients of (output * cotangent).sum(); zeros for what the output does not depend on."""
    inputs = {name: tensor.detach().clone().requires_grad_() for name, tensor in case.differentiable().items()}
    leaves = {name: tensor.detach().clone().requires_grad_() for name, tensor in weights.items()}
    answer = steps.run(case.but(**inputs), size, Projections(**leaves))
    wanted = [*inputs.values(), *leaves.values()]
    if not answer.output.requires_grad:
        found = [torch.zeros_like(tensor) for tensor in wanted]
    else:
        # A cotangent given to `grad` itself imports sympy: 0.5 s.
        total = (answer.output * cotangent).sum()
        found = list(torch.autograd.grad(total, wanted, allow_unused=True, materialize_grads=True))
    of_weights = Projections(**dict(zip(leaves, found[len(inputs) :], strict=True)))
    return answer, dict(zip(inputs, found, strict=False)) | kata.parameters(of_weights)


# END HIDDEN
