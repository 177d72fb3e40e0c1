"""What programs of the judge return in the calls that a submission answered, held against what it returned."""

from collections.abc import Iterator, Sequence
from typing import Any

from torch import Tensor

from grader.checks.kata import Kata
from grader.judge.diagnosis.replay import all_same

LOOSE = (1e-4, 1e-5)
"""(rtol, atol): what a step in float32 costs is no contradiction."""


class Answers:
    """The steps that a program has in common with the oracle are taken once for each call.

    Args:
        kata: whose checks made the calls. They must stay alive, for an answer is kept by the call's identity.
    """

    def __init__(self, kata: Kata) -> None:
        self.kata = kata
        self._walks = dict[int, Any]()
        self._right = dict[int, list[Any]]()
        self._comparable = dict[int, bool]()
        self._latest: tuple[Any, Any, Any] = None, None, None
        """A program, a call, and what it returned in it: several questions follow one another."""

    def values(self, program: Any, call: Any, beside: Any = None) -> list[Any]:
        """What this program returns in a call, gradients left out; nothing where it breaks on its shapes.

        Args:
            program: the oracle, with steps replaced.
            call: of the kind that the kata's key can answer.
            beside: the walk of a program that has more in common with this one than the oracle.
        """
        return self._walked(program, call, beside)[0]

    def walked(self, program: Any, call: Any) -> Any:
        """The walk of this program through a call; None where it breaks on its shapes."""
        values, walk = self._walked(program, call)
        return walk if values else None

    def of(self, program: Any, call: Any) -> list[Any]:
        """What this program returns in a call, gradients too; nothing where it breaks on its shapes."""
        values, walk = self._walked(program, call)
        return values and self._with_gradients(program, call, values, walk)

    def agree(self, program: Any, call: Any, rtol: float = 1e-5, atol: float = 1e-6) -> bool | None:
        """Whether this program returns what the submission did, gradients too; None where it breaks on its shapes.

        Args:
            program: the oracle, with steps replaced.
            call: of the kind that the kata's key can answer.
            rtol: relative tolerance.
            atol: absolute tolerance.
        """
        values, walk = self._walked(program, call)
        if not values:
            return None
        atol *= self.slack(call)
        if not all_same(values, self.returned(call), rtol, atol):
            return False
        whole = self._with_gradients(program, call, values, walk)
        return all_same(whole, self.kata.key.returned(call), rtol, atol) if whole else None

    def same_values(self, program: Any, call: Any, rtol: float = 1e-5, atol: float = 1e-6) -> bool:
        """Whether this program returns what the submission did, gradients left out; arguments as of `agree`."""
        return all_same(self.values(program, call), self.returned(call), rtol, atol * self.slack(call))

    def likes(self, ways: Sequence[Any], call: Any, rtol: float, atol: float) -> Iterator[Any]:
        """Those ways of one program, of which the first is known to be another, that return what the submission did.

        Args:
            ways: the program in each style.
            call: of the kind that the kata's key can answer.
            rtol: relative tolerance.
            atol: absolute tolerance.
        """
        key, output, near = self.kata.key, self.returned(call)[:1], atol * self.slack(call)
        first, beside = self._walked(ways[0], call)
        refuted = set() if all_same(first[:1], output, rtol, near) else {key.style_of_the_output(ways[0])}
        for way in ways[1:]:
            style = key.style_of_the_output(way)
            if style in refuted:
                continue
            if not all_same(self.values(way, call, beside if first else None)[:1], output, rtol, near):
                refuted.add(style)
            elif self.agree(way, call, rtol, atol):
                yield way

    def is_untouched(self, program: Any, call: Any) -> bool:
        """This program returns what the oracle does, gradients too, bit for bit."""
        walk = self._walked(program, call)[1]
        return walk is not None and (walk.is_the_same or (walk.has_joined and call.cotangent is None))

    def slack(self, call: Any) -> float:
        """How many times as far as elsewhere a right answer may be off."""
        return self.kata.key.slack(self.kata, call)

    def returned(self, call: Any) -> list[Any]:
        """What the submission returned, gradients left out."""
        return self.kata.key.returned(_valued(call))

    def size(self, call: Any) -> int:
        """How many numbers the submission returned, gradients left out."""
        return sum(value.numel() for value in self.returned(call) if isinstance(value, Tensor))

    def contradict(self, program: Any, call: Any) -> bool:
        """Whether the submission clearly returned other values than this program, in whatever style, in a call.

        Where the program's own styles differ, the submission may have one that is not among them.
        """
        key = self.kata.key
        if id(call) not in self._comparable:
            self._comparable[id(call)] = key.is_comparable(self.kata, call)
        if not self._comparable[id(call)] or self.agree(program, call, *LOOSE) is not False or key.drew(call):
            return False
        return not self.differ(program, call)

    def differ(self, program: Any, call: Any) -> bool:
        """Whether the styles of this program may answer a call each in its own way."""
        values, walk = self._walked(program, call)
        return bool(values) and self.kata.key.differ(self.kata, program, call, walk, self._beside(call))

    def _walked(self, program: Any, call: Any, beside: Any = None) -> tuple[list[Any], Any]:
        if beside is None and self._latest[0] is program and self._latest[1] is call:
            return self._latest[2]
        walk = self.kata.key.walk(program, call, beside or self._beside(call))
        walked = self._answer(program, _valued(call), walk), walk
        if beside is None:
            self._latest = program, call, walked
        return walked

    def _with_gradients(self, program: Any, call: Any, values: list[Any], walk: Any) -> list[Any]:
        if call.cotangent is None:
            return values
        if walk is None or not walk.is_the_same:
            return self._answer(program, call)
        if id(call) not in self._right:
            self._right[id(call)] = self._answer(self.kata.key.oracle, call)
        return self._right[id(call)]

    def _beside(self, call: Any) -> Any:
        """The oracle's walk through the call; None: there is none to go beside."""
        if id(call) not in self._walks:
            oracle = self.kata.key.oracle
            walk = self.kata.key.walk(oracle, call)
            self._walks[id(call)] = walk if walk and self._answer(oracle, _valued(call), walk) else None
        return self._walks[id(call)]

    def _answer(self, program: Any, call: Any, walk: Any = None) -> list[Any]:
        try:
            return self.kata.key.answer(self.kata, program, call, walk)
        except Exception:
            return []


def _valued(call: Any) -> Any:
    return call._replace(cotangent=None, gradients=None)
