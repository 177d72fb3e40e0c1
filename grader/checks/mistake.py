"""The record of a mistake: a known wrong way, as steps of the oracle replaced, with its sentence."""

from collections.abc import Callable
from dataclasses import dataclass, field

from torch import Tensor

from grader.checks.pipeline import Steps


@dataclass(frozen=True, slots=True)
class Mistake:
    """A known wrong way.

    Attributes:
        name: an identifier.
        sentence: what was computed, shown after `likely mistake:`.
        why: why that is wrong, in a sentence; shown by `--explain`.
        steps: the steps of the oracle that it replaces, by their names in `Steps`.
        after: what it does to the tensor that a step of the oracle gives, by the step's name.
    """

    name: str
    sentence: str
    steps: dict[str, Callable[..., object]] = field(default_factory=dict)
    after: dict[str, Callable[[Tensor], Tensor]] = field(default_factory=dict)
    why: str = ""

    def applied(self, oracle: Steps) -> Steps:
        followed = {name: _followed(getattr(oracle, name), change) for name, change in self.after.items()}
        return oracle.but(**self.steps, **followed)


def _followed(step: Callable[..., Tensor], change: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    return lambda *args: change(step(*args))
