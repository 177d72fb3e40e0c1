"""Attention computed in the judge: what checks compare with, and what a replayed check sees in a submission's place."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch
from torch import Tensor

from grader.checks.attention import Attended, Attention
from grader.checks.attention_kata import AttentionKata
from grader.checks.case import Answer, Case, Gradients, Projections, Size
from grader.checks.kata import AnswerKey, Circumstance
from grader.checks.subject import Trace
from grader.checks.weights import SetWeights
from grader.oracle import pytorch
from grader.oracle.circumstances import CIRCUMSTANCES, of_sizes
from grader.oracle.mistake import Mistake
from grader.oracle.pipeline import Context, Steps

ROUNDING = {torch.float64: (1e-5, 1e-6), torch.float32: (1e-4, 1e-5), torch.bfloat16: (5e-2, 5e-2)}
"""How far a right answer in a dtype is off at most, (rtol, atol)."""

Helper = Callable[[Steps, Size, str, tuple[Any, ...]], Tensor]
Reference = Callable[[Case, Size, Projections], Answer]


def expected(mha: Attention, case: Case) -> Answer:
    """The oracle's answer."""
    return mha.kata.key.oracle.run(case, mha.size, mha.weights)


def expected_gradients(mha: Attention, case: Case, cotangent: Tensor) -> tuple[Answer, Gradients]:
    """The oracle's answer, and the gradients of (output * cotangent).sum() by autograd.

    Args:
        mha: the attention.
        case: the call.
        cotangent: of the shape of the output.
    """
    answer, gradients = differentiate(mha.kata.key.oracle, mha.kata, case, mha.size, mha.weights, cotangent)
    return answer.detached(), gradients


def of_pytorch(mha: Attention, case: Case) -> Answer:
    """PyTorch's answer with the same weights."""
    if mha.kata.key.pytorch is not None:
        return mha.kata.key.pytorch(case, mha.size, mha.weights)
    return pytorch.answer(case, mha.size, mha.weights, per_head=mha.kata.per_head)


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
        found = [torch.zeros_like(tensor) for tensor in wanted]
    else:
        # A cotangent given to `grad` itself imports sympy: 0.5 s.
        total = (answer.output * cotangent).sum()
        found = list(torch.autograd.grad(total, wanted, allow_unused=True, materialize_grads=True))
    of_weights = type(weights)(**dict(zip(leaves, found[len(inputs) :], strict=True)))
    return answer, dict(zip(inputs, found, strict=False)) | kata.parameters(of_weights)


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
    """For a contract that has no helper.

    Args:
        steps: of the oracle, or of a mistake.
        size: how the layer is built.
        name: of the helper.
        args: the helper's.

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
        helper: what a helper of the contract returns, by the steps of a pipeline.
        pytorch: PyTorch's answer with the same weights; None: nn.MultiheadAttention's.
        weights: where the weights come from, where that takes more than the contract tells.
    """

    calls: ClassVar[type] = Attended
    oracle: Steps
    mistakes: Sequence[Mistake]
    questions: Mapping[str, str] = field(default_factory=dict)
    helper: Helper = no_helper
    pytorch: Reference | None = None
    weights: SetWeights | None = None

    def fixtures(self, kata: Any, program: Steps, trace: Any, drawn: Sequence[Any]) -> dict[str, Any]:
        made = iter(drawn)

        def attention(*args: Any, **kwargs: Any) -> OracleAttention:
            weights, seed = next(made)
            return OracleAttention(kata, program, kata.size(*args, **kwargs), weights, seed, trace)

        return {"attention": attention}

    def answer(self, kata: Any, program: Steps, call: Attended) -> list[Any]:
        if call.cotangent is None or call.gradients is None:
            return _there(*program.run(call.case, call.size, call.weights))
        answer, found = differentiate(program, kata, call.case, call.size, call.weights, call.cotangent)
        return _there(*answer.asked_for(call.case).detached(), *(found.get(name) for name in sorted(call.gradients)))

    def returned(self, call: Attended) -> list[Any]:
        gradients = call.gradients or {}
        return _there(*call.answer, *(gradients[name] for name in sorted(gradients)))

    def is_comparable(self, kata: Any, call: Attended) -> bool:
        """Every query sees a key, and the mask has the dtype of the kata's first format, whatever its shape.

        A submission may read each dtype by lines of its own. Weights that are drawn in another default dtype than the
        check's are not those that the call is known by. In training with dropout answers depend on what is drawn.
        """
        case = call.case
        sighted = case.shown is None or bool(case.shown.any(dim=-1).all())
        first_dtype = case.bias is None and (
            case.mask_format is None or case.mask_format.dtype == kata.formats[0].dtype
        )
        plain = case.mask_dtype is None and case.manner.default_dtype is None
        return sighted and first_dtype and plain and call.size.dtype == torch.float64

    def is_exact(self, call: Attended) -> bool:
        return call.size.dtype == torch.float64 and not _drops(call)

    def rounding(self, call: Attended) -> tuple[float, float] | None:
        """None where a query sees no key, or weights were drawn in another default dtype than the check's."""
        case = call.case
        sighted = case.shown is None or bool(case.shown.any(dim=-1).all())
        finite = case.bias is None or bool(case.bias.isfinite().all())
        return ROUNDING.get(call.size.dtype) if sighted and finite and case.manner.default_dtype is None else None

    def circumstances(self, wrong: Sequence[Attended], right: Sequence[Attended]) -> Iterable[Circumstance]:
        return (*CIRCUMSTANCES, *of_sizes(wrong, right))

    def drew(self, call: Attended) -> bool:
        """In training with dropout, where right answers depend on what is drawn, and in which order.

        Where no seed was set nobody can tell, and it may have.
        """
        seed = call.case.manner.seed
        if not _drops(call) or seed is None:
            return _drops(call)
        after = torch.default_generator.get_state()
        torch.default_generator.manual_seed(seed)
        return not torch.equal(after, torch.default_generator.get_state())

    def variants(self, program: Steps) -> list[Steps]:
        """With another mask also where a query that it hides all from gets the mean.

        A query that may see nothing gets zeros or the mean, both are right; by a wrong mask other queries see nothing.
        """
        masks = program.mask is not self.oracle.mask and program.softmax is self.oracle.softmax
        return [program, program.but(softmax=_with_the_mean)] if masks else [program]


def _drops(call: Attended) -> bool:
    return call.case.manner.training and call.size.dropout > 0


def _with_the_mean(scores: Tensor, c: Context) -> Tensor:
    """Hidden scores are finite, as those filled with -1e9 are."""
    return torch.softmax(scores.clamp(min=-1e9), dim=-1)


def _there(*tensors: Tensor | None) -> list[Tensor]:
    return [tensor for tensor in tensors if tensor is not None]
