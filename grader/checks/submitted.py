"""The submission's attention, as a check sees it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from grader.checks import expect
from grader.checks.attention import Attention, MakeAttention, StartValues
from grader.checks.case import Answer, Case, Gradients, Projections, Size
from grader.checks.draw import Draw
from grader.checks.expect import Misfit, Mismatch, Misread, Problem
from grader.checks.problems import MissingName
from grader.checks.subject import VALUE_ALONE, Call, Leftover, Manner, Reference, Result, Subject, Wish

if TYPE_CHECKING:
    from grader.checks.attention_kata import AttentionKata

GENERATOR = "the global generator"
GENERATORS = frozenset({GENERATOR, "the state of random", "the state of numpy.random"})
MISSING = "missing biases"
"""The key under which missing biases are kept from check to check."""
LENIENT = "other kinds of answers"
"""The key under which it is kept whether answers of another kind are read for their output."""
PUT_BACK = "the global generator (a second layer is drawn like the first)"


def attention(kata: AttentionKata, subject: Subject, draw: Draw) -> MakeAttention:
    """The `attention` fixture: makes attentions of the submission, with weights drawn for the check.

    Args:
        kata: whose contract the submission is called by.
        subject: the submission.
        draw: the check's stream of random tensors.
    """

    def make(*args: Any, **kwargs: Any) -> Attention:
        size = kata.size(*args, **kwargs)
        weights, seed = kata.weights.new(draw, size)
        made = SubmittedAttention(kata, subject, size, weights, seed)
        subject.trace.fixtures.append((made.weights, seed))
        return made

    return make


class SubmittedAttention(Attention):
    """An attention of the submission, in a worker; its weights are set by attribute name before the first call.

    Args:
        kata: its contract.
        subject: the submission.
        size: how it is built.
        weights: the weights that are set, or that a function is expected to draw.
        seed: the seed of its constructor and its calls.
    """

    def __init__(self, kata: AttentionKata, subject: Subject, size: Size, weights: Projections, seed: int) -> None:
        super().__init__(kata, size, weights, seed, subject.trace)
        self.subject = subject
        self._default_dtype = kata.weights.default_dtype(size)
        self._inputs: dict[str, Tensor] = {}
        """The input tensors of the last call, by the contract's names."""
        self._disturbed_at_first: tuple[str, ...] = ()
        """The global state that the constructors of earlier objects changed."""
        self._disturbed: tuple[str, ...] = ()
        self._go_on_with(self._constructed(seed))
        self.missing = self._missing_biases()
        self.weights = kata.without(weights, self.missing)
        self._use(self.weights)
        if self._may_be_built:
            self.weights = kata.weights.observed(self)

    @property
    def _may_be_built(self) -> bool:
        return self.size.embed_dim % self.size.num_heads == 0

    def changed(self) -> tuple[str, ...]:
        inputs = {id(tensor): name for name, tensor in self._inputs.items()}
        changed = self.subject.changed()
        return tuple(dict.fromkeys(inputs.get(id(tensor), "what the call before returned") for tensor in changed))

    def disturbed(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._disturbed_at_first + self._left_by_constructor() + self._disturbed))

    def parameters(self) -> dict[str, Tensor]:
        assert self._object is not None, "a function has none"
        parameters = self.subject.parameters(self._object, list(self.kata.parameters(self.weights)))
        return {path: tensor_of(tensor, path) for path, tensor in parameters.items()}

    def initial_values(self, draw: Draw, *, answers: bool = True) -> dict[str, Tensor]:
        older = self._object, self._training, self._is_new
        self._go_on_with(self._constructed(draw.integer()))
        initial, case = self.parameters(), self.case(draw, N=2, L=5)
        self._set({})
        first = self._output_if_any(case, answers)
        # A lazy layer draws its parameters in its first call; for any other layer the values before the call count.
        initial = {path: initial.get(path, drawn) for path, drawn in self.parameters().items()}
        initial = {path: initial[path] for path in self.kata.parameters(self.weights) if path in initial}
        self.trace.calls.append(StartValues(self.size, initial))
        self._object, self._training, self._is_new = older
        if answers and first is not None:
            # The older object drew other parameters, so its answer now can only come from the initial values set here.
            self._set(initial)
            then = self._output_if_any(case, answers)
            if then is not None:
                expect.close("output of a new layer, by its own parameters", first.nan_to_num(), then.nan_to_num())
        self._use(self.weights)
        return initial

    def with_defaults(self) -> bool:
        super().with_defaults()
        self._go_on_with(self._constructed(self.seed, defaults=True))
        missing = self._biases_not_found()
        self._use(self.kata.without(self.weights, missing))
        return not missing

    def by_keyword(self, case: Case) -> Answer:
        new = self.kata.construct(self.size, by_keyword=True)
        made = None if new is None else self.subject.construct(new, self._manner(seed=self.seed))
        self._go_on_with(made)
        self._use(self.weights)
        call = self.kata.call(case, self.size)
        named = Call(
            call.name, (), {**dict(zip(self.kata.inputs, call.args, strict=False)), **call.kwargs}, self._object
        )
        return self._read(self._answered(named, case.but(by_contract=True)).value, case)

    def _missing_biases(self) -> tuple[str, ...]:
        """The biases that the submission's layers lack: looked up once, in the first object that should have any."""
        if self._object is None or not self.size.bias:
            return ()
        if MISSING not in self.subject.kept:
            self.subject.kept[MISSING] = self._biases_not_found()
        missing: tuple[str, ...] = self.subject.kept[MISSING]
        return missing

    def _biases_not_found(self) -> tuple[str, ...]:
        """The paths of biases among the weights in use that the object does not have."""
        wanted = self.kata.parameters(self.weights)
        self._set(wanted)  # before the parameters are listed: lazy layers have none yet
        try:
            self.parameters()
        except Mismatch:  # a weight that cannot be set is reported by the next answer
            there = self.parameters()
            return tuple(path for path in wanted if path.endswith(".bias") and path not in there)
        return ()

    def _read(self, value: Any, case: Case) -> Answer:
        """Reads what the contract says is returned; from another kind of value it reads the output alone, if it can."""
        try:
            answer = self.kata.read(value, case)
            self._may_be_misread(case, is_misread=False)
            return answer
        except Mismatch as misread:
            first = value[0] if isinstance(value, tuple | list) and value else value
            if not isinstance(first, Tensor) or not first.is_floating_point():
                raise
            if not self._may_be_misread(case, is_misread=True):
                raise
            self.misread = Misread(misread.what, misread.expected, misread.got)
            return Answer(first, None)

    def _may_be_misread(self, case: Case, *, is_misread: bool) -> bool:
        """Whether an answer of another kind than the contract's may be read for its output alone.

        It may where the weights are declined. Elsewhere the first answer to a call that wants them decides, as it is an
        ordinary call: a submission that returns another kind of thing there does so in all calls, and one that does so
        in some calls alone is wrong in these.

        Args:
            case: the call.
            is_misread: whether the answer to it is of another kind than the contract says.
        """
        if case.need_weights is False:
            return True
        lenient: bool = self.subject.kept.setdefault(LENIENT, is_misread)
        return lenient

    def _output_if_any(self, case: Case, needed: bool) -> Tensor | None:
        """The output of a call, or None where the call fails and need not be answered.

        A submission that has answered nothing so far need not: its constructor may be all that is written.
        """
        try:
            return self._attend(case).output
        except (Problem, Mismatch):
            if needed and self.subject.answered:
                raise
            return None

    def construct_another(self) -> None:
        if self._object is None:
            return
        drew_at_first = GENERATOR in self.subject.disturbed(self._object)
        self._disturbed_at_first = self._left_by_constructor()
        made = self._constructed(None)
        self._go_on_with(made)
        # If the constructor seeds the generator, its state is the same after the second object as after the first.
        if made is not None and drew_at_first and GENERATOR not in self.subject.disturbed(made):
            self._disturbed_at_first += (PUT_BACK,)
        self._use(self.weights)

    def copy(self) -> None:
        if self.kata.has_modes:
            self._set(self.kata.parameters(self.weights), copy=True)

    def meanwhile(self, work: Callable[[], Any]) -> Callable[[], Any]:
        result = cache(work)
        self.subject.meanwhile(result)
        return result

    def built(self, draw: Draw) -> None:
        if self._object is None:
            self(self.case(draw, N=2, L=5))
        self.subject.settle()

    def _constructed(self, seed: int | None, *, defaults: bool = False) -> Reference | None:
        """A new object of this size; None: the subject is a function."""
        new = self.kata.construct(self.size, defaults=defaults)
        return None if new is None else self.subject.construct(new, self._manner(seed=seed))

    def _go_on_with(self, made: Reference | None) -> None:
        self._object = made
        self._training = True  # a new nn.Module is in train mode
        self._is_new = True

    def _left_by_constructor(self) -> tuple[str, ...]:
        """What the constructor changed of the global state, without the generators.

        It draws its weights: moving a generator is no fault, seeding it is one.
        """
        if self._object is None:
            return ()
        return tuple(name for name in self.subject.disturbed(self._object) if name not in GENERATORS)

    def _use(self, weights: Projections) -> None:
        self._set(self.kata.parameters(weights))

    def _set(self, parameters: dict[str, Tensor], *, copy: bool = False) -> None:
        if self._object is not None:
            self.subject.set_parameters(self._object, self.size.dtype, parameters, copy=copy)

    def _manner(self, **manner: Any) -> Manner:
        return Manner(default_dtype=self._default_dtype, **manner)

    def _answered(self, call: Call, case: Case, wish: Wish = VALUE_ALONE) -> Result:
        """The result of a call, made in the mode and the default dtype of the case."""
        self.subject.was_called = True
        self.is_first, self._is_new = self._is_new, self._object is None
        manner = case.manner
        if manner.default_dtype is None and self._default_dtype is not None:
            manner = replace(manner, default_dtype=self._default_dtype)
        # Where the contract knows no modes, a layer that has some is used in eval mode.
        training = case.manner.training and (self.kata.has_modes or self.has_defaults)
        mode = training if self._object is not None and training is not self._training else None
        try:
            result = self.subject.answer(call, manner, replace(wish, mode=mode, needs_mode=self.kata.has_modes))
        except Misfit as misfit:
            if misfit.what.partition(".")[0] != self.kata.layers.get("o"):
                misfit.head_dim = self.size.head_dim
            raise
        except MissingName as missing:
            if mode is None or str(missing.what) != "train":
                raise
            raise Mismatch(
                self.kata.class_name, "an nn.Module, which has train and eval mode", "a class without them"
            ) from missing
        self._training = training
        self._disturbed = self._undue_disturbances(result.disturbed, case)
        return result

    def observe(self, case: Case) -> tuple[Answer, Result]:
        """The answer to a call whose matrix products are observed, and its result."""
        result = self._answered(self._call(case), case.but(observed=frozenset({"products"})))
        return self._read(result.value, case), result

    def operators(self, case: Case) -> frozenset[str]:
        result = self._answered(self._call(case), case.but(observed=frozenset({"operators"})))
        self._read(result.value, case)
        assert result.usage is not None
        return frozenset(result.usage.operators)

    def left_alive(self, case: Case, cotangent: Tensor | None = None, *, beside_tensors: bool = False) -> Leftover:
        leaves = () if cotangent is None else tuple(case.differentiable().values())
        observed = case.but(observed=frozenset({"operators", "python"} if beside_tensors else {"operators"}))
        result = self._answered(self._call(case), observed, Wish(cotangent=cotangent, leaves=leaves))
        self._read(result.value, case)
        return self.subject.left_alive()

    def _attend(self, case: Case) -> Answer:
        call = self._call(case)
        result = self._answered(call, case)
        named = {self.kata.names.get(name, name): tensor for name, tensor in case.streams().items()}
        inputs = {id(tensor) for tensor in named.values()}
        given = [*zip(self.kata.inputs, call.args, strict=False), *call.kwargs.items()]
        named |= {name: value for name, value in given if isinstance(value, Tensor) and id(value) not in inputs}
        self._inputs = named
        answer = self._read(result.value, case)
        self.subject.answered = True
        total = float(answer.output.sum())  # a quick test: where the sum is finite, all values are
        if self.trace.odd is None and not math.isfinite(total) and not answer.output.isfinite().all():
            self.trace.odd = Mismatch("output", "finite values", "NaN or infinity among them")
        return answer

    def _gradients(self, case: Case, cotangent: Tensor) -> tuple[Answer, Gradients]:
        wanted, parameters = case.differentiable(), self.kata.parameters(self.weights)
        wish = Wish(cotangent=cotangent, leaves=tuple(wanted.values()), paths=tuple(parameters))
        result = self._answered(self._call(case), case, wish)
        answer = self._read(result.value, case)
        expect.same_shape("output", answer.output, cotangent)
        gradients = {name: torch.zeros_like(tensor) for name, tensor in (wanted | parameters).items()}
        self.cut_off = result.gradients is None
        if result.gradients is None:
            return answer, gradients
        returned = dict(zip(wanted, result.gradients.of_leaves, strict=False)) | result.gradients.of_parameters
        # Only those that were asked for, in their shapes: a worker may send others, for a report to name or to keep.
        for name, zeros in list(gradients.items()):
            gradient = returned.get(name)
            if gradient is not None:
                expect.same_shape(f"gradient of {self.kata.names.get(name, name)}", gradient, zeros)
                gradients[name] = gradient
        return answer, gradients

    def _helper(self, name: str, *args: Any) -> Any:
        of = None if name in self.kata.functions else self._object
        self.subject.was_called = True
        value = self.subject.answer(Call(name, args, of=of), self._manner(seed=None)).value
        floats = any(isinstance(arg, Tensor) and arg.is_floating_point() for arg in args)
        return tensor_of(value, name) if floats and isinstance(value, Tensor) else value

    def _undue_disturbances(self, disturbed: tuple[str, ...], case: Case) -> tuple[str, ...]:
        """What was disturbed, without the generators that the call may draw from; weights are drawn from torch's."""
        drawn_from = (
            GENERATORS if case.manner.training else {GENERATOR} if self.kata.weights.draws_in_calls else frozenset()
        )
        return tuple(name for name in disturbed if name not in drawn_from)

    def _call(self, case: Case) -> Call:
        return replace(self.kata.call(case, self.size), of=self._object)


def tensor_of(value: Any, what: str) -> Tensor:
    """The value, if it is a tensor of floating-point numbers.

    Raises:
        Mismatch: it is not.
    """
    if isinstance(value, Tensor) and value.is_floating_point():
        return value
    is_tensor = value.is_tensor if isinstance(value, expect.Unsendable) else isinstance(value, Tensor)
    wanted = "a dense tensor of floating-point numbers" if is_tensor else "a tensor"
    raise Mismatch(what, wanted, expect.describe(value))
