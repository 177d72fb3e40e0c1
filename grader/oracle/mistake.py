"""The record of a mistake: a known wrong way, as steps of the oracle replaced, with its sentence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

from torch import Tensor

from grader.oracle.pipeline import Steps
from grader.oracle.sections import BY_STEP, GRADIENTS, Section


@dataclass(frozen=True, slots=True, eq=False)
class Mistake:
    """A known wrong way.

    Attributes:
        name: an identifier.
        sentence: what was computed, shown after `likely mistake:`.
        why: why that is wrong, in a sentence that says nothing of the repair; shown by `--explain`.
        steps: the steps of the oracle that it replaces, by their names in `Steps`.
        after: what it does to the tensor that a step of the oracle gives, by the step's name.
        rounds: it costs digits alone, and is told from another that does by the digits that are left.
    """

    name: str
    sentence: str
    steps: dict[str, Callable[..., object]] = field(default_factory=dict)
    after: dict[str, Callable[[Tensor], Tensor]] = field(default_factory=dict)
    why: str = ""
    rounds: bool = False

    @property
    def section(self) -> Section:
        """That of the first step replaced; what replaces none cuts a gradient off."""
        return BY_STEP[next(iter(self.steps))] if self.steps else GRADIENTS

    def meets(self, other: Self) -> bool:
        """Both change the same step, so they cannot be made at once."""
        return bool(self.steps.keys() & other.steps.keys() or self.after.keys() & other.after.keys())


def applied(mistakes: Sequence[Mistake], oracle: Steps) -> Steps:
    """The oracle with all of these in it, of which no two meet."""
    replaced = {name: step for mistake in mistakes for name, step in mistake.steps.items()}
    after = {name: change for mistake in mistakes for name, change in mistake.after.items()}
    replacing = oracle.but(**replaced)
    return replacing.but(**{name: _followed(getattr(replacing, name), change) for name, change in after.items()})


def _followed(step: Callable[..., Tensor], change: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    return lambda *args: change(step(*args))
