"""What every kata consists of: a contract, checks in tiers, a policy, and what only the judge knows of it."""

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
"""Makes the value that a check asks for by a parameter's name, from the kata, the subject and the check's `Draw`."""


class Circumstance(NamedTuple):
    """A property that some calls have and others do not."""

    holds: Callable[[Any], bool]
    """Whether a call, as its record in a trace, has the property."""
    words: str
    """What follows `calls` to describe those that have it: `with a mask`."""
    otherwise: str
    """The same for the calls that do not have it; empty: that is no circumstance of its own."""

    @property
    def opposite(self) -> Circumstance:
        return Circumstance(lambda call: not self.holds(call), self.otherwise, self.words)


class JudgedCall(NamedTuple):
    """A call, as its record in a trace, and whether its values are the oracle's, gradients left out."""

    call: Any
    is_right: bool | None
    """None: nobody can tell."""
    walk: Any = None
    """The oracle's walk through the call; None: none was needed, it takes none, or it breaks on the call's inputs."""


class PartsAt(NamedTuple):
    """The first place from which a submission's values are wrong."""

    sentence: str
    steps: frozenset[str] = frozenset()
    """The oracle's steps that may be done wrong there; empty: nothing is known of them."""


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
    """bool, of the same shape, True where a mask hides the cell; None: no mask, or the cells are not weights."""
    of: Any
    """The call that is shown."""


class Raise(NamedTuple):
    """What the submission raised in a check."""

    check: str
    message: str
    """The exception's message, with its type."""
    where: str
    """The place in the submission's source."""
    call: Any
    """The call that raised, as a record of the kata's own type; None: it is not known."""
    what: str = ""
    """What the submission was asked to do, with the shapes of the arguments."""


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
        """The fixtures, by name, of a check that is replayed with a program in the submission's place.

        Args:
            kata: whose check it is.
            program: the oracle, with steps replaced.
            trace: records what the program returns.
            drawn: what the fixtures drew when the submission was checked.
        """

    @abstractmethod
    def answer(self, kata: Kata, program: Any, call: Any, walk: Any = None) -> list[Any]:
        """What a program returns in one call of a trace, gradients too where they were asked for.

        Args:
            kata: whose check made the call.
            program: the oracle, with steps replaced.
            call: of the kind `calls`.
            walk: this program's walk through the call, where one was begun; gradients have none.
        """

    def right_values(self, kata: Kata, call: Any) -> list[Any] | None:
        """The right values of a call, gradients left out, mostly known from the check; empty: the oracle breaks.

        Args:
            kata: whose check made the call.
            call: of the kind `calls`.

        Returns:
            The values; None: none are kept, or the right answer depends on drawn numbers.
        """
        return None

    def walk(self, program: Any, call: Any, beside: Any = None) -> Any:
        """Begins a program's walk through a call, step by step; None: the program cannot share steps with another.

        Args:
            program: the oracle, with steps replaced.
            call: of the kind `calls`.
            beside: another program's finished walk through the call, to reuse the steps in common; None: there is none.
        """
        return None

    def is_refuted(self, kata: Kata, program: Any, call: Any, walk: Any, rtol: float, atol: float) -> bool:
        """Whether the first value that a program returns differs from the submission's in every style.

        Args:
            kata: whose check made the call.
            program: the oracle, with steps replaced.
            call: of the kind `calls`.
            walk: this program's walk through the call, which keeps what is computed.
            rtol: relative tolerance.
            atol: absolute tolerance.
        """
        return False

    def place(self, mistake: Any) -> int:
        """The position in a walk of the first step that a mistake changes."""
        return 0

    @abstractmethod
    def returned(self, call: Any) -> list[Any]:
        """What the submission returned in the call, in the order of `answer`."""

    def size(self, call: Any) -> int:
        """The least number of values that a program computes in a call: as many as the submission returned."""
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
        """The factor by which a right answer to this call may be further off than elsewhere."""
        return 1.0

    def circumstances(self, kata: Kata, wrong: Sequence[Any], right: Sequence[Any]) -> Iterable[Circumstance]:
        """What may set the wrong calls of a submission apart from its right ones, the simpler first.

        Args:
            kata: whose checks made the calls.
            wrong: the wrong calls; empty where the failed check calls only a helper of the contract.
            right: the right calls.
        """
        return ()

    def histories(self) -> Iterable[Circumstance]:
        """Circumstances in what came before a call, which a replayed mistake knows nothing of."""
        return ()

    def parts_at(
        self, kata: Kata, failed: Sequence[Sequence[JudgedCall]], passed: Sequence[JudgedCall]
    ) -> PartsAt | None:
        """The first place from which values are wrong, proven by what is right; None: no place is proven.

        Args:
            kata: whose checks made the calls.
            failed: the calls of each check that failed on values.
            passed: the calls of the checks that passed.
        """
        return None

    def panels(self, kata: Kata, wrong: Sequence[JudgedCall]) -> Panels | None:
        """A picture of the smallest of these calls that shows the most; None: none is small enough to be read.

        Args:
            kata: whose checks made the calls.
            wrong: calls whose values are wrong.
        """
        return None

    def in_own_weights(self, calls: Iterable[Any], looked_at: str) -> Any:
        """The mistake in the values or the shape of the submission's own weights; None: none is proven.

        Args:
            calls: of the check that failed.
            looked_at: what the claim that does not hold looked at.
        """
        return None

    def input_identity(self, call: Any) -> object:
        """A key that is equal for two calls on the same inputs, one with and one without the weights."""
        return id(call)

    def kept_from_before(self, calls: Sequence[JudgedCall]) -> Any:
        """The mistake of using what an earlier call was given; None: it is not proven.

        Args:
            calls: of a check that failed, in order.
        """
        return None

    def raised_mistakes(self, kata: Kata, raises: Sequence[Raise]) -> Mapping[str, Any]:
        """The mistakes that exceptions prove, by the check's name; an exception that proves none is left out.

        Args:
            kata: whose checks ended with the exceptions.
            raises: what was raised.
        """
        return {}

    def drew(self, call: Any) -> bool:
        """Whether the program that answered the call just now drew numbers, so that right answers differ."""
        return False

    def variants(
        self, kata: Kata, program: Any, walks: Sequence[tuple[Any, Any]] = (), in_helpers: Collection[str] = ()
    ) -> list[Any]:
        """The program in each of the styles in which right programs differ, the commonest first.

        Args:
            kata: whose contract allows the styles.
            program: the oracle, with steps replaced.
            walks: calls, each with the program's walk through it; styles that differ in none of them are left out.
                Without any, all styles are given.
            in_helpers: the steps taken in a check of helpers alone; empty: the check calls no helper, or the steps have
                no names.
        """
        return [program]

    def noting(self, taken: set[str]) -> Any:
        """The oracle, adding the name of each step that it takes to `taken`; as it is where its steps have no names."""
        return self.oracle

    def style_of_the_output(self, program: Any) -> Any:
        """The part of a variant's style that its output may depend on."""
        return program

    def differ(self, kata: Kata, program: Any, call: Any, walk: Any, beside: Any = None) -> bool:
        """Whether the variants of a program may give different answers to a call.

        Args:
            kata: whose contract allows the variants.
            program: the oracle, with steps replaced.
            call: of the kind `calls`.
            walk: the program's walk through the call, to its end.
            beside: the oracle's walk through the call.
        """
        return False

    def constants(self, kata: Kata, call: Any) -> Iterable[Any]:
        """Mistakes with a constant that is read off the values of a call.

        Args:
            kata: whose check made the call.
            call: of the kind `calls`, in which the submission was wrong; None: a check of functions has no such call.
        """
        return ()

    def only_where(self, mistake: Any, circumstance: Circumstance, *, in_no_others: bool) -> Any:
        """The same mistake, made only in some calls.

        Args:
            mistake: one of the catalogue.
            circumstance: of the calls in which it is made.
            in_no_others: whether it is proven that no other calls have the mistake.
        """
        raise NotImplementedError("there are no circumstances")

    def section(self, mistake: Any) -> Any:
        """The section of the notebook that covers the mistake."""
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
    """Claims of which one has to hold before a check that needs liveness can pass; empty: liveness is not asked."""

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
        """The kata's words for the placeholders in claims that several katas make, by the name in braces."""
        return {}

    def proves(self, tier: Tier) -> str:
        """The sentence that passing the tier proves."""
        return tier.proves.format(**self.words)

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """The tiers that have a check, in running order."""
        return tuple(tier for tier in self.shares if any(check.tier is tier for check in self.checks))
