"""Attention computed in the judge: what a replayed check sees in the submission's place."""

from typing import Any

from torch import Tensor

from grader.checks.attention import Attention, Trace, differentiate
from grader.checks.case import Answer, Case, Gradients, Projections, Size
from grader.checks.kata import Kata
from grader.oracle.pipeline import Steps


class OracleAttention(Attention):
    """Attention computed in the judge by a pipeline: the oracle's, or a mistake's."""

    def __init__(self, kata: Kata, steps: Steps, size: Size, weights: Projections, seed: int, trace: Trace) -> None:
        super().__init__(kata, size, weights, seed, trace)
        self.steps = steps

    def _attend(self, case: Case) -> Answer:
        return self.steps.run(case, self.size, self.weights)

    def _gradients(self, case: Case, cotangent: Tensor) -> tuple[Answer, Gradients]:
        answer, gradients = differentiate(self.steps, self.kata, case, self.size, self.weights, cotangent)
        self.cut_off = not answer.output.requires_grad
        return answer.detached(), gradients

    def _helper(self, name: str, *args: Any) -> Any:
        return self.kata.helper_oracle(self.steps, self.size, name, *args)

    def _use(self, weights: Projections) -> None:
        pass
