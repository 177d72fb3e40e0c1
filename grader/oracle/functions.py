"""Functions computed in the judge: what a replayed check of a function sees in the submission's place."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import torch
from torch import Tensor

from grader.checks.kata import AnswerKey
from grader.checks.subject import (
    PLAIN,
    VALUE_ALONE,
    AnsweredCall,
    Call,
    CallGradients,
    Manner,
    Reference,
    Result,
    Subject,
    Wish,
    leaves_of,
)
from grader.oracle.mistake import Mistake
from grader.oracle.sections import Section


class Functions:
    """The functions of a contract by name, each made of steps that a mistake may replace.

    Args:
        steps: the steps by name; a function of the contract that is no step of another one is a step too. A step that
            uses others takes them from its first argument, which is this object: `steps.rotate(x)`.
    """

    def __init__(self, **steps: Callable[..., Any]) -> None:
        self.steps = steps

    def __getattr__(self, name: str) -> Callable[..., Any]:
        try:
            step = self.__dict__["steps"][name]
        except KeyError:
            raise AttributeError(name) from None
        return step

    def but(self, **steps: Callable[..., Any]) -> Self:
        """The same with some steps replaced."""
        return type(self)(**{**self.steps, **steps})

    def run(self, call: Call) -> Any:
        """What the function of a call returns."""
        return getattr(self, call.name)(self, *call.args, **call.kwargs)


class OracleSubject(Subject):
    """Answers calls of functions in the judge."""

    def __init__(self, functions: Functions, trace: Any) -> None:
        super().__init__(trace)
        self._functions = functions

    def answer(self, call: Call, manner: Manner = PLAIN, wish: Wish = VALUE_ALONE) -> Result:
        value, gradients = run(self._functions, call, wish.cotangent, wish.leaves)
        return Result(value, Reference(0), gradients=gradients)


def run(
    functions: Functions, call: Call, cotangent: Tensor | None = None, leaves: Sequence[Tensor] = ()
) -> tuple[Any, CallGradients | None]:
    """What a call returns, and with a cotangent the gradients of its first tensor.

    Args:
        functions: the oracle's, or a mistake's.
        call: of one of them.
        cotangent: of the shape of the first tensor returned; None: no gradients are wanted.
        leaves: tensors among the call's arguments that get a gradient.
    """
    if cotangent is None:
        return functions.run(call), None
    fresh = {id(leaf): leaf.detach().clone().requires_grad_() for leaf in leaves}
    args = tuple(fresh.get(id(value), value) for value in call.args)
    kwargs = {name: fresh.get(id(value), value) for name, value in call.kwargs.items()}
    value = functions.run(replace(call, args=args, kwargs=kwargs))
    first = next(leaf for leaf in leaves_of(value) if isinstance(leaf, Tensor))
    if not first.requires_grad:
        return value, None
    gradients = torch.autograd.grad((first * cotangent).sum(), list(fresh.values()), allow_unused=True)
    return value, CallGradients(list(gradients), {})


@dataclass(eq=False)
class FunctionKey(AnswerKey):
    """What the judge alone knows of a kata on functions.

    Attributes:
        oracle: the functions that are right.
        mistakes: the catalogue, the more special before the more general.
        sections: where the notebook speaks of each step, by the step's name.
        questions: for an interviewer to ask where a tier failed, by the tier's name.
        comparable: whether all right programs answer a call alike; left out: they always do.
    """

    calls: ClassVar[type] = AnsweredCall
    oracle: Functions
    mistakes: Sequence[Mistake] = ()
    sections: Mapping[str, Section] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)
    comparable: Callable[[AnsweredCall], bool] = lambda call: True

    def fixtures(self, kata: Any, program: Functions, trace: Any, drawn: Sequence[Any]) -> dict[str, Any]:
        return {"subject": OracleSubject(program, trace)}

    def answer(self, kata: Any, program: Functions, call: AnsweredCall, walk: Any = None) -> list[Any]:
        value, gradients = run(program, call.call, call.cotangent, tuple((call.leaves or {}).values()))
        if call.leaves is None:
            return list(leaves_of(value))
        of_leaves = gradients.of_leaves if gradients else [None] * len(call.leaves)
        pairs = zip(call.leaves.items(), of_leaves, strict=True)
        gradient_of = {
            name: torch.zeros_like(leaf) if gradient is None else gradient for (name, leaf), gradient in pairs
        }
        return [*(leaf.detach() for leaf in leaves_of(value)), *(gradient_of[name] for name in sorted(gradient_of))]

    def returned(self, call: AnsweredCall) -> list[Any]:
        gradients = call.gradients or {}
        return [*leaves_of(call.value), *(gradients[name] for name in sorted(gradients))]

    def is_comparable(self, kata: Any, call: AnsweredCall) -> bool:
        return self.comparable(call)

    def is_exact(self, call: AnsweredCall) -> bool:
        tensors = [leaf for leaf in leaves_of(call.value) if isinstance(leaf, Tensor)]
        return all(tensor.dtype == torch.float64 for tensor in tensors if tensor.is_floating_point())

    def section(self, mistake: Mistake) -> Section:
        return self.sections[mistake.changed[0]]
