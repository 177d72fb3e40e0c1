"""`scaffold`: the checks that a kit does not show, the oracle and the mistakes."""

from typing import Any

import torch
from torch import Tensor

from grader.checks import tiers
from grader.checks.case import Size
from grader.claims.hidden import helpers, profile
from grader.katas.scaffold.contract import KATA
from grader.oracle import catalogue, pipeline
from grader.oracle.attention_key import AttentionKey
from grader.oracle.pipeline import HelperContext, Steps


def helper(steps: Steps, size: Size, name: str, args: tuple[Any, ...]) -> Tensor:
    """What a helper of the contract returns, by the steps of a pipeline.

    Args:
        steps: of the oracle, or of a mistake.
        size: how the layer is built.
        name: of the helper.
        args: the helper's, in the contract's order; a mask is bool or float, (L, S) or (N, 1, L, S).
    """
    match name, *args:
        case "_split_heads", x:
            return steps.split(x, HelperContext.of(size))
        case "_merge_heads", x:
            return steps.merge(x, HelperContext.of(size))
        case "_apply_masks", logits, mask, keep:
            name = "allow" if mask is None or mask.dtype == torch.bool else "bias"
            return steps.mask(logits, HelperContext.of(size, steps.style, keep=keep, **{name: mask}))
    return steps.causal(*args[:2])


CLAIMS = (
    *profile.hidden(KATA),
    *tiers.on_reveal(
        tiers.INTERFACE()(helpers.split_heads_gives_each_head_its_slice),
        tiers.INTERFACE()(helpers.merge_heads_undoes_split_heads),
        tiers.INTERFACE()(helpers.apply_masks_keeps_what_may_be_seen),
    ),
    *tiers.hidden(tiers.INTERFACE()(helpers.apply_masks_takes_a_float_mask_or_none)),
)
KEY = AttentionKey(
    oracle=pipeline.PER_HEAD.but(give=pipeline.give_average),
    mistakes=catalogue.of(KATA),
    helper=helper,
)
