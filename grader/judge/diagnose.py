"""Names mistakes, where the submission's values prove them: one of the catalogue, or two that were made at once."""

from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

from grader.checks.kata import Kata
from grader.checks.mistake import Mistake, applied
from grader.judge.replay import Ran, all_same, answer_by, contradicts, exact, fails_alike, given, same_output

Named: TypeAlias = tuple[Mistake, ...]
"""What explains a failure."""

VAIN_SEARCHES = 2
"""How often all pairs are tried without success before a submission's other failures are left to single mistakes."""


def name_mistakes(kata: Kata, seed: int, failures: Sequence[Ran], passes: Sequence[Ran]) -> dict[str, Named]:
    """The mistakes that are proven, by the name of the check.

    The whole catalogue is tried on the first failure of each tier that nothing named so far explains; a tier's checks
    mostly fail for one cause.
    """
    search = Search(kata, seed, failures, passes)
    searched: set[str] = set()
    found: dict[str, Named] = {}
    for failure in failures:
        check = failure.check
        if fails_alike(kata, kata.oracle, failure, seed):
            continue  # the values are right: what failed is not in them
        named = next((known for known in dict.fromkeys(found.values()) if search.explains(known, failure)), None)
        if named is None and check.tier.name not in searched:
            searched.add(check.tier.name)
            named = search.explanation(failure)
        if named is not None:
            found[check.name] = named
    return found


class Search:
    """What the catalogue says about one submission."""

    def __init__(self, kata: Kata, seed: int, failures: Sequence[Ran], passes: Sequence[Ran]) -> None:
        self.kata, self.seed, self.failures = kata, seed, failures
        self.passed = [seen for ran in passes for seen in ran.trace.calls]
        self.vain = 0

    def explains(self, named: Named, failure: Ran) -> bool:
        """These fail the check, and return the submission's values up to there, every one."""
        return fails_alike(self.kata, applied(named, self.kata.oracle), failure, self.seed)

    def explanation(self, failure: Ran) -> Named | None:
        """The mistake that explains it, else the pair."""
        singles: list[Named] = [(one,) for one in self.kata.mistakes if self.explains((one,), failure)]
        found = self._best(singles)
        if found is not None or self.vain == VAIN_SEARCHES:
            return found
        # The other of two may show in no value of this check, only in those that passed.
        pairs = [(one, other) for (one,) in singles for other in self.kata.mistakes if not one.meets(other)]
        found = self._best([pair for pair in [*pairs, *self._pairs(failure)] if self.explains(pair, failure)])
        self.vain += found is None
        return found

    def _best(self, explanations: list[Named]) -> Named | None:
        """Of those that no passed check contradicts, the one that explains most of what failed."""
        possible = [named for named in explanations if not self._contradicted(named)]
        if len(possible) < 2:
            return possible[0] if possible else None
        return max(possible, key=lambda named: sum(self.explains(named, failure) for failure in self.failures))

    def _contradicted(self, named: Named) -> bool:
        steps = applied(named, self.kata.oracle)
        return any(contradicts(self.kata, steps, seen) for seen in self.passed)

    def _pairs(self, failure: Ran) -> list[Named]:
        """The pairs that give the submission's answer to the first wrong call of the check, and to all before it.

        What by itself alters a right answer is out: that two undo each other is not looked for.
        """
        left = self.kata.mistakes
        for seen in failure.trace.calls:
            if not exact(seen):
                break
            right, wanted = answer_by(self.kata, self.kata.oracle, seen), given(seen)
            answers = {one: answer_by(self.kata, applied((one,), self.kata.oracle), seen) for one in left}
            silent = tuple(one for one in left if all_same(answers[one], right))
            if all_same(wanted, right):
                left = silent
                continue
            loud = [one for one in left if one not in silent]
            alone = [one for one in loud if all_same(answers[one], wanted)]
            apart = [pair for pair in combinations(loud, 2) if not pair[0].meets(pair[1])]
            both = [pair for pair in apart if same_output(self.kata, applied(pair, self.kata.oracle), seen)]
            return [*both, *((one, other) for one in alone for other in silent if not one.meets(other))]
        return []
