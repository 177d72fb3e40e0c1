"""Names mistakes, where the submission's values prove them: one of the catalogue, or two that were made at once."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, takewhile
from typing import Any, TypeAlias

import torch
from torch import Tensor

from grader.checks.kata import Circumstance
from grader.checks.subject import AnsweredCall
from grader.judge.diagnosis.answers import Answers
from grader.judge.diagnosis.replay import alike, all_same, replay_all, replay_failure, same
from grader.judge.diagnosis.when import that_sets_apart
from grader.judge.diagnosis.where import are_finite, is_finite
from grader.judge.engine import Run
from grader.oracle.mistake import Mistake, apply

Named: TypeAlias = tuple[Mistake, ...]
"""What explains a failure."""

ROUGHLY, TO_THE_DIGIT = (1e-5, 1e-6), (1e-10, 1e-10)
FAR = 0.1
"""Of the largest value: angles of far positions in float32 are off by less."""
PAIR_SEARCHES = 2
"""On how many failures of a submission constants are read and all pairs tried, which takes longer than its checks."""
MOST_NUMBERS = 5_000
"""In a call, for pairs to be tried on it, and on it before others."""
LARGER = 8
"""So much larger a call is not asked before a small one was."""
FEW, SHARE = 5, 1 / 3
"""Wrong calls that tell nothing yet, and of more the share: in the others a second mistake may be at work."""
EVERY = 5
"""Of the right calls every fifth is compared first for what sets wrong ones apart, and all where none does."""
FILTERS = 2
"""Right calls that sort mistakes out before pairs are tried: a third takes out few."""
MOST_PAIRS = 10_000
"""That are tried of a submission; a call that more of them fit tells little, and is left out."""


def name_mistakes(
    answers: Answers,
    seed: int,
    failures: Sequence[Run],
    passes: Sequence[Run],
    suspected: Collection[str] = (),
) -> dict[str, Named]:
    """The mistakes that are proven, by the name of the check.

    The whole catalogue is tried on the first failure of each tier that nothing known so far explains (a tier's checks
    mostly fail for one cause), on a small one before a large one, and on each check of a helper alone. What is known in
    the end may explain a failure before it.

    Args:
        answers: of the oracle and of the mistakes of its kata.
        seed: the run's.
        failures: checks that failed, and what the submission returned in them.
        passes: checks that passed.
        suspected: the steps of the oracle that may be done wrong: mistakes in these are tried first.
    """
    search = Search(answers, seed, failures, passes, suspected)
    wrong = sorted((failure for failure in failures if not search.is_right(failure)), key=search.is_large)
    searched = set[tuple[str, bool]]()
    found: dict[str, Named] = {}
    for failure in wrong:
        name, of_kind = failure.check.name, (failure.check.tier.name, search.is_large(failure))
        named = search.first(found.values(), failure)
        is_next = of_kind not in searched or not search.calls(failure)
        if named is None and is_next and not (search.is_large(failure) and search.is_small_left(wrong, found)):
            searched.add(of_kind)
            named = search.explanation(failure, found.values())
        if named is not None:
            found[name] = named
    unnamed = [failure for failure in wrong if failure.check.name not in found]
    late = {failure.check.name: search.first(found.values(), failure) for failure in unnamed}
    found |= {name: named for name, named in late.items() if named is not None}
    return {
        failure.check.name: search.at_work(found[failure.check.name], failure)
        for failure in wrong
        if failure.check.name in found
    }


class Search:
    """What the catalogue says about one submission.

    Args:
        answers: of the oracle and of the mistakes of its kata.
        seed: the run's.
        failures: checks that failed, and what the submission returned in them.
        passes: checks that passed.
        suspected: the steps of the oracle that may be done wrong.
    """

    def __init__(
        self,
        answers: Answers,
        seed: int,
        failures: Sequence[Run],
        passes: Sequence[Run],
        suspected: Collection[str] = (),
    ) -> None:
        self.answers, self.kata, self.seed, self.failures = answers, answers.kata, seed, failures
        mistakes: Sequence[Mistake] = self.kata.key.mistakes
        self._suspected = [one for one in mistakes if not {*suspected}.isdisjoint(one.changed)]
        self.passed = sorted((call for run in passes for call in self.calls(run)), key=self.answers.size)
        self.searches = self.tried = 0
        self.known = dict[tuple[Named, str], bool]()
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

    def is_large(self, failure: Run) -> bool:
        """It takes long to try the catalogue on it: other checks are tried first."""
        seen = self._telling_call(failure)
        return seen is not None and self.answers.size(seen) > MOST_NUMBERS

    def is_small_left(self, wrong: Iterable[Run], found: Collection[str]) -> bool:
        """A check of small calls has no name: a large one, on which the catalogue takes seconds, would give none."""
        return any(failure.check.name not in found for failure in wrong if not self.is_large(failure))

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
        oracle, seen = self.kata.key.oracle, self._telling_call(failure)
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

    def _is_wrong(self, seen: Any) -> bool:
        """The oracle can answer the call, and does so otherwise."""
        if id(seen) not in self._wrong:
            self._wrong[id(seen)] = self.answers.agree(self.kata.key.oracle, seen) is False
        return self._wrong[id(seen)]

    def _telling_call(self, failure: Run) -> Any:
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
            is_right and not self._is_wrong(seen),
            self.answers.differ(oracle, seen),
            self.answers.size(seen),
        )

    def explains(self, named: Named, failure: Run) -> bool:
        """These fail the check, and return the submission's values up to there, every one."""
        tried = named, failure.check.name
        if tried not in self.known:
            self.known[tried] = self._explains(named, failure)
        return self.known[tried]

    def _explains(self, named: Named, failure: Run) -> bool:
        program, has_calls = self.program(named), bool(self.calls(failure))
        if not has_calls and self._takes_the_oracles_steps(program, failure):
            return False
        for way in self._ways_not_refuted(named, failure):
            if has_calls and way is program and self._is_untouched(program, failure):
                return False
            replay = replay_failure(self.kata, way, failure, self.seed, _round(named))
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
        program, seen = self.program(named), self._telling_call(failure)
        allowed = TO_THE_DIGIT if _round(named) else ROUGHLY
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

    def first(self, known: Iterable[Named], failure: Run) -> Named | None:
        """The first of these that explains it."""
        return next((named for named in dict.fromkeys(known) if self.explains(named, failure)), None)

    def at_work(self, named: Named, failure: Run) -> Named:
        """Of two mistakes, the one that explains the check by itself; both where none does."""
        alone = [(one,) for one in named if len(named) > 1 and self.explains((one,), failure)]
        return alone[0] if alone else named

    def explanation(self, failure: Run, known: Iterable[Named]) -> Named | None:
        """The mistake of the catalogue that explains it, one made in some calls alone, or two at once.

        Args:
            failure: a check that failed.
            known: what explains others.
        """
        possible_ones = self.kata.key.mistakes
        possible: list[Named] = self._alone(self._suspected, failure) or self._alone(possible_ones, failure)
        if not possible and not self._is_one_hot(failure):
            inside = [
                self._only_where(one, failure) for one in possible_ones if self._gives_what_is_wrong(one, failure)
            ]
            possible = [(one,) for one in inside if one is not None]
        possible = possible or self._constants(failure)
        if possible:
            return self._best(possible)
        # The other of two may show in no value of this check, only in those that passed; in calls that drew numbers,
        # for which no pair is searched, one of two may be known already.
        drew = any(self.answers.drew(self.kata.key.oracle, seen) for seen in self.calls(failure))
        of_others = [one for named in known for one in named] if drew else []
        ones = dict.fromkeys([*(one for (one,) in self._explaining(possible_ones, failure)), *of_others])
        beside = [(one, other) for one in ones for other in possible_ones if not one.meets(other)]
        made_at_once = [] if self._is_one_hot(failure) else self._pairs(failure)
        pairs = [pair for pair in [*beside, *made_at_once] if self.explains(pair, failure)]
        return self._best([pair for pair in pairs if not self._contradicted(pair)])

    def _alone(self, ones: Sequence[Mistake], failure: Run) -> list[Named]:
        """Those that explain it and are not contradicted, or are made in some calls alone.

        Args:
            ones: mistakes of the catalogue.
            failure: a check that failed.
        """
        for one in ones:
            if self.explains((one,), failure) and self._explains_all((one,)) and not self._contradicted((one,)):
                return [(one,)]  # none explains more, and this is the first of those that explain as much
        singles = self._explaining(ones, failure)
        possible = [named for named in singles if not self._contradicted(named)]
        if not self._is_one_hot(failure) and not any(self._explains_all(named) for named in possible):
            narrowed = [self._only_where(single, failure) for (single,) in singles]
            limited: list[Named] = [(one,) for one in narrowed if one is not None]
            possible = [named for named in limited if self._explains_all(named)] or possible or limited
        return possible

    def _explaining(self, ones: Iterable[Mistake], failure: Run) -> list[Named]:
        """Those that explain it; where no call of it tells programs apart, those that no other call contradicts."""
        is_silent = self._telling_call(failure) is None and bool(self.calls(failure))
        singles: list[Named] = [(one,) for one in ones if self.explains((one,), failure)]
        return [named for named in singles if not (is_silent and self._contradicted(named))]

    def _is_one_hot(self, failure: Run) -> bool:
        """In all wrong calls each query has to look at one key alone: among many mistakes some fit by chance."""
        name = failure.check.name
        if name not in self._one_hot:
            wrong = [seen for seen in self.calls(failure) if self._is_wrong(seen)]
            self._one_hot[name] = bool(wrong) and all(map(self.kata.key.is_one_hot, wrong))
        return self._one_hot[name]

    def _best(self, possible: list[Named]) -> Named | None:
        """The one that explains most of what failed."""
        if len(possible) < 2:
            return possible[0] if possible else None
        return max(possible, key=lambda named: sum(self.explains(named, failure) for failure in self.failures))

    def _explains_all(self, named: Named) -> bool:
        return all(self.explains(named, failure) for failure in self.failures)

    def _constants(self, failure: Run) -> list[Named]:
        """The mistakes with a constant that explain the check, in all calls or in some alone."""
        read = self._read_off(failure)
        named: list[Named] = [(one,) for one in read if self.explains((one,), failure)]
        proven = [one for (one,) in named if not self._contradicted((one,)) and self._gives_a_share(one)]
        if proven:
            return [(one,) for one in proven]
        inside = [one for one in read if (one,) in named or self._gives_what_is_wrong(one, failure)]
        return [(one,) for each in inside if (one := self._only_where(each, failure))]

    def _gives_a_share(self, read: Mistake) -> bool:
        """Of the wrong calls in which it shows it gives the values of many: what is read off one fits by chance."""
        program = self.program((read,))
        wrong = (seen for run in self.failures for seen in self.calls(run) if self._is_wrong(seen))
        gives = [self._gives(program, seen) for seen in wrong if not self.answers.is_untouched(program, seen)]
        return len(gives) < FEW or sum(gives) >= SHARE * len(gives)

    def _gives(self, program: Any, seen: Any) -> bool:
        """It returns the submission's values in a call, in some style."""
        if self.answers.agree(program, seen):
            return True
        walk = self.answers.walked(program, seen)
        if walk is None or not self.answers.differ(program, seen):
            return False
        ways = self.kata.key.variants(self.kata, program, [(seen, walk)])
        return any(self.answers.likes(ways, seen, *ROUGHLY))

    def _read_off(self, failure: Run) -> list[Mistake]:
        """The mistakes with a constant that the first wrong call lets one read, or usual ones."""
        key, calls = self.kata.key, self.calls(failure)
        if not calls:
            return list(key.constants(self.kata, None))
        if self.searches == PAIR_SEARCHES:
            return []
        wrong = (seen for seen in calls if self._is_wrong(seen))
        worn = (seen for seen in calls if self.answers.agree(key.oracle, seen, *TO_THE_DIGIT) is False)
        seen = next(chain(wrong, worn), None)
        return [] if seen is None else list(key.constants(self.kata, seen))

    def _gives_what_is_wrong(self, one: Mistake, failure: Run) -> bool:
        """In each wrong call of the check it returns the submission's values, whatever it does in the right ones."""
        seen = self._telling_call(failure)
        if seen is None or (((one,), failure.check.name) in self._told_apart and self._is_wrong(seen)):
            return False
        wrong = [seen for seen in self.calls(failure) if self._is_wrong(seen)]
        return bool(wrong) and all(self._gives(self.program((one,)), seen) for seen in wrong)

    def _only_where(self, single: Mistake, failure: Run) -> Mistake | None:
        """The mistake made in some calls alone, where what sets these apart is known."""
        right = [seen for seen in self.calls(failure) if self._is_wrong(seen) is False]
        is_contradicted = self._contradicted((single,)) or bool(self._contradicting(single, right))
        wrong = (seen for seen in self.calls(failure) if self._is_wrong(seen))
        is_of_nan = not self.explains((single,), failure) and not all(is_finite(self.answers, seen) for seen in wrong)
        if not is_contradicted and not is_of_nan:
            return None
        calls, made_in = [*self.passed, *right], self._made_in(single)
        if is_contradicted:
            others = self._contradicting(single, calls[::EVERY]) or self._contradicting(single, calls)
        else:
            others = [seen for seen in calls if self._makes_nan_of(seen, single)]
        while apart := self._apart(single, made_in, others):
            refuting = next((seen for seen in filter(apart.holds, calls) if self._contradicts((single,), seen)), None)
            if refuting is None:
                break
            others.append(refuting)
        if apart is None:
            return None
        one = self.kata.key.only_where(single, apart, in_no_others=not self._may_hide_elsewhere(single, apart))
        # In each passed call it is the oracle, or the mistake where that is not contradicted.
        self._refuted[one,] = self._is_refuted_by_functions((one,))
        return one if self.explains((one,), failure) and not self._refuted[one,] else None

    def _makes_nan_of(self, seen: Any, single: Mistake) -> bool:
        """The submission returned numbers where this mistake gives NaN, in one style at least."""
        values = self.answers.values(self.program((single,)), seen)
        return is_finite(self.answers, seen) and not are_finite(values)

    def _apart(self, single: Mistake, made_in: Sequence[Any], others: Sequence[Any]) -> Circumstance | None:
        if not others or (not made_in and len(single.changed) > 1):
            return None  # a helper by itself shows one step
        if len({self.kata.key.asked(seen) for seen in made_in}) == 1:
            return None  # as a mask kept from the call before it, once, is that of another sequence
        return that_sets_apart(self.kata.key.circumstances(self.kata, made_in, others), made_in, others)

    def _contradicting(self, single: Mistake, calls: Iterable[Any]) -> list[Any]:
        return [seen for seen in calls if self._contradicts((single,), seen)]

    def _made_in(self, single: Mistake) -> list[Any]:
        """The wrong calls in which this mistake alone gives what the submission did."""
        wrong = (seen for run in self.failures for seen in self.calls(run) if self._is_wrong(seen))
        return [seen for seen in wrong if self.answers.agree(self.program((single,)), seen)]

    def _may_hide_elsewhere(self, single: Mistake, apart: Circumstance) -> bool:
        """Some other call is wrong as well where the mistake would show, by what else may be wrong there."""
        others = (seen for run in self.failures for seen in self.calls(run) if not apart.holds(seen))
        program = self.program((single,))
        return any(self._is_wrong(seen) and not self.answers.is_untouched(program, seen) for seen in others)

    def _contradicted(self, named: Named) -> bool:
        if named not in self._refuted:
            self._refuted[named] = self._is_contradicted(named)
        return self._refuted[named]

    def _contradicts(self, named: Named, seen: Any) -> bool:
        key = named, id(seen)
        if key not in self._by_call:
            self._by_call[key] = self.answers.contradict(self.program(named), seen)
        return self._by_call[key]

    def _is_contradicted(self, named: Named) -> bool:
        for place, seen in enumerate(self.passed):
            if self._contradicts(named, seen):
                self.passed.insert(0, self.passed.pop(place))  # what contradicts one mostly contradicts the next
                return True
        return self._is_refuted_by_functions(named)

    def _is_refuted_by_functions(self, named: Named) -> bool:
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

    def _pairs(self, failure: Run) -> list[Named]:
        """The pairs that give the submission's output in the first wrong call, and leave a call or two before it right.

        What by itself alters a right answer is out: that two undo each other is not looked for.
        """
        calls = self.calls(failure)
        before = list(takewhile(lambda call: not self._is_wrong(call), calls))
        seen = next(iter(calls[len(before) :]), None)
        is_sought = seen is not None and self.searches < PAIR_SEARCHES and self.answers.size(seen) <= MOST_NUMBERS
        if not is_sought or not all(map(self.kata.key.is_exact, [*before, seen])):
            return []
        left, oracle = self.kata.key.mistakes, self.kata.key.oracle
        for right in [call for call in before if call.cotangent is None][:FILTERS]:
            left = tuple(one for one in left if self.answers.agree(self.program((one,)), right))
        answer = self.answers.of if self.answers.same_values(oracle, seen) else self.answers.values
        answers = {one: answer(self.program((one,)), seen) for one in left}
        return self.pairs_among(answers, answer(oracle, seen), seen)

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
        if self.tried + len(pairs) > MOST_PAIRS:
            return []
        self.tried += len(pairs)
        by_first: dict[Mistake, list[Named]] = {}
        for pair in pairs:
            by_first.setdefault(min(pair, key=self.kata.key.place), []).append(pair)
        found = {pair for first, of_it in by_first.items() for pair in self._same_output(first, of_it, seen)}
        return [pair for pair in pairs if pair in found]

    def _same_output(self, first: Mistake, pairs: Sequence[Named], seen: Any) -> Iterator[Named]:
        """Those that give the submission's output; what the first of all of them makes of the call is computed once."""
        beside = self.answers.walked(self.program((first,)), seen)
        for pair in pairs:
            if self.answers.same_output(apply(pair, self.kata.key.oracle), seen, beside):
                yield pair


def _round(named: Named) -> bool:
    return any(mistake.rounds for mistake in named)


def _are_far(one: Any, other: Any) -> bool:
    if not (isinstance(one, Tensor) and isinstance(other, Tensor) and one.dtype == other.dtype == torch.float64):
        return False
    return one.shape == other.shape and not same(one, other, 0.0, FAR * float(one.abs().max()))
