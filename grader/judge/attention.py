"""The submission's attention, as a check sees it."""

from typing import Any

import torch
from torch import Tensor

from grader.checks import expect
from grader.checks.attention import Attention, Trace
from grader.checks.case import Answer, Case, Gradients, Projections, Size
from grader.checks.draw import Draw
from grader.checks.expect import PARITY, Mismatch, Refused, rounding
from grader.checks.kata import Call, Kata, Strided, tensor_of
from grader.judge.problems import Missing, OutOfMemory, PolicyUsed, Todo
from grader.judge.replies import Construction
from grader.judge.session import Session

GENERATOR = "the global generator"
GENERATORS = frozenset({GENERATOR, "the state of random", "the state of numpy.random"})
PUT_BACK = "the global generator (a second layer is drawn like the first)"


class RemoteAttention(Attention):
    """Lives in a worker; its weights are set by attribute name before the first call."""

    def __init__(self, session: Session, kata: Kata, size: Size, weights: Projections, seed: int, trace: Trace) -> None:
        super().__init__(kata, size, weights, seed, trace)
        self._session = session
        self._dtype = _name(size.dtype)
        self._default_dtype = self._dtype if kata.draws_weights else "float32"
        made = self._made(seed)
        self._go_on_with(made)
        self.attended = False
        """Whether it was called, or a helper of it."""
        self._inputs: dict[str, Tensor] = {}
        """Of the last call, by the contract's names."""
        self._draws_at_first = GENERATOR in made.disturbed
        # A constructor draws its weights: that a generator moves is no fault, that it is seeded is one.
        self._disturbed_at_first = tuple(name for name in made.disturbed if name not in GENERATORS)
        self._disturbed: tuple[str, ...] = ()
        self._use(weights)
        # BEGIN HIDDEN
        if kata.draws_weights and size.embed_dim % size.num_heads == 0:
            self._observe_weights()
        # END HIDDEN

    def changed(self) -> tuple[str, ...]:
        changed = self._session.changed()
        inputs = {id(tensor): name for name, tensor in self._inputs.items()}
        return tuple(dict.fromkeys(inputs.get(tensor, "what the call before returned") for tensor in changed))

    def disturbed(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._disturbed_at_first + self._disturbed))

    def parameters(self) -> dict[str, Tensor]:
        assert self._object is not None, "a function has none"
        told = self._session.parameters(self._object, list(self.kata.parameters(self.weights)))
        return {path: tensor_of(tensor, path) for path, tensor in told.items()}

    def initial_values(self, draw: Draw, *, answers: bool = True) -> dict[str, Tensor]:
        older = self._object, self._training
        self._go_on_with(self._made(draw.integer()))
        told, case = self.parameters(), self.case(draw, N=2, L=5)
        self._set({})
        first = self._output_if_any(case, answers)
        # A lazy layer draws its own when it is first called; of any other what the call finds counts.
        told = {path: told.get(path, drawn) for path, drawn in self.parameters().items()}
        told = {path: told[path] for path in self.kata.parameters(self.weights) if path in told}
        self._object, self._training = older
        if answers and first is not None:
            # The older object was drawn otherwise: what it answers now is made of those told.
            self._set(told)
            then = self._output_if_any(case, answers)
            if then is not None:
                expect.close("output of a new layer, by its own parameters", first.nan_to_num(), then.nan_to_num())
        self._use(self.weights)
        return told

    def _output_if_any(self, case: Case, needed: bool) -> Tensor | None:
        """None of a submission that has answered nothing so far: its constructor may be all that is written."""
        try:
            return self._attend(case).output
        except (Todo, Refused, PolicyUsed, OutOfMemory, Mismatch):
            if needed and self._session.answered:
                raise
            return None

    def another(self) -> None:
        if self._object is None:
            return
        made = self._made(None)
        self._go_on_with(made)
        left = {name for name in made.disturbed if name not in GENERATORS}
        # Seeded anew in the constructor, it stands after the second object where it stood after the first.
        put_back = self._draws_at_first and GENERATOR not in made.disturbed
        self._disturbed_at_first += (*sorted(left), *((PUT_BACK,) if put_back else ()))
        self._use(self.weights)

    def copy(self) -> None:
        if self.kata.has_modes:
            self._use(self.weights, copy=True)

    def refusable(self, draw: Draw) -> None:
        if self._object is None:
            super().refusable(draw)

    def _made(self, seed: int | None) -> Construction:
        """A new object of this size."""
        return self._session.construct(self.kata.construct(self.size), seed, self._default_dtype)

    def _go_on_with(self, made: Construction) -> None:
        self._object = made.number
        self._training = self.kata.has_modes  # a new nn.Module is in train mode

    def _use(self, weights: Projections, *, copy: bool = False) -> None:
        self._set(self.kata.parameters(weights), copy=copy)

    def _set(self, parameters: dict[str, Tensor], *, copy: bool = False) -> None:
        if self._object is not None:
            self._session.set(self._object, self._dtype, parameters, copy=copy)

    # BEGIN HIDDEN
    def _observe_weights(self) -> None:
        """Takes the weights that a probe is seen to use, where its answer is not that of the weights expected."""
        case = self.case(Draw(self.seed, "probe"), N=2, L=4, S=6)
        result = self._session.call(
            self._object, self._call(case), seed=case.seed, dtype=self._default_dtype, capture=True
        )
        output = self.kata.read(result.value, case).output
        expected = self.expected(case).output
        if output.shape != expected.shape:
            return
        # In bfloat16 correct answers differ by far more than allclose allows by itself.
        allowed = max(PARITY.atol, rounding(self.size.dtype, expected).atol)
        if not torch.allclose(output.double(), expected.double(), atol=allowed):
            seen = self.kata.weights_in_use(case, self.size, output, result.products)
            self.weights = self.weights if seen is None else seen.to(self.size.dtype)

    # END HIDDEN

    def _set_mode(self, training: bool) -> None:
        if self.kata.has_modes and training is not self._training:
            try:
                self._session.call(self._object, Call("train", (training,)))
            except Missing as missing:
                name = self.kata.construct(self.size)[-1].name
                raise Mismatch(name, "an nn.Module, which has train and eval mode", "a class without them") from missing
            self._training = training

    def _attend(self, case: Case) -> Answer:
        self.attended = True
        self._set_mode(case.training)
        call = self._call(case)
        dtype = self._default_dtype_of(case)
        given = {"seed": case.seed, "drawn": case.drawn, "again": case.again}
        result = self._session.call(self._object, call, dtype=dtype, **given)
        named = {self.kata.names.get(name, name): tensor for name, tensor in case.streams().items()}
        inputs = {id(tensor) for tensor in named.values()}
        masks = [("mask", value) for value in call.args if isinstance(value, Tensor) and id(value) not in inputs]
        named |= dict(masks) | {name: value for name, value in call.kwargs.items() if isinstance(value, Tensor)}
        self._inputs = named
        self._disturbed = self._unasked(result.disturbed, case)
        answer = self.kata.read(result.value, case)
        self._session.answered = True
        if self.trace.odd is None and not answer.output.isfinite().all():
            self.trace.odd = Mismatch("output", "finite values", "NaN or infinity among them")
        return answer

    def _gradients(self, case: Case, cotangent: Tensor) -> tuple[Answer, Gradients]:
        self.attended = True
        self._set_mode(case.training)
        wanted = case.differentiable()
        result = self._session.call(
            self._object,
            self._call(case),
            seed=case.seed,
            dtype=self._default_dtype_of(case),
            differentiable=list(wanted.values()),
            keep=True,
        )
        self._disturbed = self._unasked(result.disturbed, case)
        answer = self.kata.read(result.value, case)
        output = answer.output
        expect.same_shape("output", output, cotangent)
        found = {name: torch.zeros_like(tensor) for name, tensor in wanted.items()}
        parameters = self.kata.parameters(self.weights)
        found |= {path: torch.zeros_like(value) for path, value in parameters.items()}
        reply = self._session.gradients(result.number, cotangent.to(output.dtype), list(parameters))
        self.cut_off = reply is None
        if reply is None:
            return answer, found
        inputs, of_parameters = reply
        told = dict(zip(wanted, inputs, strict=False)) | of_parameters
        # Those that were asked for, in their shapes: a worker may send any others, for a report to name or to keep.
        for name, zeros in list(found.items()):
            gradient = told.get(name)
            if gradient is not None:
                expect.same_shape(f"gradient of {self.kata.names.get(name, name)}", gradient, zeros)
                found[name] = gradient
        return answer, found

    def _helper(self, name: str, *args: Any) -> Any:
        self.attended = True
        number = None if name in self.kata.functions else self._object
        value = self._session.call(number, Call(name, args), dtype=self._default_dtype).value
        floats = any(isinstance(arg, Tensor) and arg.is_floating_point() for arg in args)
        return tensor_of(value, name) if floats and isinstance(value, Tensor) else value

    def _unasked(self, disturbed: tuple[str, ...], case: Case) -> tuple[str, ...]:
        """Without the generators, where the call may draw from them; weights are drawn from torch's."""
        drawn_from = GENERATORS if case.training else {GENERATOR} if self.kata.draws_weights else ()
        return tuple(name for name in disturbed if name not in drawn_from)

    def _default_dtype_of(self, case: Case) -> str:
        return self._default_dtype if case.default_dtype is None else _name(case.default_dtype)

    def _call(self, case: Case) -> Call:
        call = self.kata.call(case, self.size)
        if not case.strided:
            return call
        args = tuple(Strided(value) if isinstance(value, Tensor) else value for value in call.args)
        options = call.kwargs.items()
        kwargs = {name: Strided(value) if isinstance(value, Tensor) else value for name, value in options}
        return Call(call.name, args, kwargs)


def _name(dtype: torch.dtype) -> str:
    """`float32` of torch.float32."""
    return str(dtype).removeprefix("torch.")
