"""`repair_functional`: a colleague's `functional` to repair; contract and checks are those of `functional`."""

from collections.abc import Mapping
from typing import ClassVar

from grader.checks import tiers
from grader.checks.tiers import Tier

DRAWS = Tier("fault 1: draws", "seeded alike, it draws the weights that nn.MultiheadAttention draws", is_by_claim=True)
MASK_VALUES = Tier("fault 2: mask", "1 or True in the mask hides a key, and 0 or False shows it", is_by_claim=True)
MASK_SHAPE = Tier("fault 3: heads", "a mask (N, L, S) is the mask of each sequence, in all its heads", is_by_claim=True)


class RepairFunctional:
    """What differs from `functional`: first a tier for each planted fault, so that a report tells which remain."""

    name = "repair_functional"
    title = "A colleague's function, to be repaired until it agrees with PyTorch"
    group = "repairing"
    paper = "Vaswani et al. 2017, 3.2.2"
    question = "Two layers disagree: how do you find the first step where they part?"
    shares: ClassVar[Mapping[Tier, int]] = {
        DRAWS: 0,
        MASK_VALUES: 0,
        MASK_SHAPE: 0,
        tiers.SHAPES: 3,
        tiers.WEIGHT_SUMS: 2,
        tiers.PADDING: 7,
        tiers.CAUSAL: 8,
        tiers.NAN_SAFETY: 9,
        tiers.PARITY: 25,
        tiers.GRADIENTS: 7,
        tiers.INTERFACE: 0,
    }


KATA = RepairFunctional
