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
"""Times the inputs: with q = k of 24 features the score of a token for itself is about 1 then, not 24."""


class AttentionCall(NamedTuple):
    """One call of an attention and what it returned; with a cotangent, the gradients too."""

    case: Case
    size: Size
    weights: Projections
    answer: Answer
    cotangent: Tensor | None = None
    gradients: Gradients | None = None
    by_default: bool = False
    """Of an object that was made without its optional arguments: what it has then is another question."""
    is_first: bool = True
    """Its object was asked nothing before; a function has no object."""

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
        """In training with dropout."""
        return self.case.manner.training and self.size.dropout > 0


class RefusedCall(NamedTuple):
    """One call of an attention that raised."""

    case: Case
    size: Size
    is_first: bool = True
    """As of a call that was answered."""


class HelperCall(NamedTuple):
    """One call of a helper of the contract that returned a tensor."""

    name: str


class StartValues(NamedTuple):
    """A new object, and what its parameters are by their paths before anything sets them."""

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
        weights: those that are set, or that a function is expected to draw.
        seed: of its calls.
        trace: of the check.
    """

    def __init__(self, kata: AttentionKata, size: Size, weights: Projections, seed: int, trace: Trace) -> None:
        self.kata, self.size, self.weights, self.seed, self.trace = kata, size, weights, seed, trace
        self.has_defaults = False  # it was made without the arguments that have a default in the contract
        self.cut_off = False  # the last output of which gradients were asked has no graph
        self.output_beside: Tensor | None = None  # of the last call, where one without weights gave the answer
        self.misread: Mismatch | None = None  # what the last call returned in place of what the contract says
        self.is_first = True  # the last call was the first that its object was asked
        self.missing: tuple[str, ...] = ()  # paths of biases that it has not, though the contract asks for them

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
        """The answer, so that a check may take rows of it without a test first.

        Weights of another shape are left out: the checks that speak of the weights report them, and no other check
        fails for them.
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
        """The last call returned what the contract says, whether the output could be read or not."""
        if self.misread is not None:
            raise self.misread

    def weights_of(self, answer: Answer) -> Tensor:
        """The weights in the answer to the last call; none, or what stands in their place, is a mismatch."""
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
        """Replaces the weights, but for those that are drawn in the call."""
        if self.kata.weights.are_set:
            self.weights = weights
        self._use(weights)

    def case(self, draw: Draw, N: int, L: int, S: int | None = None, **masks: Any) -> Case:
        """A case with fresh inputs.

        Args:
            draw: of the check.
            N: batch size.
            L: number of queries.
            S: number of keys; None: self-attention.
            masks: fields of the case to set, such as `allow`, `keep` or `mask_format`.
        """
        case = self.kata.case(draw, self.size, N, L, S).but(seed=self.seed, **masks)
        return case.stretched(self.kata.weights.stretch(self.size, self.weights))

    def calm_case(self, draw: Draw, N: int, L: int, S: int | None = None, **masks: Any) -> Case:
        """A case whose scores stay small, also where they are not scaled or a token meets itself: a mask shows there.

        Where nearly all weight lies on one key, what other keys are hidden changes next to nothing.

        Args:
            draw: of the check.
            N: batch size.
            L: number of queries.
            S: number of keys; None: self-attention.
            masks: fields of the case to set, such as `allow`, `keep` or `mask_format`.
        """
        return self.case(draw, N, L, S, **masks).stretched(CALM)

    def output_axes(self, N: int, L: int) -> dict[str, int]:
        """The axes of the output."""
        return self.kata.output_axes(self.size, N, L)

    def weights_axes(self, N: int, L: int, S: int) -> dict[str, int]:
        """The axes of the weights that the contract returns.

        Args:
            N: batch size.
            L: number of queries.
            S: number of keys.
        """
        return {"N": N, "H": self.size.num_heads, "L": L, "S": S} if self.kata.per_head else {"N": N, "L": L, "S": S}

    def make_readable(self) -> None:
        """Values and outputs pass unchanged: with one-hot values, the output spells the weights."""
        eye = torch.eye(self.size.embed_dim, dtype=self.size.dtype)
        biases = {"v_bias": self.weights.v_bias, "o_bias": self.weights.o_bias}
        zeros = {name: torch.zeros_like(bias) for name, bias in biases.items() if bias is not None}
        self.use(replace(self.weights, v=eye, o=eye, **zeros))

    def other_scores(self, draw: Draw, case: Case) -> Answer:
        """The answer after queries and keys were changed, and the values were not."""
        if case.key is not None and self.kata.streams == 3:
            return self(case.but(key=draw.tensor(*case.keys.shape), value=case.values))
        replaceable = self.kata.parameters(self.weights) if self.kata.weights.are_set else {}
        if not replaceable:  # nor are there biases: what does not look at the scores doubles
            answer = self(case.stretched(2.0))
            return answer._replace(output=answer.output / 2)
        # A replay is given its weights, and draws none.
        fresh, _ = self.kata.weights.new(Draw(draw.seed, "other weights"), self.size)
        self.use(replace(self.weights, q=fresh.q, k=fresh.k))
        return self(case)

    def meanwhile(self, work: Callable[[], Any]) -> Callable[[], Any]:
        """Computes something while the next call is answered; what is returned gives it, computed by then or not."""
        return cache(work)

    def built(self, draw: Draw) -> None:
        """Waits until it is built, or refused: a class refuses a size in its constructor, a function when called."""
        return

    def with_defaults(self) -> bool:
        """Goes on with an object that is made without the arguments that have a default in the contract.

        Returns:
            Whether it has biases; True where the contract has no layer without them.
        """
        self.has_defaults = True
        return True

    def by_keyword(self, case: Case) -> Answer:
        """The answer to a call in which the arguments are named as in the contract, of an object made so."""
        return self(case)

    def changed(self) -> tuple[str, ...]:
        """What the last call changed in place, inputs or an earlier answer; to be asked before the next one."""
        return ()

    def disturbed(self) -> tuple[str, ...]:
        """What construction and the last call changed of the global state."""
        return ()

    def construct_another(self) -> None:
        """Goes on with another object of the same size, made with no seed between, as a stack of layers is."""
        return

    def copy(self) -> None:
        """Goes on with a deep copy of the object, as a stack of layers does."""
        return

    def parameters(self) -> dict[str, Tensor]:
        """Those that the object has, by path; one of no floating-point numbers does not hold."""
        raise NotImplementedError("a replayed mistake has no object")

    def operators(self, case: Case) -> frozenset[str]:
        """The operators of a call, by their names at the dispatcher."""
        raise NotImplementedError("a replayed mistake runs in the judge")

    def left_alive(self, case: Case, cotangent: Tensor | None = None, *, beside_tensors: bool = False) -> Leftover:
        """What a call leaves alive once its inputs, its answer and the graph are gone.

        Args:
            case: the call.
            cotangent: of the shape of the output, and the call is differentiated; None: it makes no graph.
            beside_tensors: what Python allocates is counted too, which makes the call slower.
        """
        raise NotImplementedError("a replayed mistake keeps nothing")

    def initial_values(self, draw: Draw, *, answers: bool = True) -> dict[str, Tensor]:
        """Those of the contract's paths.

        Args:
            draw: of the seed of the constructor.
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
