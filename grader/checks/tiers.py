"""The tiers, in running order, and the record of one check."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from grader.records import Visibility


@dataclass(frozen=True, slots=True)
class Check:
    """One claim of a kata.

    Attributes:
        name: the claim as an identifier, with its parameters in brackets.
        claim: the line that the candidate sees.
        run: called by pytest with its fixtures.
        visibility: how much of it a candidate may see.
    """

    tier: "Tier"
    points: int
    name: str
    claim: str
    run: Callable[..., None]
    visibility: Visibility = Visibility.HIDDEN


@dataclass(frozen=True, slots=True)
class Tier:
    """A step of difficulty; call it to make a check of a function: `PADDING(points=6)(function)`.

    Attributes:
        proves: the sentence that passing the tier proves.
        needs_life: its checks first ask whether the answer depends on queries and keys at all, because their
            claims alone hold for zeros and for uniform weights too.
    """

    name: str
    proves: str
    needs_life: bool = True

    def __call__(self, points: int, **parameters: Any) -> Callable[[Callable[..., None]], Check]:
        """Makes a check of a function; its name is the claim, its docstring's first line is shown.

        Args:
            points: what the check is worth.
            parameters: arguments of the function that are no fixtures; `{name}` in the docstring shows them.
        """

        def check(function: Callable[..., None]) -> Check:
            name = function.__name__
            if parameters:
                name += f"[{', '.join(str(value) for value in parameters.values())}]"
            claim = (function.__doc__ or "").strip().splitlines()[0].format(**parameters)
            run = partial(function, **parameters) if parameters else function
            return Check(self, points, name, claim, run)

        return check


def public(*checks: Check) -> tuple[Check, ...]:
    """Checks that a candidate is given: they need no oracle, and their source does not show how a thing is written."""
    return tuple(replace(check, visibility=Visibility.PUBLIC) for check in checks)


def on_reveal(*checks: Check) -> tuple[Check, ...]:
    """Checks that need no oracle, and whose source or sizes would show too much."""
    return tuple(replace(check, visibility=Visibility.ON_REVEAL) for check in checks)


def hidden(*checks: Check) -> tuple[Check, ...]:
    """Checks that hold an answer against the oracle or PyTorch."""
    return tuple(replace(check, visibility=Visibility.HIDDEN) for check in checks)


SHAPES = Tier("shapes", "the tensors have the contract's shapes", needs_life=False)
WEIGHT_SUMS = Tier("weight sums", "the weights are a distribution over the keys")
PADDING = Tier("padding", "padded keys take no part")
CAUSAL = Tier("causal", "no query sees a later key")
NAN_SAFETY = Tier("nan safety", "a query that may see nothing, and extreme scores, give finite numbers")
GRADIENTS = Tier("gradients", "gradients reach every input and parameter, and are right")
PARITY = Tier("parity", "with the same weights, the answer is PyTorch's")

TIERS = (SHAPES, WEIGHT_SUMS, PADDING, CAUSAL, NAN_SAFETY, GRADIENTS, PARITY)
