"""The tiers, in running order, and the record of one check."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any


@dataclass(frozen=True, slots=True)
class Check:
    """One claim of a kata.

    Attributes:
        name: the claim as an identifier, with its parameters in brackets.
        claim: the line that the candidate sees.
        run: called by pytest with its fixtures.
    """

    tier: "Tier"
    points: int
    name: str
    claim: str
    run: Callable[..., None]


@dataclass(frozen=True, slots=True)
class Tier:
    """A step of difficulty; call it to make a check of a function: `PADDING(points=6)(function)`.

    Attributes:
        proves: the sentence that passing the tier proves.
        question: for an interviewer to ask where the tier failed; a kata may have another.
        needs_life: its checks first ask whether the answer depends on queries and keys at all, because their
            claims alone hold for zeros and for uniform weights too.
    """

    name: str
    proves: str
    question: str
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


SHAPES = Tier(
    "shapes",
    "the tensors have the contract's shapes",
    "With L queries and S keys, which shapes have the scores and the output, and which axis does each step work on?",
    needs_life=False,
)
WEIGHT_SUMS = Tier(
    "weight sums",
    "the weights are a distribution over the keys",
    "Over which axis do the weights sum to 1, and what would it mean if they did so over another?",
)
PADDING = Tier(
    "padding",
    "padded keys take no part",
    "Why are padded keys hidden before the softmax, and padded queries not at all?",
)
CAUSAL = Tier(
    "causal",
    "no query sees a later key",
    "Which keys may query t see, and what would training show if it saw one more?",
)
NAN_SAFETY = Tier(
    "nan safety",
    "a query that may see nothing, and extreme scores, give finite numbers",
    "What does the softmax make of a row in which everything is hidden, and where does that go in the backward pass?",
)
GRADIENTS = Tier(
    "gradients",
    "gradients reach every input and parameter, and are right",
    "Which inputs and parameters must get a gradient, and how would you check one of them by its value?",
)
PARITY = Tier(
    "parity",
    "with the same weights, the answer is PyTorch's",
    "PyTorch's layer has the same weights and another answer: how would you find the first step where the two part?",
)

TIERS = (SHAPES, WEIGHT_SUMS, PADDING, CAUSAL, NAN_SAFETY, GRADIENTS, PARITY)
