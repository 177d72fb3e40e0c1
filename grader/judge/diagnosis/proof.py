"""What a submission's values prove about mistakes: which of them explain a failure, and which are contradicted."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor

from grader.checks.subject import AnsweredCall
from grader.judge.diagnosis.answers import Answers
from grader.judge.diagnosis.replay import all_same, replay_all, replay_failure, same
from grader.judge.diagnosis.where import is_finite
from grader.judge.engine import Run
from grader.oracle.mistake import Mistake, apply

Named: TypeAlias = tuple[Mistake, ...]
"""The mistake that explains a failure, or two that were made at once."""

ROUGHLY, TO_THE_DIGIT = (1e-5, 1e-6), (1e-10, 1e-10)
FAR = 0.1
"""Values are far apart beyond this share of the largest one: angles of far positions in float32 are off by less."""
MOST_NUMBERS = 5_000
"""The most numbers in a call on which pairs are tried; checks with a larger telling call are tried last."""
MOSTLY = 0.5
"""The least share of finite numbers in what a call returned, for two mistakes to be proven by it."""
LARGER = 8
"""A call that is this many times as large as the smallest one is compared in full only after that one."""


class Proofs:
    """What the values of one submission prove; the answer to each question is kept.

    Args:
        answers: what the oracle and the mistakes of the kata return.
        seed: the seed of the run.
        failures: checks that failed, and what the submission returned in them.
        passes: checks that passed.
    """

    def __init__(self, answers: Answers, seed: int, failures: Sequence[Run], passes: Sequence[Run]) -> None:
        self.answers, self.kata, self.seed, self.failures = answers, answers.kata, seed, failures
        self.passed = sorted((call for run in passes for call in self.calls(run)), key=self.answers.size)
        self._known = dict[tuple[Named, str], bool]()
        self._programs = dict[Named, Any]()
        self._refuted = dict[Named, bool]()
        self._by_call = dict[tuple[Named, int], bool]()
        """Whether a call contradicts these mistakes, by the mistakes and the identity of the call."""
        self._wrong = dict[int, bool]()
        """Whether a call is wrong, by its identity."""
        self._telling = dict[str, Any]()
        self._small = dict[str, Any]()
        self._refutations = set[tuple[Named, str]]()
        """The mistakes that return other values than the submission in a check's telling call, with its name."""
        self._one_hot = dict[str, bool]()
        self._helped = dict[str, tuple[set[str], list[Any]]]()

    def calls(self, run: Run) -> list[Any]:
        """The calls of a check that programs of the judge can answer."""
        return [call for call in run.trace.calls if isinstance(call, self.kata.key.calls)]

    def program(self, named: Named) -> Any:
        """The oracle with these mistakes applied."""
        if named not in self._programs:
            self._programs[named] = apply(named, self.kata.key.oracle)
        return self._programs[named]

    def is_right(self, failure: Run) -> bool:
        """Whether the values are right: they are the oracle's to the digit, or the oracle fails the check alike."""
        oracle, seen = self.kata.key.oracle, self.telling_call(failure)
        calls = self.calls(failure)
        are_all = (
            calls
            and len(calls) == len(failure.trace.calls)
            and not any(self.answers.drew(oracle, call) for call in calls)
        )
        if are_all and all(self.answers.agree(oracle, call, *TO_THE_DIGIT) for call in calls):
            return True
        if seen is not None and not self.answers.agree(oracle, seen):
            return False
        return replay_failure(self.kata, oracle, failure, self.seed).fails_alike

    def is_wrong(self, seen: Any) -> bool:
        """Whether the oracle can answer the call, and returns other values."""
        if id(seen) not in self._wrong:
            self._wrong[id(seen)] = self.answers.agree(self.kata.key.oracle, seen) is False
        return self._wrong[id(seen)]

    def is_large(self, failure: Run) -> bool:
        """Whether trying the catalogue on a check takes long, so that other checks are tried first.

        Where dropout drew in a call, most mistakes are refuted by the calls without it.
        """
        seen = self.telling_call(failure)
        return seen is not None and self.answers.size(seen) > MOST_NUMBERS and not self.drew(failure)

    def drew(self, failure: Run) -> bool:
        """Whether dropout drew in a call of the check: a mistake that gives the same there does so by no chance."""
        return any(self.answers.drew(self.kata.key.oracle, call) for call in self.calls(failure))

    def rank(self, failure: Run) -> tuple[bool, bool]:
        """A sort key: checks with small calls in float64, off which constants can be read, come first."""
        seen = self.telling_call(failure)
        return self.is_large(failure), seen is not None and not self.kata.key.is_exact(seen)

    def is_mostly_numbers(self, seen: Any) -> bool:
        """Whether at least half of each returned tensor is finite: many pairs of mistakes return almost only NaN."""
        values = [value.isfinite() for value in self.answers.returned(seen) if isinstance(value, Tensor)]
        return bool(values) and all(bool(value.double().mean() >= MOSTLY) for value in values)

    def telling_call(self, failure: Run) -> Any:
        """The call of a check that tells most programs from the submission, at the least cost; None: it has none."""
        name = failure.check.name
        if name not in self._telling:
            # What dropout drew in a call depends on the calls before it.
            calls = [seen for seen in self.calls(failure) if not self.answers.drew(self.kata.key.oracle, seen)]
            self._telling[name] = seen = min(calls, key=self._cost, default=None)
            small = min(calls, key=self.answers.size, default=None)
            is_cheaper = seen is not None and LARGER * self.answers.size(small) < self.answers.size(seen)
            self._small[name] = small if is_cheaper else None
        return self._telling[name]

    def _cost(self, seen: Any) -> tuple[bool, bool, bool, int]:
        """A sort key: wrong values come before wrong gradients, and these before right calls.

        Among equals, calls that all styles answer alike come first, then small ones.
        """
        oracle = self.kata.key.oracle
        is_right = self.answers.same_values(oracle, seen)
        return (
            is_right,
            is_right and not self.is_wrong(seen),
            self.answers.differ(oracle, seen),
            self.answers.size(seen),
        )

    def explains(self, named: Named, failure: Run) -> bool:
        """Whether these mistakes fail the check, and return every value that the submission returned up to there."""
        tried = named, failure.check.name
        if tried not in self._known:
            self._known[tried] = self._explains(named, failure)
        return self._known[tried]

    def explains_all(self, named: Named) -> bool:
        """Whether these mistakes explain every check that failed on values."""
        return all(self.explains(named, failure) for failure in self.failures)

    def _explains(self, named: Named, failure: Run) -> bool:
        program, has_calls = self.program(named), bool(self.calls(failure))
        if not has_calls and self._takes_the_oracles_steps(program, failure):
            return False
        for way in self._ways_not_refuted(named, failure):
            if has_calls and way is program and self._is_untouched(program, failure):
                return False
            replay = replay_failure(self.kata, way, failure, self.seed, _costs_digits_alone(named))
            if replay.fails_alike:
                return has_calls or not self._is_untouched(program, failure)
            if replay.passes:
                return False  # the check holds with these values, whatever the style
            if isinstance(replay.deviating, self.kata.key.calls) and not self.answers.differ(program, replay.deviating):
                return False
        return False

    def _is_untouched(self, program: Any, failure: Run) -> bool:
        """Whether the program returns all that the oracle does in a check: then it explains nothing."""
        calls = self.calls(failure)
        if calls:
            alone = len(calls) == len(failure.trace.calls)
            return alone and all(self.answers.is_untouched(program, seen) for seen in calls)
        _, right = self._in_helpers(failure)
        leaves = replay_all(self.kata, program, failure, self.seed)
        return len(right) == len(leaves) and all_same(right, leaves, 0.0, 0.0)

    def _in_helpers(self, failure: Run) -> tuple[set[str], list[Any]]:
        """The steps that the oracle takes in a check of helpers or functions, and all that it returns."""
        if failure.check.name not in self._helped:
            taken = set[str]()
            leaves = replay_all(self.kata, self.kata.key.noting(taken), failure, self.seed)
            self._helped[failure.check.name] = taken, leaves
        return self._helped[failure.check.name]

    def _takes_the_oracles_steps(self, program: Any, failure: Run) -> bool:
        """Whether the program takes only the oracle's steps in a check of helpers or functions: it explains nothing."""
        taken, _ = self._in_helpers(failure)
        return bool(taken) and all(getattr(program, step) is getattr(self.kata.key.oracle, step) for step in taken)

    def _ways_not_refuted(self, named: Named, failure: Run) -> Iterator[Any]:
        """Yields the program in each style in which it returns the submission's values in a check's telling call."""
        program, seen = self.program(named), self.telling_call(failure)
        allowed = TO_THE_DIGIT if _costs_digits_alone(named) else ROUGHLY
        if seen is not None and self.answers.is_refuted(program, seen, *allowed):
            self._refutations.add((named, failure.check.name))
            return
        small = self._small[failure.check.name]
        if small is not None and not self.answers.agree(program, small) and not self.answers.differ(program, small):
            return
        calls = self.calls(failure)
        is_like = seen is None or self.answers.agree(program, seen, *allowed)
        if is_like and any(self._is_told_apart_in(call, program, *allowed) for call in calls if call is not seen):
            return
        if is_like:
            yield program
        differ = seen is not None and (self.answers.differ(program, seen) or self._hides_gradients(program, seen))
        if not is_like and not differ:
            self._refutations.add((named, failure.check.name))
            return
        walks = [(call, self.answers.walked(program, call)) for call in calls]
        known = walks if all(walk is not None for _, walk in walks) else []
        in_helpers = set[str]() if calls else self._in_helpers(failure)[0]
        others = self.kata.key.variants(self.kata, program, known, in_helpers)[1:]
        for way in self.answers.likes([program, *others], seen, *allowed) if differ else others:
            is_like = True
            yield way
        if not is_like:
            self._refutations.add((named, failure.check.name))

    def _is_told_apart_in(self, call: Any, program: Any, rtol: float, atol: float) -> bool:
        """Whether a call tells the program from the submission, whatever the style: then no replay is needed."""
        if self.answers.drew(self.kata.key.oracle, call) or self.answers.drew(program, call):
            return False
        return not self.answers.same_values(program, call, rtol, atol) and not self.answers.differ(program, call)

    def _hides_gradients(self, program: Any, seen: Any) -> bool:
        """Whether only the gradients differ from the submission's, and there is NaN among the values.

        How scores are masked shows in the gradients alone then.
        """
        is_nan = seen.cotangent is not None and not is_finite(self.answers, seen)
        return is_nan and self.answers.same_values(program, seen) and not self.answers.agree(program, seen)

    def gives(self, program: Any, seen: Any) -> bool:
        """Whether the program returns the submission's values in a call, in at least one style."""
        if self.answers.agree(program, seen):
            return True
        walk = self.answers.walked(program, seen)
        if walk is None or not self.answers.differ(program, seen):
            return False
        ways = self.kata.key.variants(self.kata, program, [(seen, walk)])
        return any(self.answers.likes(ways, seen, *ROUGHLY))

    def gives_what_is_wrong(self, one: Mistake, failure: Run) -> bool:
        """Whether the mistake returns the submission's values in all wrong calls, whatever it does in right ones."""
        seen = self.telling_call(failure)
        if seen is None or (((one,), failure.check.name) in self._refutations and self.is_wrong(seen)):
            return False
        wrong = [seen for seen in self.calls(failure) if self.is_wrong(seen)]
        return bool(wrong) and all(self.gives(self.program((one,)), seen) for seen in wrong)

    def is_one_hot(self, failure: Run) -> bool:
        """Whether each query must attend to a single key in all wrong calls: some of many mistakes fit by chance."""
        name = failure.check.name
        if name not in self._one_hot:
            wrong = [seen for seen in self.calls(failure) if self.is_wrong(seen)]
            self._one_hot[name] = bool(wrong) and all(map(self.kata.key.is_one_hot, wrong))
        return self._one_hot[name]

    def is_contradicted(self, named: Named) -> bool:
        """Whether a passed call, or a failed check of functions, has other values than these mistakes give there."""
        if named not in self._refuted:
            self._refuted[named] = self._contradicted_by_calls(named)
        return self._refuted[named]

    def contradicts(self, named: Named, seen: Any) -> bool:
        """Whether the submission returned other values in a call than these mistakes do in any style."""
        key = named, id(seen)
        if key not in self._by_call:
            self._by_call[key] = self.answers.contradict(self.program(named), seen)
        return self._by_call[key]

    def _contradicted_by_calls(self, named: Named) -> bool:
        for place, seen in enumerate(self.passed):
            if self.contradicts(named, seen):
                self.passed.insert(0, self.passed.pop(place))  # what contradicts one mostly contradicts the next
                return True
        return self.is_refuted_by_functions(named)

    def is_refuted_by_functions(self, named: Named) -> bool:
        """Whether a check of functions alone failed with values far from those of these mistakes."""
        return any(self._gives_others(named, run) for run in self.failures if not self.calls(run))

    def _gives_others(self, named: Named, failure: Run) -> bool:
        """Whether a check of functions alone failed with values far from those of these mistakes, which act there.

        Helpers are left out, because their values depend on how scores are masked; so are dtypes other than float64.
        """
        program = self.program(named)
        if not all(isinstance(call, AnsweredCall) for call in failure.trace.calls):
            return False
        if not self._in_helpers(failure)[0] or self._takes_the_oracles_steps(program, failure):
            return False
        pairs = zip(replay_all(self.kata, program, failure, self.seed), failure.trace.leaves, strict=False)
        return any(_are_far(one, other) for one, other in pairs)


def _costs_digits_alone(named: Named) -> bool:
    return any(mistake.rounds for mistake in named)


def _are_far(one: Any, other: Any) -> bool:
    if not (isinstance(one, Tensor) and isinstance(other, Tensor) and one.dtype == other.dtype == torch.float64):
        return False
    return one.shape == other.shape and not same(one, other, 0.0, FAR * float(one.abs().max()))
