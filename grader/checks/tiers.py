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
        proves: the sentence that passing the tier proves, with placeholders in braces for the kata's words.
        needs_liveness: its checks first ask whether the answer depends on its inputs at all, because their claims
            alone hold for zeros and for uniform weights too.
        is_by_claim: each claim is worth its weight in points, whatever the kata; other tiers share out what is left.
        is_of_parts: its claims are about parts, which may be right before the whole gives an answer; claims on the
            whole that hold do not count where nobody knows whether the answer depends on its inputs.
    """

    name: str
    proves: str
    needs_liveness: bool = True
    is_by_claim: bool = False
    is_of_parts: bool = False

    def __call__(self, weight: int = 1, **parameters: Any) -> Callable[[Callable[..., None]], Claim]:
        """Makes a claim of a function: its name becomes the claim's, and the first line of its docstring is shown.

        Args:
            weight: the claim's share of the tier's points, relative to the tier's other claims.
            parameters: arguments of the function that are no fixtures; `{name}` in the docstring shows them. Other
                placeholders in braces are filled in by the kata (`Kata.words`).
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
    """A claim about a submission, before it is worth points.

    Attributes:
        tier: the tier that it belongs to.
        name: the claim as an identifier, with its parameters in brackets.
        text: the line that the candidate sees, with placeholders in braces for parameters and the kata's words.
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
    """Marks claims as given to candidates: they need no oracle, and their source does not show how to write it."""
    return tuple(replace(claim, visibility=Visibility.PUBLIC) for claim in claims)


def on_reveal(*claims: Claim) -> tuple[Claim, ...]:
    """Marks claims as shown on reveal: they need no oracle, but their source or sizes would show too much."""
    return tuple(replace(claim, visibility=Visibility.ON_REVEAL) for claim in claims)


def hidden(*claims: Claim) -> tuple[Claim, ...]:
    """Marks claims as hidden: they compare an answer with the oracle's or PyTorch's."""
    return tuple(replace(claim, visibility=Visibility.HIDDEN) for claim in claims)


@dataclass(frozen=True, slots=True)
class OptionalWords:
    """Words that a claim contains only if the contract has a feature: `right{cross:, in cross-attention too}`."""

    holds: bool

    def __format__(self, words: str) -> str:
        return words if self.holds else ""


def with_points(
    claims: Sequence[Claim], shares: Mapping[Tier, int], words: Mapping[str, object] = NO_WORDS
) -> tuple[Check, ...]:
    """The checks of a kata in the order of its tiers, worth 100 points together.

    Args:
        claims: in any order.
        shares: the tiers in running order, each with its share of the points that the `is_by_claim` tiers leave; a
            tier without a claim leaves its share to the others.
        words: the kata's words for the placeholders in the claims' texts.

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
        # Each check is worth something: each gets one point first, then the rest is shared by weight.
        if tier.is_by_claim:
            checks += [as_check(claim, claim.weight, words) for claim in by_tier[tier]]
            continue
        extra = shared(points - len(by_tier[tier]), [claim.weight for claim in by_tier[tier]])
        checks += [as_check(claim, 1 + more, words) for claim, more in zip(by_tier[tier], extra, strict=True)]
    return tuple(checks)


def shared(whole: int, shares: Sequence[int]) -> list[int]:
    """Splits a whole number of points into whole parts, as near to their shares as whole numbers can be."""
    exact = [whole * share / sum(shares) for share in shares]
    parts = [int(part) for part in exact]
    by_rest = sorted(range(len(parts)), key=lambda place: parts[place] - exact[place])
    for place in by_rest[: whole - sum(parts)]:
        parts[place] += 1
    return parts


def as_check(claim: Claim, points: int, words: Mapping[str, object] = NO_WORDS) -> Check:
    """The check that a claim becomes with its points.

    Args:
        claim: the claim, with placeholders still in its text.
        points: the points that it is worth.
        words: the kata's words for these placeholders.
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
    "constructor, defaults, sizes, names and helpers are the contract's",
    is_by_claim=True,
    is_of_parts=True,
)
