"""Names mistakes, where the submission's values prove them: one of the catalogue, or two that were made at once."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

from grader.checks.kata import Kata
from grader.judge.diagnosis.replay import alike, all_same, answer_by, contradicts, fails_alike, same_output
from grader.judge.engine import Run
from grader.oracle.mistake import Mistake, applied

Named: TypeAlias = tuple[Mistake, ...]
"""What explains a failure."""

PAIR_SEARCHES = 3
"""On how many failures of a submission all pairs are tried, which takes longer than its checks took."""


def name_mistakes(kata: Kata, seed: int, failures: Sequence[Run], passes: Sequence[Run]) -> dict[str, Named]:
    """The mistakes that are proven, by the name of the check.

    The whole catalogue is tried on the first failure of each tier that nothing known so far explains; a tier's checks
    mostly fail for one cause. What is known in the end may explain a failure before it.

    Args:
        kata: whose catalogue is tried.
        seed: the run's.
        failures: checks that failed, and what the submission returned in them.
        passes: checks that passed.
    """
    search = Search(kata, seed, failures, passes)
    # Where the values are right, what failed is not in them.
    wrong = [failure for failure in failures if not fails_alike(kata, kata.key.oracle, failure, seed)]
    searched: set[str] = set()
    found: dict[str, Named] = {}
    for failure in wrong:
        name, tier = failure.check.name, failure.check.tier.name
        named = search.first(found.values(), failure)
        if named is None and tier not in searched:
            searched.add(tier)
            named = search.explanation(failure)
        if named is not None:
            found[name] = named
    unnamed = [failure for failure in wrong if failure.check.name not in found]
    late = {failure.check.name: search.first(found.values(), failure) for failure in unnamed}
    return found | {name: named for name, named in late.items() if named is not None}


class Search:
    """What the catalogue says about one submission.

    Args:
        kata: whose catalogue is tried.
        seed: the run's.
        failures: checks that failed, and what the submission returned in them.
        passes: checks that passed.
    """

    def __init__(self, kata: Kata, seed: int, failures: Sequence[Run], passes: Sequence[Run]) -> None:
        self.kata, self.seed, self.failures = kata, seed, failures
        self.passed = [call for run in passes for call in self._calls(run)]
        self.searches = 0

    def _calls(self, run: Run) -> list[Any]:
        """Those that programs of the judge can answer."""
        return [call for call in run.trace.calls if isinstance(call, self.kata.key.calls)]

    def explains(self, named: Named, failure: Run) -> bool:
        """These fail the check, and return the submission's values up to there, every one."""
        rounds = any(mistake.rounds for mistake in named)
        return any(fails_alike(self.kata, way, failure, self.seed, rounds) for way in self._ways(named))

    def _ways(self, named: Named) -> list[Any]:
        """The oracle with these mistakes, in the styles in which right programs differ."""
        return self.kata.key.variants(applied(named, self.kata.key.oracle))

    def first(self, known: Iterable[Named], failure: Run) -> Named | None:
        """The first of these that explains it."""
        return next((named for named in dict.fromkeys(known) if self.explains(named, failure)), None)

    def explanation(self, failure: Run) -> Named | None:
        """The mistake of the catalogue that explains it, else the pair."""
        singles: list[Named] = [(one,) for one in self.kata.key.mistakes if self.explains((one,), failure)]
        found = self._best(singles)
        if found is not None:
            return found
        # The other of two may show in no value of this check, only in those that passed.
        beside = [(one, other) for (one,) in singles for other in self.kata.key.mistakes if not one.meets(other)]
        return self._best([pair for pair in [*beside, *self._pairs(failure)] if self.explains(pair, failure)])

    def _best(self, explanations: list[Named]) -> Named | None:
        """Of those that no passed check contradicts, the one that explains most of what failed."""
        possible = [named for named in explanations if not self._contradicted(named)]
        if len(possible) < 2:
            return possible[0] if possible else None
        return max(possible, key=lambda named: sum(self.explains(named, failure) for failure in self.failures))

    def _contradicted(self, named: Named) -> bool:
        return all(any(contradicts(self.kata, way, seen) for seen in self.passed) for way in self._ways(named))

    def _pairs(self, failure: Run) -> list[Named]:
        """The pairs that give the submission's output in the first wrong call, and leave the calls before it right.

        What by itself alters a right answer is out: that two undo each other is not looked for.
        """
        left = self.kata.key.mistakes
        for seen in self._calls(failure):
            if self.searches == PAIR_SEARCHES or not self.kata.key.is_exact(seen):
                break
            answers = {one: answer_by(self.kata, applied((one,), self.kata.key.oracle), seen) for one in left}
            right = answer_by(self.kata, self.kata.key.oracle, seen)
            if not all_same(self.kata.key.returned(seen), right):
                return self.pairs_among(answers, right, seen)
            left = tuple(one for one in left if all_same(answers[one], right))
        return []

    def pairs_among(self, answers: Mapping[Mistake, list[Any]], right: list[Any], seen: Any) -> list[Named]:
        """The pairs of mistakes that together give the output of this call.

        A tensor that one of the two leaves right must be what the other alone makes of it, so most need not be tried.

        Args:
            answers: what the oracle returns in the call, by the mistake applied.
            right: what the oracle itself returns.
            seen: the call.
        """
        self.searches += 1
        silent = {one: alike(answer, right) for one, answer in answers.items()}
        alone = {one: alike(answer, self.kata.key.returned(seen)) for one, answer in answers.items()}

        def fit(one: Mistake, other: Mistake) -> bool:
            by_tensor = zip(silent[one], alone[one], silent[other], alone[other], strict=False)
            return all((fits or not quiet) and (suits or not still) for quiet, suits, still, fits in by_tensor)

        pairs = [(one, other) for one, other in combinations(answers, 2) if not one.meets(other) and fit(one, other)]
        return [pair for pair in pairs if same_output(self.kata, applied(pair, self.kata.key.oracle), seen)]
