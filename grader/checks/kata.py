"""What every kata is: a contract, checks in tiers, a policy, and what only the judge knows of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from torch import Tensor

from grader.checks.draw import Draw
from grader.checks.subject import Subject
from grader.checks.tiers import Check, Claim, Tier, as_check, with_points
from grader.records import GROUPS, Contract, Policy

Fixture = Callable[[Any, Subject, Draw], Any]
"""Makes what a check asks for by the name of a parameter, of the kata, the subject and the check's inputs."""


class Circumstance(NamedTuple):
    """What some calls have and others have not."""

    holds: Callable[[Any], bool]
    """Of a record in a trace."""
    words: str
    """`calls ...` of those that have it."""
    otherwise: str
    """The same of those that have not; empty: that is no circumstance of its own."""

    @property
    def opposite(self) -> Circumstance:
        return Circumstance(lambda call: not self.holds(call), self.otherwise, self.words)


class JudgedCall(NamedTuple):
    """A record in a trace, and whether its values are the oracle's, gradients left out."""

    call: Any
    is_right: bool | None
    """None: nobody can tell."""
    walk: Any = None
    """The oracle's through a call that is not right; None: it takes none, or breaks on what it is given."""


class PartsAt(NamedTuple):
    """The first place from which a submission's values are wrong."""

    sentence: str
    steps: frozenset[str] = frozenset()
    """Of the oracle, that may be done wrong there; empty: nothing is known of them."""


class Panels(NamedTuple):
    """One wrong call as a picture: what was got and expected, a panel for each head."""

    what: str
    call: str
    axes: tuple[str, str]
    titles: tuple[str, ...]
    got: Tensor
    """(panels, rows, columns)."""
    expected: Tensor
    hidden: Tensor | None
    """bool, of the same shape; None: no mask, or the cells are no weights."""
    of: Any
    """The call."""


class Raise(NamedTuple):
    """What the submission raised in a check."""

    check: str
    message: str
    """With the exception's type."""
    where: str
    """In its source."""
    call: Any
    """Of the kata's own records; None: it is not known."""
    what: str = ""
    """Was asked, with the shapes of its arguments."""


class AnswerKey(ABC):
    """What the judge alone knows of a kata: a program that is right, and mistakes to replay. A kit has none.

    Attributes:
        oracle: the right program, a record of steps with a method `but` that replaces some.
        mistakes: the catalogue, the more special before the more general.
        questions: for an interviewer to ask where a tier failed, by the tier's name.
        calls: the kind of record in a trace that the program can answer.
    """

    calls: ClassVar[type]

    oracle: Any
    mistakes: Sequence[Any]
    questions: Mapping[str, str]

    @abstractmethod
    def fixtures(self, kata: Kata, program: Any, trace: Any, drawn: Sequence[Any]) -> dict[str, Any]:
        """What a check is given when it is replayed with a program in the submission's place, by the fixtures' names.

        Args:
            kata: whose check it is.
            program: the oracle, with steps replaced.
            trace: records what it returns.
            drawn: what the fixtures drew when the submission was checked.
        """

    @abstractmethod
    def answer(self, kata: Kata, program: Any, call: Any, walk: Any = None) -> list[Any]:
        """What a program returns in one call of a trace, gradients too where they were asked for.

        Args:
            kata: whose check made the call.
            program: the oracle, with steps replaced.
            call: of the kind `calls`.
            walk: of this program through this call, where one was begun; gradients have none.
        """

    def right_values(self, kata: Kata, call: Any) -> list[Any] | None:
        """What is right to return in a call, gradients left out, as a check mostly had it; empty: the oracle breaks.

        Args:
            kata: whose check made the call.
            call: of the kind `calls`.

        Returns:
            None: nothing is kept, or what is right draws numbers.
        """
        return None

    def walk(self, program: Any, call: Any, beside: Any = None) -> Any:
        """Begins a program's walk through a call, step by step; None: what it has in common with another is not known.

        Args:
            program: the oracle, with steps replaced.
            call: of the kind `calls`.
            beside: another program's walk through it, where that came to an end.
        """
        return None

    def is_refuted(self, kata: Kata, program: Any, call: Any, walk: Any, rtol: float, atol: float) -> bool:
        """What a program returns first is already another value than the submission's, in whatever style.

        Args:
            kata: whose check made the call.
            program: the oracle, with steps replaced.
            call: of the kind `calls`.
            walk: of this program through this call; what is computed stays in it.
            rtol: relative tolerance.
            atol: absolute tolerance.
        """
        return False

    def place(self, mistake: Any) -> int:
        """Where the first step that a mistake changes stands in a walk."""
        return 0

    @abstractmethod
    def returned(self, call: Any) -> list[Any]:
        """What the submission returned in the call, in the same order."""

    def size(self, call: Any) -> int:
        """How many numbers a program computes in a call at least: those that the submission returned."""
        return sum(value.numel() for value in self.returned(call) if isinstance(value, Tensor))

    @abstractmethod
    def is_comparable(self, kata: Kata, call: Any) -> bool:
        """Whether all right programs answer the call alike, and nothing but the mistake in question matters there."""

    @abstractmethod
    def is_exact(self, call: Any) -> bool:
        """Whether the call was answered in full precision, with nothing drawn."""

    def is_one_hot(self, call: Any) -> bool:
        """Whether each query has to look at one key alone in the call: there many mistakes give the same values."""
        return False

    def rounding(self, call: Any) -> tuple[float, float] | None:
        """How far a right answer to a call may be off, (rtol, atol); None: right programs answer it differently."""
        return None

    def slack(self, kata: Kata, call: Any) -> float:
        """How many times as far as elsewhere a right answer to a call may be off."""
        return 1.0

    def circumstances(self, kata: Kata, wrong: Sequence[Any], right: Sequence[Any]) -> Iterable[Circumstance]:
        """What may set the wrong calls of a submission apart from its right ones, the simpler first.

        Args:
            kata: whose checks made the calls.
            wrong: calls; none where a check failed that asks a helper of the contract alone.
            right: others.
        """
        return ()

    def histories(self) -> Iterable[Circumstance]:
        """As above, of what came before a call, which a mistake that is replayed knows nothing of."""
        return ()

    def parts_at(
        self, kata: Kata, failed: Sequence[Sequence[JudgedCall]], passed: Sequence[JudgedCall]
    ) -> PartsAt | None:
        """The first place from which values are wrong, proven by what is right; None: none is.

        Args:
            kata: whose checks made the calls.
            failed: the calls of each check that failed on values.
            passed: the calls of those that passed.
        """
        return None

    def panels(self, kata: Kata, wrong: Sequence[JudgedCall]) -> Panels | None:
        """The smallest of these calls that says most in a picture; None: none is small enough to be read.

        Args:
            kata: whose checks made the calls.
            wrong: calls whose values are wrong.
        """
        return None

    def in_own_weights(self, calls: Iterable[Any], looked_at: str) -> Any:
        """The mistake in weights that are the submission's own: their values or their shape; None: none is proven.

        Args:
            calls: of the check that failed.
            looked_at: by the claim that does not hold.
        """
        return None

    def asked(self, call: Any) -> object:
        """What two calls have in common that were made of the same inputs, with and without the weights."""
        return id(call)

    def kept_from_before(self, calls: Sequence[JudgedCall]) -> Any:
        """The mistake that what was given in an earlier call is used again; None: none is proven.

        Args:
            calls: of a check that failed, in order.
        """
        return None

    def raised_mistakes(self, kata: Kata, raises: Sequence[Raise]) -> Mapping[str, Any]:
        """The mistakes that exceptions tell, by the check's name; none where they say no more than their own words.

        Args:
            kata: whose checks ended by them.
            raises: what was raised.
        """
        return {}

    def drew(self, call: Any) -> bool:
        """Whether the program that answered the call just now drew numbers, so that right answers differ."""
        return False

    def variants(
        self, kata: Kata, program: Any, walks: Sequence[tuple[Any, Any]] = (), in_helpers: Collection[str] = ()
    ) -> list[Any]:
        """A program with mistakes in the styles in which right programs differ, the commonest first.

        Args:
            kata: whose contract allows them.
            program: the oracle, with steps replaced.
            walks: calls, each with the program's walk through it; styles that differ in none of them are left out.
                Without any, all styles are given.
            in_helpers: steps taken in a check of helpers alone; empty: it calls no helper, or its steps have no names.
        """
        return [program]

    def noting(self, taken: set[str]) -> Any:
        """The oracle, which adds the names of the steps that it takes; as it is where its steps have none."""
        return self.oracle

    def style_of_the_output(self, program: Any) -> Any:
        """What of a variant's style its output may depend on."""
        return program

    def differ(self, kata: Kata, program: Any, call: Any, walk: Any, beside: Any = None) -> bool:
        """Whether the variants of a program may answer a call each in its own way.

        Args:
            kata: whose contract allows them.
            program: the oracle, with steps replaced.
            call: of the kind `calls`.
            walk: the program's walk through the call, to its end.
            beside: the oracle's.
        """
        return False

    def constants(self, kata: Kata, call: Any) -> Iterable[Any]:
        """Mistakes with a constant that is read off the values of a call.

        Args:
            kata: whose check made the call.
            call: of the kind `calls`, in which the submission was wrong; None: a check of functions, which has none.
        """
        return ()

    def only_where(self, mistake: Any, circumstance: Circumstance, *, in_no_others: bool) -> Any:
        """A mistake made in some calls.

        Args:
            mistake: one of the catalogue.
            circumstance: of the calls in which it is made.
            in_no_others: that is proven.
        """
        raise NotImplementedError("there are no circumstances")

    def section(self, mistake: Any) -> Any:
        """Where the notebook speaks of it."""
        return mistake.section


class Kata(ABC):
    """One task. A subclass fills in the attributes; no method runs a submission.

    Args:
        claims: what is checked; the tiers' points are shared out among them.
        key: what the judge alone knows; None in a kit.
        points: of each check by name, where they are known already, as in a kit; None: they are shared out.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    group: ClassVar[str] = GROUPS[0]
    paper: ClassVar[str] = "Vaswani et al. 2017"
    question: ClassVar[str] = ""
    """What an interviewer asks about it."""
    mask: ClassVar[str] = "none"
    """The mask convention in one line, for tables."""
    contract: ClassVar[Contract]
    policy: ClassVar[Policy] = Policy()
    shares: ClassVar[Mapping[Tier, int]]
    """The tiers in running order, each with its share of the points; those without a check leave theirs to others."""
    fixtures: ClassVar[Mapping[str, Fixture]] = {}
    """What a check may ask for beside `subject` and `draw`, by name."""
    liveness: ClassVar[tuple[Claim, ...]] = ()
    """Claims of which one has to hold before a check that needs liveness can pass; none: it is not asked."""

    def __init__(self, claims: Sequence[Claim], key: Any = None, points: Mapping[str, int] | None = None) -> None:
        self.claims, self.key = tuple(claims), key
        in_order = [claim for tier in self.shares for claim in claims if claim.tier is tier]
        self.checks: tuple[Check, ...] = (
            with_points(claims, self.shares, self.words)
            if points is None
            else tuple(as_check(claim, points[claim.name], self.words) for claim in in_order)
        )

    @property
    def words(self) -> Mapping[str, object]:
        """What the contract says in the texts of claims that several katas make, by the names in braces there."""
        return {}

    def proves(self, tier: Tier) -> str:
        """The sentence that passing the tier proves."""
        return tier.proves.format(**self.words)

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """Those that have a check, in running order."""
        return tuple(tier for tier in self.shares if any(check.tier is tier for check in self.checks))
