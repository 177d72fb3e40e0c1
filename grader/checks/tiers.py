"""Tiers, the claims that are made in them, and how the points of a kata are shared out among its checks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from grader.records import Visibility

FULL = 100
"""Points of a kata."""
NO_WORDS: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Tier:
    """A step of difficulty; call it to make a claim of a function: `PADDING(weight=3)(function)`.

    Attributes:
        name: shown in reports.
        proves: the sentence that passing the tier proves, with the kata's words in braces as in a claim.
        needs_liveness: its checks first ask whether the answer depends on its inputs at all, because their claims
            alone hold for zeros and for uniform weights too.
        is_by_claim: each claim is worth its weight in points, whatever the kata; other tiers share out what is left.
        is_of_parts: its claims are of parts, which may be right before the whole answers; others are not believed
            where nobody knows whether the answer depends on its inputs.
    """

    name: str
    proves: str
    needs_liveness: bool = True
    is_by_claim: bool = False
    is_of_parts: bool = False

    def __call__(self, weight: int = 1, **parameters: Any) -> Callable[[Callable[..., None]], Claim]:
        """Makes a claim of a function; its name is the claim, its docstring's first line is shown.

        Args:
            weight: its share of the tier's points, beside those of the tier's other claims.
            parameters: arguments of the function that are no fixtures; `{name}` in the docstring shows them. What
                else stands in braces there, a kata fills in (`Kata.words`).
        """

        def claim(function: Callable[..., None]) -> Claim:
            name = function.__name__
            if parameters:
                name += f"[{', '.join(str(value) for value in parameters.values())}]"
            text = (function.__doc__ or "").strip().splitlines()[0]
            run = partial(function, **parameters) if parameters else function
            return Claim(self, name, text, run, weight)

        return claim


@dataclass(frozen=True, slots=True)
class Claim:
    """What is claimed of a submission, before it is worth points.

    Attributes:
        tier: where it stands.
        name: the claim as an identifier, with its parameters in brackets.
        text: the line that the candidate sees, with parameters and the kata's words still in braces.
        run: called with the fixtures that its parameters name; raises `Mismatch` where the claim does not hold.
        weight: its share of the tier's points.
        visibility: how much of it a candidate may see.
    """

    tier: Tier
    name: str
    text: str
    run: Callable[..., None]
    weight: int = 1
    visibility: Visibility = Visibility.HIDDEN


@dataclass(frozen=True, slots=True)
class Check:
    """One claim of a kata, with its points.

    Attributes:
        needs: the names of the fixtures that `run` is given.
    """

    tier: Tier
    points: int
    name: str
    claim: str
    run: Callable[..., None]
    visibility: Visibility = Visibility.HIDDEN
    needs: tuple[str, ...] = ()


def public(*claims: Claim) -> tuple[Claim, ...]:
    """Claims that a candidate is given: they need no oracle, and their source does not show how a thing is written."""
    return tuple(replace(claim, visibility=Visibility.PUBLIC) for claim in claims)


def on_reveal(*claims: Claim) -> tuple[Claim, ...]:
    """Claims that need no oracle, and whose source or sizes would show too much."""
    return tuple(replace(claim, visibility=Visibility.ON_REVEAL) for claim in claims)


def hidden(*claims: Claim) -> tuple[Claim, ...]:
    """Claims that hold an answer against the oracle or PyTorch."""
    return tuple(replace(claim, visibility=Visibility.HIDDEN) for claim in claims)


@dataclass(frozen=True, slots=True)
class OptionalWords:
    """What a claim says only if the contract has something: `right{cross:, in cross-attention too}`."""

    holds: bool

    def __format__(self, words: str) -> str:
        return words if self.holds else ""


def with_points(
    claims: Sequence[Claim], shares: Mapping[Tier, int], words: Mapping[str, object] = NO_WORDS
) -> tuple[Check, ...]:
    """The checks of a kata in the order of its tiers, worth 100 points together.

    Args:
        claims: in any order.
        shares: the tiers in running order with their shares of what those that go by claim leave; those without a
            claim leave theirs to the others.
        words: the kata's, for the claims' texts.

    Raises:
        ValueError: a tier has fewer points than claims, or a claim is of no tier in `shares`.
    """
    strangers = sorted({claim.tier.name for claim in claims if claim.tier not in shares})
    if strangers:
        raise ValueError(f"the tier {strangers[0]} has no share of the points: give it one")
    by_tier = {tier: [claim for claim in claims if claim.tier is tier] for tier in shares}
    by_claim = {tier: sum(claim.weight for claim in by_tier[tier]) for tier in shares if tier.is_by_claim}
    others = [tier for tier in shares if by_tier[tier] and not tier.is_by_claim]
    left = FULL - sum(by_claim.values())
    of_tiers = by_claim | dict(zip(others, shared(left, [shares[tier] for tier in others]), strict=True))
    checks: list[Check] = []
    for tier in (tier for tier in shares if by_tier[tier]):
        points = of_tiers[tier]
        if points < len(by_tier[tier]):
            raise ValueError(f"the tier {tier.name} has {points} points for {len(by_tier[tier])} claims: share more")
        # Each is worth something: first a point for all, then what is left by weight.
        if tier.is_by_claim:
            checks += [as_check(claim, claim.weight, words) for claim in by_tier[tier]]
            continue
        extra = shared(points - len(by_tier[tier]), [claim.weight for claim in by_tier[tier]])
        checks += [as_check(claim, 1 + more, words) for claim, more in zip(by_tier[tier], extra, strict=True)]
    return tuple(checks)


def shared(whole: int, shares: Sequence[int]) -> list[int]:
    """A whole number of points in parts that are as near to their shares as whole numbers can be."""
    exact = [whole * share / sum(shares) for share in shares]
    parts = [int(part) for part in exact]
    by_rest = sorted(range(len(parts)), key=lambda place: parts[place] - exact[place])
    for place in by_rest[: whole - sum(parts)]:
        parts[place] += 1
    return parts


def as_check(claim: Claim, points: int, words: Mapping[str, object] = NO_WORDS) -> Check:
    """A claim with its points.

    Args:
        claim: as it was made.
        points: that it is worth.
        words: the kata's, for the claim's text.
    """
    given = claim.run.keywords if isinstance(claim.run, partial) else {}
    parameters = inspect.signature(claim.run).parameters.values()
    needs = tuple(each.name for each in parameters if each.name not in given and each.default is each.empty)
    text = claim.text.format(**{**words, **given})
    return Check(claim.tier, points, claim.name, text, claim.run, claim.visibility, needs)


SHAPES = Tier("shapes", "the tensors have the contract's shapes", needs_liveness=False)
WEIGHT_SUMS = Tier("weight sums", "the weights are a distribution over the keys")
PADDING = Tier("padding", "padded keys take no part")
CAUSAL = Tier("causal", "no query sees a later key")
NAN_SAFETY = Tier("nan safety", "{masks:fully masked rows and }extreme scores give finite numbers")
PARITY = Tier("parity", "with the same weights, the answer is PyTorch's")
GRADIENTS = Tier("gradients", "gradients reach every input and parameter, and are right")
MEMORY = Tier("memory", "where the weights are not wanted, nothing of their size stays alive", is_by_claim=True)
INTERFACE = Tier(
    "interface",
    "constructor, defaults, refused sizes, argument names, helpers",
    is_by_claim=True,
    is_of_parts=True,
)
