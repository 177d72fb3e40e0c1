"""A test that the candidate writes, examined: which right implementations it accepts, and which wrong ones it refuses.

All implementations of a run are judged once, in an order of its seed, and each check looks at the verdicts on its own:
neither the order nor a count of calls tells which is which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor

from grader.checks import expect
from grader.checks.draw import Draw
from grader.checks.expect import Mismatch, Refusal
from grader.checks.kata import Kata
from grader.checks.subject import Call, Implementation, Manner, Remains, Subject, Trace
from grader.checks.tiers import Claim
from grader.claims.testing import ACCEPTS, NO_TRACE, REFUSAL, REFUSES
from grader.oracle.functions import FunctionKey, Functions
from grader.oracle.mistake import Mistake

SEEDS = ("generator", "seed", "the state of random", "the state of numpy.random")
"""Words for the global state that a test may change: it may seed as it likes."""


@dataclass(frozen=True, slots=True, eq=False)
class GivenImplementation:
    """An implementation that the test is given.

    Attributes:
        name: by which a check asks for the verdict on it.
        what: it is, in the words of a report, which never show how it is written.
        is_right: whether it has the property.
        is_plain: a right one of the plainest, or a wrong one whose flaw no test can miss.
        implementation: as it is given.
        seed: of the global generator, set before the call.
    """

    name: str
    what: str
    is_right: bool
    implementation: Implementation
    is_plain: bool = False
    seed: int = 0

    def in_float64(self) -> GivenImplementation:
        """The same, computed in float64 and rounded to the dtype of what it is given: all but its rounding is equal."""
        run = self.implementation.run

        def exact(parameters: dict[str, Tensor], *args: Any, **kwargs: Any) -> tuple[Any, ...]:
            given = (value for value in (*args, *kwargs.values()) if isinstance(value, Tensor))
            dtype = next(value.dtype for value in given if value.is_floating_point())
            wide = {name: _in_dtype(value, torch.float64) for name, value in parameters.items()}
            named = {name: _in_dtype(value, torch.float64) for name, value in kwargs.items()}
            values = run(wide, *(_in_dtype(value, torch.float64) for value in args), **named)
            return tuple(_in_dtype(value, dtype) for value in values)

        return replace(self, name=f"{self.name} in float64", implementation=replace(self.implementation, run=exact))


def _in_dtype(value: Any, dtype: torch.dtype) -> Any:
    return value.to(dtype) if isinstance(value, Tensor) and value.is_floating_point() else value


class TestVerdict(NamedTuple):
    """What the test made of an implementation."""

    refused: bool | None
    """None: neither accepted nor refused."""
    message: str = ""
    """Of the refusal."""
    problem: Exception | None = None
    """Why it is neither."""
    remains: Remains = Remains()


class Examination:
    """The verdicts of a test on all implementations of a run.

    Args:
        examined: the implementations, in the order in which they are judged.
        ask: has the test look at one.
        trace: of the check.
        said: what is known already, by name; a new verdict is added to it.
    """

    def __init__(
        self,
        examined: Sequence[GivenImplementation],
        ask: Callable[[GivenImplementation], TestVerdict],
        trace: Trace,
        said: dict[str, TestVerdict],
    ) -> None:
        self.examined, self._ask, self._trace, self._known = examined, ask, trace, said
        self._is_traced = False

    def said(self) -> Mapping[str, TestVerdict]:
        """All verdicts by name; what was not judged before is judged now."""
        for each in self.examined:
            self._said_of(each)
        if not self._is_traced:
            self._is_traced = True
            self._trace.add(*(self._known[each.name].refused for each in self.examined))
        return self._known

    def accepts(self, *names: str) -> None:
        """Each of these is accepted.

        Raises:
            Mismatch: one is refused.
            Problem: the test raised something else.
        """
        for each, said in self._chosen(names):
            if said.refused:
                got = f"raised {REFUSAL}{said.message and ': '}{said.message}"
                if self._said_of(each.in_float64()).refused is False:
                    got += "; the same, computed in float64 and rounded, was accepted: rounding was refused"
                raise Mismatch(each.what, "that it is accepted: None", got)

    def refuses(self, *names: str) -> None:
        """Each of these is refused.

        Raises:
            Mismatch: one is accepted.
            Problem: the test raised something else.
        """
        for each, said in self._chosen(names):
            if not said.refused:
                raise Mismatch(each.what, f"that it is refused: {REFUSAL}", "no exception")

    def remains(self, refused: bool) -> Iterator[tuple[GivenImplementation, Remains]]:
        """How each of those that were refused, or accepted, was left."""
        known = self.said()
        yield from ((each, known[each.name].remains) for each in self.examined if known[each.name].refused is refused)

    def _said_of(self, each: GivenImplementation) -> TestVerdict:
        if each.name not in self._known:
            self._known[each.name] = self._ask(each)
        return self._known[each.name]

    def _chosen(self, names: Sequence[str]) -> Iterator[tuple[GivenImplementation, TestVerdict]]:
        known = self.said()
        for each in self.examined:
            if each.name in names:
                said = known[each.name]
                if said.problem is not None:
                    raise said.problem
                yield each, said


def in_drawn_order(examined: Sequence[GivenImplementation], draw: Draw) -> tuple[GivenImplementation, ...]:
    """These, in an order of the run's seed.

    Args:
        examined: all implementations of a run.
        draw: of the run.
    """
    order = torch.randperm(len(examined), generator=torch.Generator().manual_seed(draw.integer())).tolist()
    return tuple(examined[place] for place in order)


def verdict_on(subject: Subject, function: str, each: GivenImplementation) -> TestVerdict:
    """What the candidate's test makes of an implementation; each has a check's time, and a loss costs no other's.

    Args:
        subject: the submission.
        function: the test's name.
        each: the implementation.
    """
    try:
        subject.begin_part()
        subject.answer(Call(function, (each.implementation,)), Manner(seed=each.seed, recording=True))
        return TestVerdict(False, remains=subject.remains())
    except Refusal as refusal:
        if REFUSAL in refusal.bases:
            return TestVerdict(True, refusal.message, remains=subject.remains())
        return TestVerdict(None, problem=refusal)
    except Exception as problem:  # raised again for the checks that look at this one
        return TestVerdict(None, problem=problem)


@lru_cache(maxsize=4096)
def said_by(steps: tuple[tuple[str, Callable[..., Any]], ...], function: str, each: GivenImplementation) -> TestVerdict:
    """What a test of the judge makes of an implementation; asked again for each check that failed.

    Args:
        steps: of the test, by name.
        function: the test's name.
        each: the implementation.
    """
    return TestVerdict(Functions(**dict(steps)).run(Call(function, (each.implementation,))))


@dataclass(eq=False)
class ExaminedKey(FunctionKey):
    """What the judge alone knows of a kata in which the candidate writes a test.

    The oracle is a test that is right, of one function that returns whether it refuses an implementation. A mistake is
    proven where it gives all implementations of a run the submission's verdicts.

    Attributes:
        examined: draws the implementations of a run.
    """

    calls: ClassVar[type] = GivenImplementation
    examined: Callable[[Draw], tuple[GivenImplementation, ...]] = lambda draw: ()

    def examination(self, kata: Kata, subject: Subject, draw: Draw) -> Examination:
        """The submission's.

        Args:
            kata: whose contract names the function.
            subject: the submission.
            draw: of the check.
        """
        (needed,), kept = kata.contract.needed, subject.kept
        subject.was_called = True  # by an earlier check, where all is known
        if "examined" not in kept:
            kept["examined"], kept["said"] = self.examined(draw.shared("examination")), {}
        subject.trace.fixtures.append(kept["examined"])
        ask = partial(verdict_on, subject, needed.name)
        return Examination(kept["examined"], ask, subject.trace, kept["said"])

    def fixtures(self, kata: Kata, program: Functions, trace: Any, drawn: Sequence[Any]) -> dict[str, Any]:
        (needed,), examined = kata.contract.needed, next(iter(drawn), ())
        ask = partial(said_by, tuple(program.steps.items()), needed.name)
        return {"examination": Examination(examined, ask, trace, {})}


def accepts(name: str, text: str, *examined: str, weight: int = 1) -> Claim:
    """The claim that right ones are accepted.

    Args:
        name: of the claim.
        text: the line that the candidate sees.
        examined: the names of the implementations.
        weight: its share of the tier's points.
    """

    def run(examination: Examination) -> None:
        examination.accepts(*examined)

    return Claim(ACCEPTS, name, text, run, weight)


def refuses(name: str, text: str, *examined: str, weight: int = 1) -> Claim:
    """The claim that wrong ones are refused.

    Args:
        name: of the claim.
        text: the line that the candidate sees.
        examined: the names of the implementations.
        weight: its share of the tier's points.
    """

    def run(examination: Examination) -> None:
        examination.refuses(*examined)

    return Claim(REFUSES, name, text, run, weight)


def parameters_are_left(examination: Examination, verdict: str) -> None:
    """The parameters of an implementation that is {verdict} are left as they were found."""
    for each, remains in examination.remains(verdict == "refused"):
        given = {
            f"{path}.{name}": tensor
            for path, pair in each.implementation.layers.items()
            for name, tensor in zip(("weight", "bias"), pair, strict=True)
            if tensor is not None
        }
        expect.equal("names of the parameters after the call", sorted(remains.parameters), sorted(given))
        for path, tensor in given.items():
            now = remains.parameters[path]
            is_same = isinstance(now, Tensor) and now.dtype == tensor.dtype and torch.equal(now, tensor)
            expect.equal(f"{path} after the call", "as it was" if is_same else "another", "as it was")
        expect.equal("parameters that want a gradient after the call", sorted(remains.trained), sorted(given))


def mode_is_left(examination: Examination, verdict: str) -> None:
    """An implementation that is {verdict} is left in the mode, train or eval, in which it was found."""
    for each, remains in examination.remains(verdict == "refused"):
        modes = " and ".join("train" if training else "eval" for training in sorted(remains.modes))
        expect.equal("mode after the call", modes, "train" if each.implementation.training else "eval")


def global_state_is_left(examination: Examination, verdict: str) -> None:
    """When an implementation was {verdict}, default dtype, grad mode and whatever else torch shares are as before."""
    for _, remains in examination.remains(verdict == "refused"):
        left = [name for name in remains.disturbed if not any(word in name for word in SEEDS)]
        expect.untouched("global state changed", left)


def _whatever_the_verdict(*claims: Callable[..., None]) -> tuple[Claim, ...]:
    return tuple(NO_TRACE(verdict=verdict)(claim) for verdict in ("accepted", "refused") for claim in claims)


TRACES = _whatever_the_verdict(parameters_are_left, mode_is_left, global_state_is_left)
"""Of a test that is given modules."""
TRACES_OF_FUNCTIONS = _whatever_the_verdict(global_state_is_left)
"""Of a test that is given functions, which have no parameters and no mode."""
ONE_VERDICT = (
    Mistake(
        "nothing_refused",
        "every attention was accepted",
        {"refused": lambda holds: False},
        why="A test that cannot fail says nothing: show it something wrong before you trust it.",
    ),
    Mistake(
        "all_refused",
        "every attention was refused",
        {"refused": lambda holds: True},
        why="A test that always fails says nothing: show it something right, the plainest first.",
    ),
)
"""Mistakes in the step `refused`, from whether the property holds to whether the attention is refused."""
