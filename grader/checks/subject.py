"""The subject that a check calls, and how: a function, a layer, a layer with state or a candidate's test."""

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
"""Stands in a trace for a value that the contract asks for and the submission does not return."""
MOST_KEPT = 5 << 20
"""The most bytes of a tensor that a trace keeps.

A right tensor has fewer, and the total stays bounded even with one such tensor in each check.
"""


@dataclass(frozen=True, slots=True)
class Construction:
    """An object to construct: a class of the submission and its arguments, some of which may be constructions too."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a constructed object or a call's return value that stays in the worker, or to a part of it.

    Attributes:
        number: the number of the construction or the call.
        path: the indices and keys that lead to the part, outermost first: `reference[1]` is the second value of a pair.
    """

    number: int
    path: tuple[int | str, ...] = ()

    def __getitem__(self, item: int | str) -> Reference:
        return Reference(self.number, (*self.path, item))


@dataclass(frozen=True, slots=True)
class Call:
    """A call in the form that the contract gives it; `name` is a function, or a method of the object `of`."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    of: Reference | None = None


@dataclass(frozen=True, slots=True)
class Manner:
    """How a call is made.

    Attributes:
        seed: the seed of the global generator, set just before the call; None: the generator goes on from where the
            previous call left it.
        drawn: how many numbers are drawn from the generator between seeding and the call.
        default_dtype: torch's default dtype during the call; None: float32.
        training: whether the call is made in train mode, where the subject has modes.
        recording: whether autograd records the call, as it does unless switched off; False: it records only where
            gradients are asked for.
        strided: whether tensors are passed non-contiguous, with the same values.
        again: whether inputs are passed in the previous call's own tensors, which have the same sizes and are
            overwritten.
        observed: what is looked at while the call runs: `products`, the factors of its matrix products; `operators`,
            the names of the operators that it used and the memory that it took; `python`, what it leaves alive of
            Python's and numpy's own memory.
        by_contract: whether keyword arguments have the contract's names even where the subject's names differ.
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
        mode: the mode to set before the call, train (True) or eval (False); None: the mode is left as it is.
        needs_mode: whether an object without modes raises `MissingName` for "train".
        keep: whether the return value stays in the worker.
        cotangent: the cotangent of the first tensor returned; None: no gradients are asked for, and no graph is made
            unless `Manner.recording` is set.
        leaves: the tensors among the arguments whose gradients are asked for.
        paths: the paths of the object's parameters whose gradients are asked for.
    """

    mode: bool | None = None
    needs_mode: bool = False
    keep: bool = False
    cotangent: Tensor | None = None
    leaves: tuple[Tensor, ...] = ()
    paths: tuple[str, ...] = ()


VALUE_ALONE = Wish()


class Usage(NamedTuple):
    """The operators that a call used and the memory that they took, as PyTorch's dispatcher saw them."""

    operators: frozenset[str]
    """Their names, such as `aten::bmm`."""
    largest: int
    """The number of elements of the largest tensor made."""
    peak_bytes: int
    """The most bytes of tensors made in the call that were alive at once."""


class Leftover(NamedTuple):
    """What a call leaves alive of the tensors that it made or was given, after its inputs and its value are freed."""

    bytes: int
    shape: tuple[int, ...]
    """The shape of the largest tensor alive; () where none is alive."""
    path: str = ""
    """Where that tensor is kept: an attribute of the called object or a name in the submission; empty: not found."""
    python_bytes: int = 0
    """Bytes that Python and numpy hold outside of tensors, such as in a list of numbers; 0 where not observed."""


class HeldTensors(NamedTuple):
    """The number and total bytes of the tensors that an object in the worker holds, each storage counted once."""

    tensors: int
    bytes: int


class CallGradients(NamedTuple):
    """Gradients of `(output * cotangent).sum()`, where `output` is the first tensor that a call returns."""

    of_leaves: list[Tensor | None]
    """The gradient of each leaf, in order; None: the output does not depend on that leaf."""
    of_parameters: dict[str, Tensor]
    """Gradients of the called object's parameters by path; those that the output does not depend on are left out."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one call.

    Attributes:
        value: the return value; what cannot be sent is replaced by an `Unsendable`.
        reference: refers to the return value in the worker, where it stays until the check ends if the call asked to
            keep it.
        disturbed: the parts of the global state that the call changed.
        products: the factors of its matrix products, where they were observed.
        usage: its operators and memory, where they were observed.
        gradients: the gradients that were asked for; None: none were, or the first tensor returned has no graph.
    """

    value: Any
    reference: Reference
    disturbed: tuple[str, ...] = ()
    products: tuple[tuple[Tensor, Tensor], ...] = ()
    usage: Usage | None = None
    gradients: CallGradients | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Implementation:
    """A function, or a layer with real parameters, that a candidate's test is given and that the judge computes.

    Its source never enters the worker. A call made there is sent to the judge with its arguments and the current
    parameters.

    Attributes:
        run: computes a call from the parameters by path and the call's arguments; what it returns is sent back.
        layers: the (weight, bias) of a linear layer for each path; empty: it is a plain function.
        attributes: plain values that the layer has, such as `num_heads`.
        training: whether it is in train mode when the test is given it.
    """

    run: Callable[..., Any]
    layers: Mapping[str, tuple[Tensor, Tensor | None]] = field(default_factory=dict)
    attributes: Mapping[str, int | float] = field(default_factory=dict)
    training: bool = True


@dataclass(frozen=True, slots=True)
class WorkerFunction:
    """A function defined in the worker and passed to a candidate's function, which measures the memory that it takes.

    The submission can look at its source, which holds no secret.

    Attributes:
        source: the Python source that defines the function.
        name: the function's name in that source.
    """

    source: str
    name: str

    def define(self) -> Callable[..., Any]:
        """Defines the same function anew in the judge, and returns it."""
        defined: dict[str, Any] = {}
        exec(self.source, defined)
        function: Callable[..., Any] = defined[self.name]
        return function


@dataclass(frozen=True, slots=True)
class Remains:
    """The state that the last call left behind, whether it returned or raised.

    Attributes:
        disturbed: the parts of the global state that the call changed.
        parameters: the current parameters, by path, of the implementation that the call was given.
        trained: the paths of the parameters that require a gradient.
        modes: the train modes found in the implementation and its layers, True or False.
    """

    disturbed: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    trained: tuple[str, ...] = ()
    modes: frozenset[bool] = frozenset()


@dataclass(slots=True)
class Trace:
    """What the subject returned during one check, in order.

    Attributes:
        leaves: every tensor and plain value returned, with tuples, lists and dicts split into their parts.
        calls: the calls that a mistake can be replayed on, as records of the kata's own type.
        fixtures: what fixtures drew and a replay must be given: the weights and seed of each attention made.
        refused: the calls in which the subject raised, as records of the kata's own type.
        odd: the first answer that no check can compute with, such as one with NaN, worded as a `Mismatch`.
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
    """The value as a trace keeps it; a tensor too large for any mistake to explain is replaced by an empty one."""
    if not isinstance(leaf, Tensor):
        return leaf
    return leaf.detach() if leaf.nbytes <= MOST_KEPT else leaf.new_empty(0)


class Subject(ABC):
    """The submission, or a program of the judge in its place: constructs objects and answers calls.

    Args:
        trace: of the check.
        kept: what fixtures keep from one check of a submission to the next; None: nothing was kept so far.
    """

    def __init__(self, trace: Trace, kept: dict[str, Any] | None = None) -> None:
        self.trace = trace
        self.kept: dict[str, Any] = {} if kept is None else kept
        self.was_called = False
        """Whether the subject was called to compute something in this check."""
        self.answered = False
        """Whether a call of this submission, in this check or an earlier one, returned an answer of the right kind."""

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """What a function of the submission returns."""
        return self.ask(Call(name, args, kwargs)).value

    def ask(self, call: Call, manner: Manner = PLAIN, *, keep: bool = False) -> Result:
        """Makes a call in a certain manner, and returns all that is known of it.

        Args:
            call: of a function, or of a method of an object.
            manner: how it is made.
            keep: whether the return value stays in the worker, to be referred to until the check ends.
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
        """Answers a call as `ask` and `gradients` do, but records nothing in the trace.

        Args:
            call: of a function, or of a method of an object.
            manner: how it is made.
            wish: what is wanted of it besides its value: gradients, or that the value is kept.

        Raises:
            Problem: the subject did not answer.
            Mismatch: there is no function or method of that name.
        """

    def construct(self, new: Construction, manner: Manner = PLAIN) -> Reference:
        """Constructs an object before the next call that is waited for, which may raise its constructor's exception."""
        raise NotImplementedError("this subject has no objects")

    def meanwhile(self, work: Callable[[], object]) -> None:
        """Runs `work` while the next call is answered; a subject in the judge itself runs it at once."""
        work()

    def settle(self) -> None:  # noqa: B027  # in the judge nothing is put off
        """Waits until all objects are made and their parameters set.

        Raises:
            Problem: one of the constructors raised.
            Mismatch: a parameter is missing, or of another shape.
        """

    def disturbed(self, made: Reference) -> tuple[str, ...]:
        """The parts of the global state that the construction of an object changed."""
        raise NotImplementedError("this subject has no objects")

    def parameters(self, made: Reference, paths: Sequence[str]) -> dict[str, Tensor]:
        """An object's parameters by path: one of `paths` where that leads to it, else the path it is registered by."""
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
        """The tensors that the last call changed, among its inputs and what the call before it returned.

        It must be asked before the next call.
        """
        return ()

    def begin_part(self) -> None:  # noqa: B027  # in the judge nothing takes long
        """Starts a part of the check with a check's time of its own, and with a new worker if the last one was lost."""

    def remains(self) -> Remains:
        """The state that the last call left behind, with that of the first implementation that it was given."""
        return Remains()

    def count_tensors(self, reference: Reference) -> HeldTensors:
        """Counts the tensors that an object in the worker holds."""
        raise NotImplementedError("this subject keeps nothing")

    def left_alive(self) -> Leftover:
        """What the last call left alive, after its inputs and its value are freed; the call must have been observed."""
        raise NotImplementedError("this subject keeps nothing")


class AnsweredCall(NamedTuple):
    """One call of a subject and its answer, on which a mistake can be replayed."""

    call: Call
    manner: Manner
    value: Any
    cotangent: Tensor | None = None
    leaves: dict[str, Tensor] | None = None
    gradients: dict[str, Tensor] | None = None
