"""The record of a mistake: a known wrong way, as steps of the oracle replaced, with its sentence."""

from collections.abc import Callable
from dataclasses import dataclass, field

from grader.checks.pipeline import Steps


@dataclass(frozen=True, slots=True)
class Mistake:
    """A known wrong way.

    Attributes:
        name: an identifier.
        sentence: what was computed, shown after `likely mistake:`.
        steps: the steps of the oracle that it replaces, by their names in `Steps`.
    """

    name: str
    sentence: str
    steps: dict[str, Callable[..., object]] = field(default_factory=dict)

    def applied(self, oracle: Steps) -> Steps:
        return oracle.but(**self.steps)
