"""The record of a mistake: a known wrong way, as steps of the oracle replaced, with its sentence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeAlias

from grader.checks.attention import AttentionCall
from grader.checks.case import Answer, Projections
from grader.checks.kata import Circumstance
from grader.oracle.pipeline import Steps
from grader.oracle.sections import BY_STEP, Section
from grader.oracle.walk import Walk
from grader.records import ONLY, SEEN

Step: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, slots=True, eq=False)
class Mistake:
    """A known wrong way to compute an answer.

    Attributes:
        name: an identifier.
        sentence: what was computed, shown after `likely mistake:`.
        why: why that is wrong, in a sentence that says nothing of the repair; shown by `--explain`.
        steps: the steps of the oracle that it replaces, by their names in `Steps`.
        around: wrappers of steps by the steps' names, each put around a step as another mistake may have changed it.
        rounds: whether it costs digits alone; the digits that are left distinguish it from other such mistakes.
        own_section: where the notebook speaks of it; None: where it speaks of the first step changed.
        is_alone: whether it is never part of a pair: values that it leaves right would count as its effect, or it is
            too rare for the time that pairs take.
    """

    name: str
    sentence: str
    steps: dict[str, Callable[..., object]] = field(default_factory=dict)
    around: dict[str, Callable[[Step], Step]] = field(default_factory=dict)
    why: str = ""
    rounds: bool = False
    own_section: Section | None = None
    is_alone: bool = False

    @property
    def section(self) -> Section:
        """Where the notebook speaks of it."""
        return self.own_section or BY_STEP[self.changed[0]]

    @property
    def changed(self) -> tuple[str, ...]:
        """The names of the steps that it changes."""
        return (*self.steps, *self.around)

    def meets(self, other: Self) -> bool:
        """Whether the two cannot be made at once: one is never part of a pair, or both replace the same step."""
        return self is other or self.is_alone or other.is_alone or bool(self.steps.keys() & other.steps.keys())


def apply(mistakes: Sequence[Mistake], oracle: Steps) -> Steps:
    """The oracle with all of these mistakes in it; no two of them may meet."""
    changed = {name: step for mistake in mistakes for name, step in mistake.steps.items()}
    for name, change in (each for mistake in mistakes for each in mistake.around.items()):
        changed[name] = change(changed.get(name) or getattr(oracle, name))
    return oracle.but(**changed)


def run_with(made: Mistake, oracle: Steps, call: AttentionCall, beside: Walk) -> tuple[Answer, Walk]:
    """What the oracle with a mistake answers, and its walk.

    Args:
        made: the mistake.
        oracle: the pipeline that is right.
        call: of any case.
        beside: the oracle's own walk through it.
    """
    program = apply((made,), oracle)
    walk = program.walk(call.case, call.size, beside)
    return program.run(call.case, call.size, call.weights, walk), walk


def followed_by(change: Callable[[Any], Any]) -> Callable[[Step], Step]:
    """A wrapper that changes what a step returns: one tensor, or all of several."""
    return lambda step: lambda *args: change(step(*args))


def preceded_by(change: Callable[[Any], Any]) -> Callable[[Step], Step]:
    """A wrapper that changes the first tensor that a step takes, or the context where the step takes no tensor."""
    return lambda step: lambda first, *rest: step(change(first), *rest)


def with_weights(change: Callable[[Projections], Projections]) -> Callable[[Step], Step]:
    """A wrapper that gives a step changed projections."""
    return lambda step: lambda *args: step(*args[:-1], replace(args[-1], weights=change(args[-1].weights)))


def only_where(mistake: Mistake, circumstance: Circumstance, oracle: Steps, *, in_no_others: bool) -> Mistake:
    """A mistake made in some calls alone.

    Args:
        mistake: one that changes no step without a context.
        circumstance: of the calls in which it is made.
        oracle: whose steps it changes.
        in_no_others: whether it is made in no other calls; False: others are wrong too, and something else may hide it
            there.
    """
    program = apply((mistake,), oracle)

    def around(name: str) -> Callable[[Step], Step]:
        wrong = getattr(program, name)
        return lambda step: lambda *args: (wrong if circumstance.holds(args[-1]) else step)(*args)

    changed = {name: around(name) for name in mistake.changed}
    sentence = f"{mistake.sentence}{ONLY if in_no_others else SEEN}{circumstance.words}"
    return replace(mistake, sentence=sentence, steps={}, around=changed)
