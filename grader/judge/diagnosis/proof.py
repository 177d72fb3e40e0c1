"""What the values that a submission returned prove of mistakes: which explain a failure, and which are contradicted."""

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
"""What explains a failure."""

ROUGHLY, TO_THE_DIGIT = (1e-5, 1e-6), (1e-10, 1e-10)
FAR = 0.1
"""Of the largest value: angles of far positions in float32 are off by less."""
MOST_NUMBERS = 5_000
"""In a call, for pairs to be tried on it, and on it before others."""
MOSTLY = 0.5
"""Of the numbers that a call returned, the share that is finite, for two mistakes to be proven by it."""
LARGER = 8
"""So much larger a call is not asked before a small one was."""


class Proofs:
    """What is known of one submission; each question is answered once.

    Args:
        answers: of the oracle and of the mistakes of its kata.
        seed: the run's.
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
        """Whether a call contradicts these."""
        self._wrong = dict[int, bool]()
        """Whether a call is, by its identity."""
        self._telling = dict[str, Any]()
        self._small = dict[str, Any]()
        self._told_apart = set[tuple[Named, str]]()
        """What returns other values than the submission in the telling call of a check."""
        self._one_hot = dict[str, bool]()
        self._helped = dict[str, tuple[set[str], list[Any]]]()

    def calls(self, run: Run) -> list[Any]:
        """Those that programs of the judge can answer."""
        return [call for call in run.trace.calls if isinstance(call, self.kata.key.calls)]

    def program(self, named: Named) -> Any:
        """The oracle with these in it."""
        if named not in self._programs:
            self._programs[named] = apply(named, self.kata.key.oracle)
        return self._programs[named]

    def is_right(self, failure: Run) -> bool:
        """What failed is not in the values: they are the oracle's to the digit, or it fails the check alike."""
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
        """The oracle can answer the call, and does so otherwise."""
        if id(seen) not in self._wrong:
            self._wrong[id(seen)] = self.answers.agree(self.kata.key.oracle, seen) is False
        return self._wrong[id(seen)]

    def is_large(self, failure: Run) -> bool:
        """It takes long to try the catalogue on it: other checks are tried first."""
        seen = self.telling_call(failure)
        return seen is not None and self.answers.size(seen) > MOST_NUMBERS

    def rank(self, failure: Run) -> tuple[bool, bool]:
        """Small calls in float64, of which constants can be read, are tried first."""
        seen = self.telling_call(failure)
        return self.is_large(failure), seen is not None and not self.kata.key.is_exact(seen)

    def is_mostly_numbers(self, seen: Any) -> bool:
        """Half of what a call returned at least: where nearly all is NaN, many pairs of mistakes give it."""
        values = [value.isfinite() for value in self.answers.returned(seen) if isinstance(value, Tensor)]
        return bool(values) and all(bool(value.double().mean() >= MOSTLY) for value in values)

    def telling_call(self, failure: Run) -> Any:
        """The call of a check that tells most programs from the submission, at the least cost; None: it has none."""
        name = failure.check.name
        if name not in self._telling:
            # What dropout drew in a call hangs on the calls before it.
            calls = [seen for seen in self.calls(failure) if not self.answers.drew(self.kata.key.oracle, seen)]
            self._telling[name] = seen = min(calls, key=self._cost, default=None)
            small = min(calls, key=self.answers.size, default=None)
            is_cheaper = seen is not None and LARGER * self.answers.size(small) < self.answers.size(seen)
            self._small[name] = small if is_cheaper else None
        return self._telling[name]

    def _cost(self, seen: Any) -> tuple[bool, bool, bool, int]:
        """Wrong calls before right ones, wrong values before wrong gradients, then one answer, then a small one."""
        oracle = self.kata.key.oracle
        is_right = self.answers.same_values(oracle, seen)
        return (
            is_right,
            is_right and not self.is_wrong(seen),
            self.answers.differ(oracle, seen),
            self.answers.size(seen),
        )

    def explains(self, named: Named, failure: Run) -> bool:
        """These fail the check, and return the submission's values up to there, every one."""
        tried = named, failure.check.name
        if tried not in self._known:
            self._known[tried] = self._explains(named, failure)
        return self._known[tried]

    def explains_all(self, named: Named) -> bool:
        """They explain every check that failed on values."""
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
                return False  # by these values, whatever the style
            if isinstance(replay.deviating, self.kata.key.calls) and not self.answers.differ(program, replay.deviating):
                return False
        return False

    def _is_untouched(self, program: Any, failure: Run) -> bool:
        """The program returns in a check all that the oracle does: it explains nothing, as the oracle does not."""
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
        """All that it does in a check of helpers or functions is what the oracle does: it explains nothing."""
        taken, _ = self._in_helpers(failure)
        return bool(taken) and all(getattr(program, step) is getattr(self.kata.key.oracle, step) for step in taken)

    def _ways_not_refuted(self, named: Named, failure: Run) -> Iterator[Any]:
        """The program in the styles in which it returns the submission's values in the most telling call of a check."""
        program, seen = self.program(named), self.telling_call(failure)
        allowed = TO_THE_DIGIT if _costs_digits_alone(named) else ROUGHLY
        if seen is not None and self.answers.is_refuted(program, seen, *allowed):
            self._told_apart.add((named, failure.check.name))
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
            self._told_apart.add((named, failure.check.name))
            return
        walks = [(call, self.answers.walked(program, call)) for call in calls]
        known = walks if all(walk is not None for _, walk in walks) else []
        in_helpers = set[str]() if calls else self._in_helpers(failure)[0]
        others = self.kata.key.variants(self.kata, program, known, in_helpers)[1:]
        for way in self.answers.likes([program, *others], seen, *allowed) if differ else others:
            is_like = True
            yield way
        if not is_like:
            self._told_apart.add((named, failure.check.name))

    def _is_told_apart_in(self, call: Any, program: Any, rtol: float, atol: float) -> bool:
        """The program returns other values than the submission in a call, in whatever style: no replay is needed."""
        if self.answers.drew(self.kata.key.oracle, call) or self.answers.drew(program, call):
            return False
        return not self.answers.same_values(program, call, rtol, atol) and not self.answers.differ(program, call)

    def _hides_gradients(self, program: Any, seen: Any) -> bool:
        """The values are the submission's, and NaN among them: how scores are hidden shows in the gradients alone."""
        is_nan = seen.cotangent is not None and not is_finite(self.answers, seen)
        return is_nan and self.answers.same_values(program, seen) and not self.answers.agree(program, seen)

    def gives(self, program: Any, seen: Any) -> bool:
        """It returns the submission's values in a call, in some style."""
        if self.answers.agree(program, seen):
            return True
        walk = self.answers.walked(program, seen)
        if walk is None or not self.answers.differ(program, seen):
            return False
        ways = self.kata.key.variants(self.kata, program, [(seen, walk)])
        return any(self.answers.likes(ways, seen, *ROUGHLY))

    def gives_what_is_wrong(self, one: Mistake, failure: Run) -> bool:
        """In each wrong call of the check it returns the submission's values, whatever it does in the right ones."""
        seen = self.telling_call(failure)
        if seen is None or (((one,), failure.check.name) in self._told_apart and self.is_wrong(seen)):
            return False
        wrong = [seen for seen in self.calls(failure) if self.is_wrong(seen)]
        return bool(wrong) and all(self.gives(self.program((one,)), seen) for seen in wrong)

    def is_one_hot(self, failure: Run) -> bool:
        """In all wrong calls each query has to look at one key alone: among many mistakes some fit by chance."""
        name = failure.check.name
        if name not in self._one_hot:
            wrong = [seen for seen in self.calls(failure) if self.is_wrong(seen)]
            self._one_hot[name] = bool(wrong) and all(map(self.kata.key.is_one_hot, wrong))
        return self._one_hot[name]

    def is_contradicted(self, named: Named) -> bool:
        """A call that passed, or a check of functions that failed, shows other values where these are at work."""
        if named not in self._refuted:
            self._refuted[named] = self._contradicted_by_calls(named)
        return self._refuted[named]

    def contradicts(self, named: Named, seen: Any) -> bool:
        """The submission returned other values in a call than these do, in whatever style."""
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
        """Some check of functions alone fails by values far from these."""
        return any(self._gives_others(named, run) for run in self.failures if not self.calls(run))

    def _gives_others(self, named: Named, failure: Run) -> bool:
        """A check of functions alone fails by values far from these, which are at work there.

        Of helpers, whose values hang on how scores are hidden, it is not asked; nor of less than float64.
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
