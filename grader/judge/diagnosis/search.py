"""Names mistakes, where the submission's values prove them: one of the catalogue, or two that were made at once."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, takewhile
from typing import Any

from grader.judge.diagnosis.answers import Answers
from grader.judge.diagnosis.narrowed import only_where
from grader.judge.diagnosis.proof import MOST_NUMBERS, TO_THE_DIGIT, Named, Proofs
from grader.judge.diagnosis.replay import alike
from grader.judge.engine import Run
from grader.oracle.mistake import Mistake, apply

PAIR_SEARCHES = 2
"""On how many failures of a submission constants are read off and all pairs tried.

That takes longer than its checks.
"""
FEW, SHARE = 5, 1 / 3
"""Where a constant shows in `FEW` or more wrong calls, it must give the values of this `SHARE` of them.

In the others a second mistake may be at work.
"""
FILTERS = 2
"""How many right calls rule out mistakes before pairs are tried: a third call would rule out few more."""
MOST_PAIRS = 10_000
"""The most pairs that are tried for a submission; a call that more of them fit tells little, and is left out."""


def name_mistakes(
    answers: Answers,
    seed: int,
    failures: Sequence[Run],
    passes: Sequence[Run],
    suspected: Collection[str] = (),
) -> dict[str, Named]:
    """The mistakes that are proven, by the name of the check.

    The whole catalogue is tried on the first failure of each tier that no mistake found so far explains, because a
    tier's checks mostly fail for one cause, and on each check of a helper alone. Failures with small calls in float64
    come first. A mistake that is found late may explain an earlier failure.

    Args:
        answers: what the oracle and the mistakes of the kata return.
        seed: the seed of the run.
        failures: checks that failed, and what the submission returned in them.
        passes: checks that passed.
        suspected: the steps of the oracle that may be done wrong: mistakes in these are tried first.
    """
    proofs = Proofs(answers, seed, failures, passes)
    search = Search(proofs, suspected)
    wrong = sorted((failure for failure in failures if not proofs.is_right(failure)), key=proofs.rank)
    searched = set[tuple[str, bool]]()
    mistakes: dict[str, Named] = {}
    for failure in wrong:
        name, of_kind = failure.check.name, (failure.check.tier.name, proofs.is_large(failure))
        named = search.first(mistakes.values(), failure)
        is_next = of_kind not in searched or not proofs.calls(failure)
        if named is None and is_next and not (proofs.is_large(failure) and search.is_small_left(wrong, mistakes)):
            searched.add(of_kind)
            named = search.explanation(failure, mistakes.values())
        if named is not None:
            mistakes[name] = named
    for failure in wrong:
        if failure.check.name in mistakes:
            continue
        named = search.first(mistakes.values(), failure)
        if named is not None:
            mistakes[failure.check.name] = named
        elif pair := search.beside_known(mistakes.values(), failure):
            better = (each for each in wrong if search.is_better(pair, mistakes.get(each.check.name), each))
            mistakes |= {each.check.name: pair for each in better}
    named_by_check = [
        (failure, search.at_work(mistakes[failure.check.name], failure))
        for failure in wrong
        if failure.check.name in mistakes
    ]
    return {
        failure.check.name: named
        for failure, named in named_by_check
        if not any(is_left_out(proofs, named, other, where) for where, other in named_by_check)
    }


def is_left_out(proofs: Proofs, named: Named, other: Named, failure: Run) -> bool:
    """Whether a check shows that a mistake was not made: other mistakes explain it alone, and this one would show.

    Args:
        proofs: what is proven about the submission.
        named: the mistakes that explain another check.
        other: the mistakes that explain this check.
        failure: this check.
    """
    seen, names = proofs.telling_call(failure), {one.name for one in other}
    if seen is None or any(one.name in names for one in named) or not proofs.is_wrong(seen):
        return False
    is_conclusive = proofs.kata.key.is_exact(seen) and not proofs.is_one_hot(failure) and proofs.is_mostly_numbers(seen)
    if not is_conclusive or not proofs.contradicts(named, seen):
        return False
    meet = any(one.meets(each) for one in named for each in other)
    return meet or not proofs.gives(proofs.program((*named, *other)), seen)


class Search:
    """Which mistakes are tried on a failure, and in which order.

    Args:
        proofs: what is proven about the submission.
        suspected: the steps of the oracle that may be done wrong.
    """

    def __init__(self, proofs: Proofs, suspected: Collection[str] = ()) -> None:
        self.proofs, self.answers, self.kata = proofs, proofs.answers, proofs.kata
        mistakes: Sequence[Mistake] = self.kata.key.mistakes
        self._suspected = [one for one in mistakes if not {*suspected}.isdisjoint(one.changed)]
        self.searches = self.beside_searches = self.tried = 0

    def is_small_left(self, wrong: Iterable[Run], names: Collection[str]) -> bool:
        """Whether a small check is unexplained: the catalogue would take seconds on a large one, and find nothing."""
        return any(failure.check.name not in names for failure in wrong if not self.proofs.is_large(failure))

    def first(self, known: Iterable[Named], failure: Run) -> Named | None:
        """Return the first of the known mistakes that explains the failure; None: none does."""
        return next((named for named in dict.fromkeys(known) if self.proofs.explains(named, failure)), None)

    def at_work(self, named: Named, failure: Run) -> Named:
        """Return the one of two mistakes that explains the check by itself, or both if neither does."""
        alone = [(one,) for one in named if len(named) > 1 and self.proofs.explains((one,), failure)]
        return alone[0] if alone else named

    def beside_known(self, known: Iterable[Named], failure: Run) -> Named | None:
        """Return a known mistake and another one that together explain the failure; None: there is no such pair.

        The known one may be known only in some calls.

        Args:
            known: the mistakes that explain other failures.
            failure: a check that failed.
        """
        names, seen = {one.name for named in known for one in named}, self.proofs.telling_call(failure)
        is_conclusive = seen is not None and self.kata.key.is_exact(seen) and not self.proofs.is_one_hot(failure)
        if self.beside_searches == PAIR_SEARCHES or not is_conclusive or not self.proofs.is_mostly_numbers(seen):
            return None
        self.beside_searches += 1
        mistakes = self.kata.key.mistakes
        pairs = [(one, other) for one in mistakes if one.name in names for other in mistakes if not one.meets(other)]
        explaining = [pair for pair in pairs if self.proofs.explains(pair, failure)]
        return self._best([pair for pair in explaining if not self.proofs.is_contradicted(pair)])

    def is_better(self, pair: Named, named: Named | None, failure: Run) -> bool:
        """Whether a pair explains a check that nothing explains, or only one of the pair limited to some calls.

        Args:
            pair: the pair that was found last.
            named: what explains the check so far; None: nothing.
            failure: the check.
        """
        is_narrowed = named is not None and named[0] not in pair and named[0].name in {one.name for one in pair}
        return (named is None or is_narrowed) and self.proofs.explains(pair, failure)

    def explanation(self, failure: Run, known: Iterable[Named]) -> Named | None:
        """Return what explains a failure; None: nothing does.

        That is a mistake of the catalogue, one made only in some calls, one with a constant, or two at once.

        Args:
            failure: a check that failed.
            known: the mistakes that explain other failures.
        """
        possible_ones = self.kata.key.mistakes
        possible: list[Named] = self._alone(self._suspected, failure) or self._alone(possible_ones, failure)
        if not possible and not self.proofs.is_one_hot(failure):
            inside = (one for one in possible_ones if self.proofs.gives_what_is_wrong(one, failure))
            possible = self._narrowed(inside, failure)
        possible = possible or self._constants(failure)
        if possible:
            return self._best(possible)
        # The second mistake of a pair may show in no value of this check, only in checks that passed. For calls that
        # drew random numbers no pairs are searched, but one of the two may be known already.
        of_others = [one for named in known for one in named] if self.proofs.drew(failure) else []
        ones = dict.fromkeys([*(one for (one,) in self._explaining(possible_ones, failure)), *of_others])
        beside = [(one, other) for one in ones for other in possible_ones if not one.meets(other)]
        made_at_once = [] if self.proofs.is_one_hot(failure) else self._pairs(failure)
        pairs = [pair for pair in [*beside, *made_at_once] if self.proofs.explains(pair, failure)]
        return self._best([pair for pair in pairs if not self.proofs.is_contradicted(pair)])

    def _alone(self, ones: Sequence[Mistake], failure: Run) -> list[Named]:
        """Return the mistakes that explain the failure and are not contradicted, or are made only in some calls.

        Args:
            ones: mistakes of the catalogue.
            failure: a check that failed.
        """
        proofs = self.proofs
        for named in ((one,) for one in ones):
            if proofs.explains(named, failure) and proofs.explains_all(named) and not proofs.is_contradicted(named):
                return [named]  # none explains more, and this is the first of those that explain as much
        singles = self._explaining(ones, failure)
        possible = [named for named in singles if not proofs.is_contradicted(named)]
        if not proofs.is_one_hot(failure) and not any(map(proofs.explains_all, possible)):
            limited = self._narrowed((one for (one,) in singles), failure)
            possible = [named for named in limited if proofs.explains_all(named)] or possible or limited
        return possible

    def _narrowed(self, ones: Iterable[Mistake], failure: Run) -> list[Named]:
        """Return those of these mistakes that are made only in some calls, limited to these calls."""
        narrowed = (only_where(self.proofs, one, failure) for one in ones)
        return [(one,) for one in narrowed if one is not None]

    def _explaining(self, ones: Iterable[Mistake], failure: Run) -> list[Named]:
        """Return the mistakes that explain it; if no call of it tells programs apart, only those not contradicted."""
        is_silent = self.proofs.telling_call(failure) is None and bool(self.proofs.calls(failure))
        singles: list[Named] = [(one,) for one in ones if self.proofs.explains((one,), failure)]
        return [named for named in singles if not (is_silent and self.proofs.is_contradicted(named))]

    def _best(self, possible: list[Named]) -> Named | None:
        """Return what explains the most failures; None: there is nothing to choose from."""
        if len(possible) < 2:
            return possible[0] if possible else None
        failures = self.proofs.failures
        return max(possible, key=lambda named: sum(self.proofs.explains(named, failure) for failure in failures))

    def _constants(self, failure: Run) -> list[Named]:
        """Return the mistakes with a constant that explain the check, in all calls or only in some."""
        read = self._read_off(failure)
        named: list[Named] = [(one,) for one in read if self.proofs.explains((one,), failure)]
        uncontradicted = [one for (one,) in named if not self.proofs.is_contradicted((one,))]
        proven = [one for one in uncontradicted if self.proofs.drew(failure) or self._gives_a_share(one)]
        if proven:
            return [(one,) for one in proven]
        shown = [one for one in read if (one,) in named or self.proofs.gives_what_is_wrong(one, failure)]
        inside = (one for one in shown if self._gives_a_share(one))
        return self._narrowed(inside, failure)

    def _gives_a_share(self, read: Mistake) -> bool:
        """Whether a mistake gives the values of enough wrong calls in which it shows: one call may fit by chance."""
        program = self.proofs.program((read,))
        wrong = (seen for run in self.proofs.failures for seen in self.proofs.calls(run) if self.proofs.is_wrong(seen))
        gives = [self.proofs.gives(program, seen) for seen in wrong if not self.answers.is_untouched(program, seen)]
        return len(gives) < FEW or sum(gives) >= SHARE * len(gives)

    def _read_off(self, failure: Run) -> list[Mistake]:
        """Return the mistakes with a constant read off the first wrong call; for functions, with a usual constant."""
        key, calls = self.kata.key, self.proofs.calls(failure)
        if not calls:
            return list(key.constants(self.kata, None))
        if self.searches == PAIR_SEARCHES:
            return []
        wrong = (seen for seen in calls if self.proofs.is_wrong(seen))
        worn = (seen for seen in calls if self.answers.agree(key.oracle, seen, *TO_THE_DIGIT) is False)
        seen = next(chain(wrong, worn), None)
        return [] if seen is None else list(key.constants(self.kata, seen))

    def _pairs(self, failure: Run) -> list[Named]:
        """The pairs that give the submission's output in the first wrong call, and leave a call or two before it right.

        A mistake that by itself changes a right answer is left out: pairs that undo each other are not looked for.
        """
        calls = self.proofs.calls(failure)
        before = list(takewhile(lambda call: not self.proofs.is_wrong(call), calls))
        seen = next(iter(calls[len(before) :]), None)
        is_sought = seen is not None and self.searches < PAIR_SEARCHES and self.answers.size(seen) <= MOST_NUMBERS
        if not is_sought or not all(map(self.kata.key.is_exact, [*before, seen])):
            return []
        left, oracle = self.kata.key.mistakes, self.kata.key.oracle
        for right in [call for call in before if call.cotangent is None][:FILTERS]:
            left = tuple(one for one in left if self.answers.agree(self.proofs.program((one,)), right))
        answer = self.answers.of if self.answers.same_values(oracle, seen) else self.answers.values
        answers = {one: answer(self.proofs.program((one,)), seen) for one in left}
        return self.pairs_among(answers, answer(oracle, seen), seen)

    def pairs_among(self, answers: Mapping[Mistake, list[Any]], right: list[Any], seen: Any) -> list[Named]:
        """The pairs of mistakes that together give the output of this call.

        Where one of the two leaves a tensor right, the other alone must give the submission's; few pairs pass this.

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

        suspected = {one for one in answers if one in self._suspected} or answers.keys()
        pairs = [
            (one, other)
            for one, other in combinations(answers, 2)
            if not suspected.isdisjoint((one, other)) and not one.meets(other) and fit(one, other)
        ]
        if self.tried + len(pairs) > MOST_PAIRS:
            return []
        self.tried += len(pairs)
        by_first: dict[Mistake, list[Named]] = {}
        for pair in pairs:
            by_first.setdefault(min(pair, key=self.kata.key.place), []).append(pair)
        survivors = {pair for first, of_it in by_first.items() for pair in self._same_output(first, of_it, seen)}
        return [pair for pair in pairs if pair in survivors]

    def _same_output(self, first: Mistake, pairs: Sequence[Named], seen: Any) -> Iterator[Named]:
        """Yields the pairs that give the submission's output; what all share, the first mistake, is computed once."""
        beside = self.answers.walked(self.proofs.program((first,)), seen)
        for pair in pairs:
            if self.answers.same_output(apply(pair, self.kata.key.oracle), seen, beside):
                yield pair
