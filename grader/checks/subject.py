"""What a check asks: a function, a layer, a layer with state or a candidate's test, and how it is called."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch import Tensor

from grader.checks import expect
from grader.checks.expect import Mismatch

UNREAD = object()
"""In a trace, in place of a value that the contract asks for and the submission does not return."""
MOST_KEPT = 5 << 20
"""Bytes of a tensor that a trace keeps: a right one has fewer, and of one in each check together they stay bounded."""


@dataclass(frozen=True, slots=True)
class Construction:
    """An object to construct: a class of the submission and its arguments, of which some may be constructed too."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reference:
    """What stays in the worker: an object that was constructed, or what a call returned, or a part of either.

    Attributes:
        number: of the construction or the call.
        path: the items to take, one inside the other: `reference[1]` is the second value of a pair.
    """

    number: int
    path: tuple[int | str, ...] = ()

    def __getitem__(self, item: int | str) -> Reference:
        return Reference(self.number, (*self.path, item))


@dataclass(frozen=True, slots=True)
class Call:
    """A call in the kata's own words; `name` is a function, or a method of the object `of`."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    of: Reference | None = None


@dataclass(frozen=True, slots=True)
class Manner:
    """How a call is made.

    Attributes:
        seed: of the global generator, set just before the call; None: it goes on from where the call before left it.
        drawn: numbers that the generator has given between the seed and the call.
        default_dtype: torch's during the call; None: float32.
        training: train mode, where the subject has modes.
        recording: gradients are recorded, as where nobody switched that off; else they are where some are asked for.
        strided: tensors are handed over non-contiguous, with the same values.
        again: handed over in the very tensors of the call before, of the same sizes, which are written over.
        observed: what is looked at while the call runs: `products`, the factors of its matrix products; `operators`,
            the names of the operators that it used and the memory that it took; `python`, what it leaves alive of
            Python's and numpy's own memory.
        by_contract: what is given by name is given by the contract's name, also where the subject has a different name.
    """

    seed: int | None = 0
    drawn: int = 0
    default_dtype: torch.dtype | None = None
    training: bool = False
    recording: bool = False
    strided: bool = False
    again: bool = False
    observed: frozenset[str] = frozenset()
    by_contract: bool = False


PLAIN = Manner()


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted of a call besides its value.

    Attributes:
        mode: train (True) or eval mode to set before; None: the mode is left as it is.
        needs_mode: whether an object without modes is a `MissingName` "train".
        keep: what it returns stays in the worker.
        cotangent: of the first tensor returned; None: no gradients are asked for, and no graph is made.
        leaves: tensors among the arguments that want a gradient.
        paths: parameters of the object whose gradients are asked for.
    """

    mode: bool | None = None
    needs_mode: bool = False
    keep: bool = False
    cotangent: Tensor | None = None
    leaves: tuple[Tensor, ...] = ()
    paths: tuple[str, ...] = ()


VALUE_ALONE = Wish()


class Usage(NamedTuple):
    """What the operators of a call were and took, as the dispatcher saw them."""

    operators: frozenset[str]
    """Their names, such as `aten::bmm`."""
    largest: int
    """Elements of the largest tensor made."""
    peak_bytes: int
    """The most bytes of tensors made in the call that were alive at once."""


class Leftover(NamedTuple):
    """What a call left alive of the tensors that it made or was given, once its inputs and its value are gone."""

    bytes: int
    shape: tuple[int, ...]
    """Of the largest tensor; () where none is alive."""
    path: str = ""
    """Where it is kept, as an attribute of what was called or a name of the submission's; empty: not found there."""
    python_bytes: int = 0
    """Of what Python and numpy hold outside of tensors, such as a list of numbers; 0 where it was not observed."""


class HeldTensors(NamedTuple):
    """The tensors that something in the worker holds, each storage counted once."""

    tensors: int
    bytes: int


class CallGradients(NamedTuple):
    """Gradients of a call's first tensor times a cotangent, summed."""

    of_leaves: list[Tensor | None]
    """In the order of the leaves; None: the tensor does not depend on it."""
    of_parameters: dict[str, Tensor]
    """By path, of the object that was called; those that the tensor does not depend on are left out."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one call came to.

    Attributes:
        value: what was returned; what cannot be sent is an `Unsendable`.
        reference: of what was returned, as it stays in the worker until the check ends.
        disturbed: what the call changed of the global state.
        products: the factors of its matrix products, where they were observed.
        usage: its operators and memory, where they were observed.
        gradients: those that were asked for; None: none were, or the first tensor returned has no graph.
    """

    value: Any
    reference: Reference
    disturbed: tuple[str, ...] = ()
    products: tuple[tuple[Tensor, Tensor], ...] = ()
    usage: Usage | None = None
    gradients: CallGradients | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Implementation:
    """What a candidate's test is given: a function, or a layer whose parameters are real, that the judge computes.

    No source of it enters the worker. A call of it there comes back to the judge with the arguments, and with the
    parameters as they are then.

    Attributes:
        run: computes a call: the parameters by path, then the call's arguments; what it returns is sent back.
        layers: a linear layer of these values for each path, (weight, bias); none: it is a plain function.
        attributes: plain values that the layer has, such as `num_heads`.
        training: the mode that it is given in.
    """

    run: Callable[..., Any]
    layers: Mapping[str, tuple[Tensor, Tensor | None]] = field(default_factory=dict)
    attributes: Mapping[str, int | float] = field(default_factory=dict)
    training: bool = True


@dataclass(frozen=True, slots=True)
class WorkerFunction:
    """What a candidate's function is given where the memory that it takes is measured: a function in the worker.

    Its source is there to be looked at, and holds no secret.

    Attributes:
        source: Python that defines it.
        name: by which it is defined there.
    """

    source: str
    name: str

    def define(self) -> Callable[..., Any]:
        """The same function in the judge, made anew."""
        defined: dict[str, Any] = {}
        exec(self.source, defined)
        function: Callable[..., Any] = defined[self.name]
        return function


@dataclass(frozen=True, slots=True)
class Remains:
    """How the last call left what it found, whether it returned or raised.

    Attributes:
        disturbed: what it changed of the global state.
        parameters: of the implementation that it was given, by path, as they are now.
        trained: the paths of those that want a gradient.
        modes: of the implementation and its layers, whether each is in train mode.
    """

    disturbed: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    trained: tuple[str, ...] = ()
    modes: frozenset[bool] = frozenset()


@dataclass(slots=True)
class Trace:
    """What the subject returned during one check, in order.

    Attributes:
        leaves: every tensor and plain value, of tuples, lists and dicts each part.
        calls: those that a mistake can be replayed on, as the kata's own records.
        fixtures: what fixtures drew and a replay must be given: the weights of each attention made.
        refused: the calls that the subject raised in, as the kata's own records.
        odd: the first answer that no check can compute with, as a claim that does not hold.
    """

    leaves: list[Any] = field(default_factory=list)
    calls: list[Any] = field(default_factory=list)
    fixtures: list[Any] = field(default_factory=list)
    refused: list[Any] = field(default_factory=list)
    odd: Mismatch | None = None

    def add(self, *values: Any) -> None:
        """Keeps what was returned."""
        self.leaves.extend(for_trace(leaf) for leaf in leaves_of(values))


def leaves_of(value: Any) -> Iterator[Any]:
    """The tensors and plain values in nested tuples, lists and dicts, in order."""
    if isinstance(value, tuple | list):
        for part in value:
            yield from leaves_of(part)
    elif isinstance(value, dict):
        for key in value:
            yield from leaves_of(value[key])
    else:
        yield value


def for_trace(leaf: Any) -> Any:
    """A value for a trace; a tensor that is too large, which no mistake explains, is not kept alive."""
    if not isinstance(leaf, Tensor):
        return leaf
    return leaf.detach() if leaf.nbytes <= MOST_KEPT else leaf.new_empty(0)


class Subject(ABC):
    """The submission, or a program of the judge in its place: constructs objects and answers calls.

    Args:
        trace: of the check.
        kept: what its fixtures keep from check to check of one submission; None: nothing was kept so far.
    """

    def __init__(self, trace: Trace, kept: dict[str, Any] | None = None) -> None:
        self.trace = trace
        self.kept: dict[str, Any] = {} if kept is None else kept
        self.was_called = False
        """In this check, to compute something."""
        self.answered = False
        """Some call of this submission, in this check or an earlier one, came back with an answer of the right kind."""

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """What a function of the submission returns."""
        return self.ask(Call(name, args, kwargs)).value

    def ask(self, call: Call, manner: Manner = PLAIN, *, keep: bool = False) -> Result:
        """A call made in a certain manner, and all that is known of it.

        Args:
            call: of a function, or of a method of an object.
            manner: how it is made.
            keep: what it returns stays in the worker, to be referred to until the check ends.
        """
        self.was_called = True
        result = self.answer(call, manner, Wish(keep=keep))
        self.trace.add(result.value)
        self.trace.calls.append(AnsweredCall(call, manner, result.value))
        return result

    def gradients(
        self, call: Call, cotangent: Tensor, leaves: Mapping[str, Tensor], manner: Manner = PLAIN
    ) -> tuple[Any, dict[str, Tensor]]:
        """What a call returns, and the gradients of (its first tensor * cotangent).sum().

        Args:
            call: of a function, or of a method of an object.
            cotangent: of the shape of the first tensor returned.
            leaves: tensors among the call's arguments, by the names that the gradients get.
            manner: how it is made.

        Returns:
            The value, and a gradient for each leaf: zeros where the first tensor does not depend on it.

        Raises:
            Mismatch: what is returned has another shape than the cotangent, or no graph.
        """
        self.was_called = True
        result = self.answer(call, manner, Wish(cotangent=cotangent, leaves=tuple(leaves.values())))
        first = next((leaf for leaf in leaves_of(result.value) if isinstance(leaf, Tensor)), None)
        expect.same_shape("output", expect.tensor("output", first), cotangent)
        expect.carries_gradient("output", result.gradients is None)
        assert result.gradients is not None
        gradients = {
            name: torch.zeros_like(leaf) if gradient is None else gradient
            for (name, leaf), gradient in zip(leaves.items(), result.gradients.of_leaves, strict=True)
        }
        for name, leaf in leaves.items():
            expect.same_shape(f"gradient of {name}", gradients[name], leaf)
        self.trace.add(result.value, *(gradients[name] for name in sorted(gradients)))
        self.trace.calls.append(AnsweredCall(call, manner, result.value, cotangent, dict(leaves), gradients))
        return result.value, gradients

    @abstractmethod
    def answer(self, call: Call, manner: Manner = PLAIN, wish: Wish = VALUE_ALONE) -> Result:
        """As `ask` or `gradients`, without a trace.

        Args:
            call: of a function, or of a method of an object.
            manner: how it is made.
            wish: what is wanted of it besides its value: gradients, or that the value is kept.

        Raises:
            Problem: it did not answer.
            Mismatch: there is no function or method of that name.
        """

    def construct(self, new: Construction, manner: Manner = PLAIN) -> Reference:
        """An object, made before the next call that is waited for: what its constructor raises may come that late."""
        raise NotImplementedError("this subject has no objects")

    def meanwhile(self, work: Callable[[], object]) -> None:
        """Has something done while the next call is answered; in the judge itself that is at once."""
        work()

    def settle(self) -> None:  # noqa: B027  # in the judge nothing is put off
        """Waits until all objects are made and their parameters set.

        Raises:
            Problem: one of the constructors raised.
            Mismatch: a parameter is missing, or of another shape.
        """

    def disturbed(self, made: Reference) -> tuple[str, ...]:
        """What the construction of an object changed of the global state."""
        raise NotImplementedError("this subject has no objects")

    def parameters(self, made: Reference, paths: Sequence[str]) -> dict[str, Tensor]:
        """An object's parameters: by these paths where they lead to one, else by the path it is registered by."""
        raise NotImplementedError("this subject has no objects")

    def set_parameters(
        self, made: Reference, dtype: torch.dtype, parameters: Mapping[str, Tensor], *, copy: bool = False
    ) -> None:
        """Converts an object to a dtype and sets these parameters.

        Args:
            made: the object.
            dtype: of all its parameters afterwards.
            parameters: values by path.
            copy: first a deep copy takes the object's place.
        """
        raise NotImplementedError("this subject has no objects")

    def changed(self) -> tuple[Tensor, ...]:
        """Of what the last call was given and the one before returned, what it changed; asked before the next call."""
        return ()

    def begin_part(self) -> None:  # noqa: B027  # in the judge nothing takes long
        """What follows has a check's time of its own, and a worker, should the one before be lost."""

    def remains(self) -> Remains:
        """How the last call left what it found, the first implementation that it was given among it."""
        return Remains()

    def count_tensors(self, reference: Reference) -> HeldTensors:
        """The tensors that something in the worker holds."""
        raise NotImplementedError("this subject keeps nothing")

    def left_alive(self) -> Leftover:
        """What the last call left alive; it must have been observed, and what it was given and returned is freed."""
        raise NotImplementedError("this subject keeps nothing")


class AnsweredCall(NamedTuple):
    """One call of a subject and what came back, for a mistake to be replayed on."""

    call: Call
    manner: Manner
    value: Any
    cotangent: Tensor | None = None
    leaves: dict[str, Tensor] | None = None
    gradients: dict[str, Tensor] | None = None
