"""The attention under test, as a check sees it: the submission's, or a mistake's replayed in the judge."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import torch
from torch import Tensor

from grader.checks import expect
from grader.checks.case import Answer, Case, Gradients, Projections, Size
from grader.checks.draw import Draw
from grader.checks.expect import Mismatch, Refusal
from grader.checks.subject import UNREAD, Leftover, Trace, for_trace

if TYPE_CHECKING:
    from grader.checks.attention_kata import AttentionKata


CALM = 0.2
"""A factor on the inputs: with q = k of 24 features, a token's score for itself is then about 1, not 24."""


class AttentionCall(NamedTuple):
    """One call of an attention and what it returned; with a cotangent, the gradients too."""

    case: Case
    size: Size
    weights: Projections
    answer: Answer
    cotangent: Tensor | None = None
    gradients: Gradients | None = None
    by_default: bool = False
    """Its object was made without its optional arguments: which defaults it then has is another question."""
    is_first: bool = True
    """It is the first call of its object; so is every call of a function, which has no object."""

    @property
    def is_masked(self) -> bool:
        masks = (self.case.allow, self.case.bias, self.case.keep)
        return self.case.is_causal or any(mask is not None for mask in masks)

    @property
    def is_seeing(self) -> bool:
        """Every query may see a key."""
        shown = self.case.shown
        return shown is None or bool(shown.any(dim=-1).all())

    @property
    def is_dropping(self) -> bool:
        """In train mode, with a dropout above 0."""
        return self.case.manner.training and self.size.dropout > 0


class RefusedCall(NamedTuple):
    """One call of an attention that raised."""

    case: Case
    size: Size
    is_first: bool = True
    """As in `AttentionCall`."""


class HelperCall(NamedTuple):
    """One call of a helper of the contract that returned a tensor."""

    name: str


class StartValues(NamedTuple):
    """The parameters of a new object by path, before anything sets them."""

    size: Size
    values: dict[str, Tensor]


class DrawnWeights(NamedTuple):
    """The weights in use in a function that draws its own, and those that PyTorch draws from the same seed."""

    used: Projections
    right: Projections
    seed: int


class Attention(ABC):
    """One attention with known weights. What it returns is recorded in the trace of the check.

    Args:
        kata: its contract.
        size: how it is built.
        weights: the weights that are set, or that a function is expected to draw.
        seed: the seed of its calls.
        trace: of the check.
    """

    def __init__(self, kata: AttentionKata, size: Size, weights: Projections, seed: int, trace: Trace) -> None:
        self.kata, self.size, self.weights, self.seed, self.trace = kata, size, weights, seed, trace
        self.has_defaults = False  # it was made without the arguments that have a default in the contract
        self.cut_off = False  # the last output whose gradients were asked for has no graph
        self.output_beside: Tensor | None = None  # of the last call with weights, if one without gave the output
        self.misread: Mismatch | None = None  # what the last call returned in place of what the contract says
        self.is_first = True  # the last call was the first of its object
        self.missing: tuple[str, ...] = ()  # paths of biases that it lacks, though the contract asks for them

    def __call__(self, case: Case) -> Answer:
        """The answer to one call, in eval mode unless the case says otherwise.

        Where a contract lets the output be computed in another way when the weights are wanted, both ways are tried:
        the output is that of the call without the weights, and that of the other call is `output_beside`.
        """
        self.output_beside = None
        dropping = case.manner.training and self.size.dropout > 0
        if not (self.kata.weights_may_have_a_path and case.need_weights and not dropping):
            return self._answer(case)
        without, answer = self._answer(case.but(need_weights=False)), self._answer(case)
        self.output_beside = answer.output
        return Answer(without.output, answer.weights)

    def _answer(self, case: Case) -> Answer:
        self.misread = None
        with self._noting_refusal(case):
            answer = self._attend(case)
        self._record(AttentionCall(case, self.size, self.weights, answer))
        self.trace.add(answer.output, UNREAD if self.misread else answer.weights)
        return self._in_shape(case, answer)

    def _in_shape(self, case: Case, answer: Answer) -> Answer:
        """The answer in shapes that a check may index without a test; an output of another shape is a mismatch.

        Weights of another shape are left out: the checks of the weights report them, and no other check fails for them.
        """
        *lead, queries, features = case.query.shape
        names = {0: (), 1: ("N",), 2: ("N", "H")}.get(len(lead), tuple(f"axis {i}" for i in range(len(lead))))
        axes = dict(zip(names, lead, strict=True))
        width = case.values.shape[-1]
        expect.shape("output", answer.output, **axes, L=queries, **{"E" if width == features else "Dv": width})
        heads = {"H": self.size.num_heads} if self.kata.per_head else {}
        try:
            if case.need_weights is False and self.kata.switch:
                expect.nothing("weights where they are declined", answer.weights)
            elif answer.weights is not None:
                expect.shape("weights", answer.weights, **axes, **heads, L=queries, S=case.keys.shape[-2])
        except Mismatch as misread:
            self.misread = misread
            return answer._replace(weights=None)
        return answer

    def hold_to_contract(self) -> None:
        """The last call returned what the contract says; all else is a mismatch, even if the output could be read."""
        if self.misread is not None:
            raise self.misread

    def weights_of(self, answer: Answer) -> Tensor:
        """The weights in the answer to the last call; having none, or something else in their place, is a mismatch."""
        self.hold_to_contract()
        return expect.tensor("weights", answer.weights)

    def gradients(self, case: Case, cotangent: Tensor) -> tuple[Answer, Gradients]:
        """The answer, and the gradients of (output * cotangent).sum() by the name of each input and parameter."""
        self.misread = None
        with self._noting_refusal(case):
            answer, gradients = self._gradients(case, cotangent)
        answer = answer.asked_for(case)
        self._record(AttentionCall(case, self.size, self.weights, answer, cotangent, gradients))
        weights = UNREAD if self.misread else answer.weights
        self.trace.add(answer.output, weights, *(gradients[name] for name in sorted(gradients)))
        return self._in_shape(case, answer), gradients

    @contextmanager
    def _noting_refusal(self, case: Case) -> Iterator[None]:
        try:
            yield
        except Refusal:
            self.trace.refused.append(RefusedCall(case, self.size, self.is_first))
            raise

    def _record(self, attended: AttentionCall) -> None:
        if attended.case.need_weights is None:
            attended = attended._replace(case=attended.case.but(need_weights=self.kata.returns_weights_by_default))
        if self.kata.weights.are_known(attended.case.manner, self.seed):
            output, weights = attended.answer
            answer = Answer(for_trace(output), for_trace(weights))
            kept = attended._replace(answer=answer, by_default=self.has_defaults, is_first=self.is_first)
            self.trace.calls.append(kept)

    def helper(self, name: str, *args: Any) -> Any:
        """What a helper of the contract returns, a method or a function."""
        value = self._helper(name, *args)
        if isinstance(value, Tensor):
            self.trace.calls.append(HelperCall(name))
        self.trace.add(value if isinstance(value, Tensor) else None)
        return value

    def use(self, weights: Projections) -> None:
        """Replaces the weights, unless they are drawn in the call."""
        if self.kata.weights.are_set:
            self.weights = weights
        self._use(weights)

    def case(self, draw: Draw, N: int, L: int, S: int | None = None, **masks: Any) -> Case:
        """A case with fresh inputs.

        Args:
            draw: the check's stream of random tensors.
            N: batch size.
            L: number of queries.
            S: number of keys; None: self-attention.
            masks: fields of the case to set, such as `allow`, `keep` or `mask_format`.
        """
        case = self.kata.case(draw, self.size, N, L, S).but(seed=self.seed, **masks)
        return case.stretched(self.kata.weights.stretch(self.size, self.weights))

    def calm_case(self, draw: Draw, N: int, L: int, S: int | None = None, **masks: Any) -> Case:
        """A case whose scores stay small, even unscaled or of a token with itself, so that a mask's effect shows.

        Where nearly all weight lies on one key, hiding other keys changes next to nothing.

        Args:
            draw: the check's stream of random tensors.
            N: batch size.
            L: number of queries.
            S: number of keys; None: self-attention.
            masks: fields of the case to set, such as `allow`, `keep` or `mask_format`.
        """
        return self.case(draw, N, L, S, **masks).stretched(CALM)

    def output_axes(self, N: int, L: int) -> dict[str, int]:
        """The sizes of the output's axes, by name."""
        return self.kata.output_axes(self.size, N, L)

    def weights_axes(self, N: int, L: int, S: int) -> dict[str, int]:
        """The sizes of the axes, by name, of the weights that the contract returns.

        Args:
            N: batch size.
            L: number of queries.
            S: number of keys.
        """
        return {"N": N, "H": self.size.num_heads, "L": L, "S": S} if self.kata.per_head else {"N": N, "L": L, "S": S}

    def make_readable(self) -> None:
        """Makes the value and output projections the identity: with one-hot values, the output shows the weights."""
        eye = torch.eye(self.size.embed_dim, dtype=self.size.dtype)
        biases = {"v_bias": self.weights.v_bias, "o_bias": self.weights.o_bias}
        zeros = {name: torch.zeros_like(bias) for name, bias in biases.items() if bias is not None}
        self.use(replace(self.weights, v=eye, o=eye, **zeros))

    def other_scores(self, draw: Draw, case: Case) -> Answer:
        """The answer after queries and keys were changed, and the values were not."""
        if case.key is not None and self.kata.streams == 3:
            return self(case.but(key=draw.tensor(*case.keys.shape), value=case.values))
        replaceable = self.kata.parameters(self.weights) if self.kata.weights.are_set else {}
        if not replaceable:  # no biases either: an output that ignores the scores doubles
            answer = self(case.stretched(2.0))
            return answer._replace(output=answer.output / 2)
        # A replay is given its weights, and draws none.
        fresh, _ = self.kata.weights.new(Draw(draw.seed, "other weights"), self.size)
        self.use(replace(self.weights, q=fresh.q, k=fresh.k))
        return self(case)

    def meanwhile(self, work: Callable[[], Any]) -> Callable[[], Any]:
        """Computes something while the next call is answered; the function returned gives or computes the result."""
        return cache(work)

    def built(self, draw: Draw) -> None:
        """Waits until it is built or its size refused: a class refuses in its constructor, a function when called."""
        return

    def with_defaults(self) -> bool:
        """Goes on with an object that is made without the arguments that have a default in the contract.

        Returns:
            Whether it has biases; True where the contract has no layer without them.
        """
        self.has_defaults = True
        return True

    def by_keyword(self, case: Case) -> Answer:
        """The answer to a call by keyword, with the contract's names, of an object that was made by keyword too."""
        return self(case)

    def changed(self) -> tuple[str, ...]:
        """What the last call changed in place, inputs or an earlier answer; it must be asked before the next call."""
        return ()

    def disturbed(self) -> tuple[str, ...]:
        """The parts of the global state that construction and the last call changed."""
        return ()

    def construct_another(self) -> None:
        """Goes on with another object of the same size, made with no seed between, as a stack of layers is."""
        return

    def copy(self) -> None:
        """Goes on with a deep copy of the object, as a stack of layers does."""
        return

    def parameters(self) -> dict[str, Tensor]:
        """The object's parameters by path; one that is not of floating-point numbers is a mismatch."""
        raise NotImplementedError("a replayed mistake has no object")

    def operators(self, case: Case) -> frozenset[str]:
        """The operators of a call, by their names at the dispatcher."""
        raise NotImplementedError("a replayed mistake runs in the judge")

    def left_alive(self, case: Case, cotangent: Tensor | None = None, *, beside_tensors: bool = False) -> Leftover:
        """What a call leaves alive once its inputs, its answer and the graph are gone.

        Args:
            case: the call.
            cotangent: of the shape of the output, for which the call is differentiated; None: the call makes no graph.
            beside_tensors: whether what Python allocates is counted too, which makes the call slower.
        """
        raise NotImplementedError("a replayed mistake keeps nothing")

    def initial_values(self, draw: Draw, *, answers: bool = True) -> dict[str, Tensor]:
        """The parameters of a new object, under the contract's paths, before anything sets them.

        Args:
            draw: draws the constructor's seed.
            answers: whether the new object's answer is checked to come from these values; it has to answer if any call
                was answered before.
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
