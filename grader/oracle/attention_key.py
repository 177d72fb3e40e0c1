"""Attention computed in the judge: what checks compare with, and what a replayed check sees in a submission's place."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, ClassVar

import torch
from torch import Tensor

from grader.checks.attention import Attention, AttentionCall
from grader.checks.attention_kata import AttentionKata
from grader.checks.case import Answer, Case, Gradients, Projections, Size
from grader.checks.expect import PARITY
from grader.checks.kata import AnswerKey, Circumstance, JudgedCall, Panels, PartsAt, Raise
from grader.checks.subject import Trace
from grader.checks.weight_source import SetWeights
from grader.oracle import pytorch
from grader.oracle.catalogue.rarer import RARER, RARER_OF_HEADS
from grader.oracle.catalogue.training import drawn_otherwise
from grader.oracle.circumstances import HISTORIES, OF_A_HELPER, of_contract, of_sizes
from grader.oracle.constants import constants
from grader.oracle.constants_of_blocks import blocks, rests
from grader.oracle.constants_of_dtypes import narrow_scores
from grader.oracle.constants_of_masks import is_one_hot
from grader.oracle.constants_of_output import gradient_times
from grader.oracle.functions import Functions, OracleSubject
from grader.oracle.kept import kept_from_before
from grader.oracle.mistake import Mistake, only_where
from grader.oracle.near import is_near
from grader.oracle.own_weights import in_own_weights
from grader.oracle.parts import place
from grader.oracle.pictured import panels
from grader.oracle.pipeline import Steps, noting
from grader.oracle.raised import raised_mistakes
from grader.oracle.remembered import recall, remember
from grader.oracle.style import ADDED, ADDED_INFINITY, CANCEL, STYLES, TWO_WAYS, ZEROS, Style
from grader.oracle.walk import Walk

ROUNDED = 0.2
"""A share of the largest value: with scores in bfloat16, values are off by less."""
MOST_FITTED = 5_000
"""The most numbers in a call for constants to be fitted to its values."""
ROUNDING = {torch.float64: (1e-5, 1e-6), torch.float32: (1e-4, 1e-5), torch.bfloat16: (5e-2, 5e-2)}
"""How far a right answer in a dtype is off at most, (rtol, atol)."""

Helper = Callable[[Steps, Size, str, tuple[Any, ...]], Tensor]
PyTorchAnswer = Callable[[Case, Size, Projections], Answer]


def expected(mha: Attention, case: Case) -> Answer:
    """The oracle's answer."""
    return remember(mha.kata.key.oracle.run, case, mha.size, mha.weights)


def expected_gradients(mha: Attention, case: Case, cotangent: Tensor) -> tuple[Answer, Gradients]:
    """The oracle's answer, and the gradients of (output * cotangent).sum() by autograd.

    Args:
        mha: the attention.
        case: the call.
        cotangent: of the shape of the output.
    """
    return remember(_differentiated, mha.kata.key.oracle, mha.kata, case, mha.size, mha.weights, cotangent)


def _differentiated(*question: Any) -> tuple[Answer, Gradients]:
    answer, gradients = differentiate(*question)
    return answer.detached(), gradients


def in_float64(mha: Attention, case: Case) -> Answer:
    """The oracle's answer to the case, inputs and weights converted to float64."""
    wide = case.but(**{name: tensor.double() for name, tensor in case.streams().items()})
    return remember(mha.kata.key.oracle.run, wide, mha.size, mha.weights.to(torch.float64))


def of_pytorch(mha: Attention, case: Case) -> Answer:
    """PyTorch's answer with the same weights."""
    compute, *options = _by_pytorch(mha.kata)
    return remember(compute, case, mha.size, mha.weights, *options)


def _by_pytorch(kata: AttentionKata) -> tuple[Any, ...]:
    """The function that computes PyTorch's answer, and its arguments after case, size and weights."""
    return (pytorch.answer, kata.per_head) if kata.key.pytorch is None else (kata.key.pytorch,)


def differentiate(
    steps: Steps, kata: AttentionKata, case: Case, size: Size, weights: Projections, cotangent: Tensor
) -> tuple[Answer, Gradients]:
    """The answer, and the gradients of (output * cotangent).sum(); zeros for what the output does not depend on.

    Args:
        steps: of the oracle, or of a mistake.
        kata: gives the paths of the parameters.
        case: the call.
        size: how the attention is built.
        weights: (E, E) each, biases (E,).
        cotangent: of the shape of the output.
    """
    inputs = {name: tensor.detach().clone().requires_grad_() for name, tensor in case.differentiable().items()}
    leaves = {name: tensor.detach().clone().requires_grad_() for name, tensor in weights.items()}
    answer = steps.run(case.but(**inputs), size, type(weights)(**leaves))
    wanted = [*inputs.values(), *leaves.values()]
    if not answer.output.requires_grad:
        gradients = [torch.zeros_like(tensor) for tensor in wanted]
    else:
        # A cotangent given to `grad` itself imports sympy: 0.5 s.
        total = (answer.output * cotangent).sum()
        gradients = list(torch.autograd.grad(total, wanted, allow_unused=True, materialize_grads=True))
    of_weights = type(weights)(**dict(zip(leaves, gradients[len(inputs) :], strict=True)))
    return answer, dict(zip(inputs, gradients, strict=False)) | kata.parameters(of_weights)


class OracleAttention(Attention):
    """Attention computed in the judge by a pipeline: the oracle's, or a mistake's.

    Args:
        kata: its contract.
        steps: of the oracle, or of a mistake.
        size: how it is built.
        weights: those that the submission's attention had.
        seed: of its calls.
        trace: of the replay.
    """

    def __init__(
        self, kata: AttentionKata, steps: Steps, size: Size, weights: Projections, seed: int, trace: Trace
    ) -> None:
        super().__init__(kata, size, weights, seed, trace)
        self.steps = steps

    def _attend(self, case: Case) -> Answer:
        if case.need_weights is None:
            case = case.but(need_weights=self.kata.returns_weights_by_default)
        return self.steps.run(case, self.size, self.weights)

    def _gradients(self, case: Case, cotangent: Tensor) -> tuple[Answer, Gradients]:
        answer, gradients = differentiate(self.steps, self.kata, case, self.size, self.weights, cotangent)
        self.cut_off = not answer.output.requires_grad
        return answer.detached(), gradients

    def _helper(self, name: str, *args: Any) -> Any:
        return self.kata.key.helper(self.steps, self.size, name, args)

    def _use(self, weights: Projections) -> None:
        pass


def no_helper(steps: Steps, size: Size, name: str, args: tuple[Any, ...]) -> Tensor:
    """The helper of a contract that has none.

    Args:
        steps: of the oracle, or of a mistake.
        size: how the layer is built.
        name: the helper's name.
        args: the helper's arguments.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(f"there is no helper {name}")


@dataclass(eq=False)
class AttentionKey(AnswerKey):
    """What the judge alone knows of a kata on attention.

    Attributes:
        oracle: the pipeline that is right for the contract.
        mistakes: the catalogue, the more special before the more general.
        questions: for an interviewer, by a tier's name, where the tier's own does not fit the contract.
        helper: computes what a helper of the contract returns, with the steps of a pipeline.
        pytorch: computes PyTorch's answer with the same weights; None: the answer is nn.MultiheadAttention's.
        weights: where the weights come from, if the contract alone does not say that.
        functions: makes the functions that the contract asks for beside the attention from a pipeline's steps; None:
            there are none.
        constants_of_functions: mistakes with a usual constant, tried where nothing else explains a check of functions.
    """

    calls: ClassVar[type] = AttentionCall
    oracle: Steps
    mistakes: Sequence[Mistake]
    questions: Mapping[str, str] = field(default_factory=dict)
    helper: Helper = no_helper
    pytorch: PyTorchAnswer | None = None
    weights: SetWeights | None = None
    functions: Callable[[Any], Functions] | None = None
    constants_of_functions: Sequence[Mistake] = ()

    def fixtures(self, kata: Any, program: Steps, trace: Any, drawn: Sequence[Any]) -> dict[str, Any]:
        made = iter(drawn)

        def attention(*args: Any, **kwargs: Any) -> OracleAttention:
            weights, seed = next(made)
            return OracleAttention(kata, program, kata.size(*args, **kwargs), weights, seed, trace)

        of_functions = {} if self.functions is None else {"subject": OracleSubject(self.functions(program), trace)}
        return {"attention": attention, **of_functions}

    def answer(self, kata: Any, program: Steps, call: AttentionCall, walk: Walk | None = None) -> list[Any]:
        if call.cotangent is None or call.gradients is None:
            return _there(*program.run(call.case, call.size, call.weights, walk))
        question = program, kata, call.case, call.size, call.weights, call.cotangent
        # The check has mostly compared with the oracle's answer, which is then remembered.
        answer, gradients = remember(_differentiated, *question) if program is self.oracle else differentiate(*question)
        return _there(
            *answer.asked_for(call.case).detached(), *(gradients.get(name) for name in sorted(call.gradients))
        )

    def right_values(self, kata: Any, call: AttentionCall) -> list[Any] | None:
        if call.is_dropping:
            return None
        question = call.case, call.size, call.weights
        compute, *options = _by_pytorch(kata)
        known = recall(compute, *question, *options)
        if known is None and call.cotangent is not None:
            known, _ = recall(_differentiated, self.oracle, kata, *question, call.cotangent) or (None, {})
        try:
            return _there(*(known or remember(self.oracle.run, *question)))
        except Exception:  # the oracle breaks on what it was given
            return []

    def walk(self, program: Steps, call: AttentionCall, beside: Walk | None = None) -> Walk:
        return program.walk(call.case, call.size, beside)

    def is_refuted(self, kata: Any, program: Steps, call: AttentionCall, walk: Walk, rtol: float, atol: float) -> bool:
        """Whether the weights refute the program; False where none were returned.

        Args:
            kata: whose check made the call.
            program: the oracle, with steps replaced.
            call: of an attention.
            walk: of this program through this call.
            rtol: relative tolerance.
            atol: absolute tolerance.
        """
        returned = call.answer.weights
        if returned is None:
            return False
        given = program.give_weights(call.case, call.size, call.weights, walk)
        if given is None or given.shape != returned.shape or self._other_styles(kata, program, call, walk):
            return False
        return not is_near(given, returned, rtol, atol)

    def place(self, mistake: Mistake) -> int:
        return min(
            (place for place, steps in enumerate(self.oracle.stages.values()) if set(steps) & set(mistake.changed)),
            default=len(self.oracle.stages),
        )

    def returned(self, call: AttentionCall) -> list[Any]:
        gradients = call.gradients or {}
        return _there(*call.answer, *(gradients[name] for name in sorted(gradients)))

    def size(self, call: AttentionCall) -> int:
        """At least the number of scores, which are computed even where no weights are returned."""
        query, keys = call.case.query, call.case.keys
        scores = call.size.num_heads * query.numel() // query.shape[-1] * keys.shape[-2]
        return max(scores, super().size(call))

    def is_comparable(self, kata: Any, call: AttentionCall) -> bool:
        """Whether all is in float64, every query sees a key, and the mask has the dtype of the kata's first format.

        The mask may have any shape. A submission may read each dtype of a mask by separate lines of code. Weights drawn
        in another default dtype than the check's are not the weights that the call is recorded with. Training with
        dropout, in which answers depend on what is drawn, is not looked at here: see `drew`.
        """
        case = call.case
        first_dtype = case.bias is None and (
            case.mask_format is None or case.mask_format.dtype == kata.formats[0].dtype
        )
        plain = case.mask_dtype is None and case.manner.default_dtype is None
        return call.is_seeing and first_dtype and plain and call.size.dtype == torch.float64

    def is_exact(self, call: AttentionCall) -> bool:
        return call.size.dtype == torch.float64 and not call.is_dropping

    def is_one_hot(self, call: AttentionCall) -> bool:
        return is_one_hot(self.oracle, call)

    def rounding(self, call: AttentionCall) -> tuple[float, float] | None:
        """The tolerances of the call's dtype.

        None where a query sees no key, the bias is not finite, optional arguments were left out, or weights were drawn
        in another default dtype.
        """
        finite = call.case.bias is None or bool(call.case.bias.isfinite().all())
        known = call.is_seeing and finite and not call.by_default and call.case.manner.default_dtype is None
        return ROUNDING.get(call.size.dtype) if known else None

    def slack(self, kata: Any, call: AttentionCall) -> float:
        """The factor on the tolerances. In a narrow dtype, even small sums are off by a share of the largest value."""
        largest = 0.0 if call.size.dtype == torch.float64 else float(call.answer.output.nan_to_num(0, 0, 0).abs().max())
        return float(kata.tolerance(call.case).atol / PARITY.atol) * max(1.0, largest)

    def circumstances(
        self, kata: Any, wrong: Sequence[AttentionCall], right: Sequence[AttentionCall]
    ) -> Iterable[Circumstance]:
        return (*of_contract(kata), *of_sizes(wrong, right)) if wrong else (OF_A_HELPER,)

    def histories(self) -> Iterable[Circumstance]:
        return HISTORIES

    def only_where(self, mistake: Mistake, circumstance: Circumstance, *, in_no_others: bool) -> Mistake:
        return only_where(mistake, circumstance, self.oracle, in_no_others=in_no_others)

    def panels(self, kata: Any, wrong: Sequence[JudgedCall]) -> Panels | None:
        return panels(kata, wrong)

    def parts_at(
        self, kata: Any, failed: Sequence[Sequence[JudgedCall]], passed: Sequence[JudgedCall]
    ) -> PartsAt | None:
        location = place(kata, failed, passed)
        return None if location is None else PartsAt(location.sentence(kata), location.steps_of_oracle)

    def in_own_weights(self, calls: Iterable[Any], looked_at: str) -> Mistake | None:
        return in_own_weights(calls, looked_at)

    def input_identity(self, call: AttentionCall) -> object:
        case = call.case
        return tuple(map(id, (case.query, case.key, case.value, case.allow, case.keep, case.bias)))

    def kept_from_before(self, calls: Sequence[JudgedCall]) -> Mistake | None:
        return kept_from_before(self.oracle, calls)

    def raised_mistakes(self, kata: Any, raises: Sequence[Raise]) -> dict[str, Mistake]:
        return raised_mistakes(kata, raises)

    def constants(self, kata: Any, call: AttentionCall | None) -> Iterable[Mistake]:
        if call is None:
            return self.constants_of_functions
        if call.gradients and call.cotangent is not None:
            question = self.oracle, kata, call.case, call.size, call.weights, call.cotangent
            answer, right = remember(_differentiated, *question)
            output = call.answer.output
            if output.shape == answer.output.shape and is_near(answer.output, output):
                return gradient_times(call.gradients, right)
        by_dropout = drawn_otherwise(self.mistakes, kata.dropout_places) if call.size.dropout and kata.has_heads else ()
        if not self.is_exact(call):
            return by_dropout
        values = list(zip(self.answer(kata, self.oracle, call), self.returned(call), strict=False))
        if all(_is_like(one, other, 0.0) for one, other in values):
            return narrow_scores(self.oracle)  # digits alone are lost
        is_rounded = all(_is_like(one, other, ROUNDED) for one, other in values)
        of_dtypes = narrow_scores(self.oracle) if is_rounded else ()
        of_blocks = blocks(self.oracle, call) if kata.saves_memory else ()
        usual = chain(by_dropout, of_dtypes, rests(self.oracle, call), of_blocks)
        rarer = (*RARER, *(RARER_OF_HEADS if kata.has_heads else ()))
        return chain(usual, constants(self.oracle, call, rarer)) if self.size(call) <= MOST_FITTED else usual

    def drew(self, call: AttentionCall) -> bool:
        """Whether dropout drew numbers in training: right answers then depend on the numbers and on their order.

        Where no seed was set, nobody can tell, and dropout in training counts as drawn.
        """
        seed = call.case.manner.seed
        if not call.is_dropping or seed is None:
            return call.is_dropping
        after = torch.default_generator.get_state()
        torch.default_generator.manual_seed(seed)
        return not torch.equal(after, torch.default_generator.get_state())

    def variants(
        self,
        kata: Any,
        program: Steps,
        walks: Sequence[tuple[AttentionCall, Walk]] = (),
        in_helpers: Collection[str] = (),
    ) -> list[Steps]:
        if in_helpers and "softmax" not in in_helpers:
            return [program]  # checks of such helpers take all hidden scores for one number
        styles = _styles(kata, hides=bool(kata.formats) or program.mask is not self.oracle.mask)
        if walks and not any(self._may_part(program, walk) for _, walk in walks):
            styles = [style for style in styles if replace(style, gives_dropped=False) == ZEROS]
        if _hides_whole_rows_alone([walk for call, walk in walks if call.case.has_float_mask]):
            styles = [style for style in styles if style.hide not in CANCEL]
        if walks and not any(self._may_drop(program, call) for call, _ in walks):
            styles = [style for style in styles if not style.gives_dropped]
        return [program.but(style=style) for style in styles]

    def noting(self, taken: set[str]) -> Steps:
        return noting(self.oracle, taken)

    def style_of_the_output(self, program: Steps) -> Style:
        style = replace(program.style, gives_dropped=False, of_weights=None)
        return ZEROS if style == ADDED_INFINITY else style

    def differ(self, kata: Any, program: Steps, call: AttentionCall, walk: Walk, beside: Walk | None = None) -> bool:
        others = self._other_styles(kata, program, call, walk)
        first = _there(walk.values["output"], walk.values["give"])

        def is_other(style: Style) -> bool:
            pairs = zip(first, self._answer_in(style, program, call, beside), strict=True)
            return not all(one is other or is_near(one, other) for one, other in pairs)

        try:
            return any(map(is_other, others))
        except Exception:  # a replaced step may break on shapes that it was not made for
            return False

    def _other_styles(self, kata: Any, program: Steps, call: AttentionCall, walk: Walk) -> list[Style]:
        """One style of each kind in which the program may answer the call differently."""
        others = []
        case, is_own = call.case, program.mask is not self.oracle.mask
        may_hide = is_own or case.shown is not None or case.bias is not None
        if may_hide and self._may_part(program, walk):
            others.append(ADDED)
        if self._may_drop(program, call) and kata.returns_weights:
            others.append(replace(ZEROS, gives_dropped=True))
        return others

    def _may_drop(self, program: Steps, call: AttentionCall) -> bool:
        """Whether dropout may act: in training, and anywhere if a mistake replaced the oracle's dropout."""
        is_own = program.dropout is not self.oracle.dropout
        return is_own or (call.size.dropout > 0 and call.case.manner.training)

    def _may_part(self, program: Steps, walk: Walk) -> bool:
        """Whether styles may differ: in a fully masked row, where infinity makes NaN, with another softmax or style."""
        is_plain = program.softmax is self.oracle.softmax and program.style is ZEROS
        masked = walk.values["mask"]
        makes_nan = masked.isnan() | (masked == torch.inf)
        return not is_plain or bool(makes_nan.any() or (masked == -torch.inf).all(dim=-1).any())

    def _answer_in(self, style: Style, program: Steps, call: AttentionCall, beside: Walk | None) -> list[Tensor]:
        styled = program.but(style=style)
        return _there(*styled.run(call.case, call.size, call.weights, styled.walk(call.case, call.size, beside)))


def _hides_whole_rows_alone(walks: Sequence[Walk]) -> bool:
    """Whether keys are hidden only in rows in which all are."""
    hidden = [walk.values["mask"] == -torch.inf for walk in walks]
    return any(bool(each.any()) for each in hidden) and all(
        torch.equal(each.any(dim=-1), each.all(dim=-1)) for each in hidden
    )


def _styles(kata: Any, *, hides: bool) -> list[Style]:
    """The styles that the contract, or a mistake in it, leaves open, the oracle's own first."""
    hiding = STYLES if hides else (ZEROS,)
    places = (False, True) if kata.dropout_places and kata.returns_weights else (False,)
    ways = [replace(style, gives_dropped=place) for place in places for style in hiding]
    return [*ways, *(TWO_WAYS if hides and kata.weights_may_have_a_path else ())]


def _is_like(right: Tensor, got: Tensor, share: float) -> bool:
    """Whether two tensors are equal up to rounding, or up to a share of the largest value, NaN left aside."""
    if right.shape != got.shape or not share:
        return right.shape == got.shape and is_near(right, got)
    return bool(((right - got).abs().nan_to_num(0.0) <= share * right.abs().max()).all())


def _there(*tensors: Tensor | None) -> list[Tensor]:
    return [tensor for tensor in tensors if tensor is not None]
