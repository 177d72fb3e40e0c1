"""`scaled_dot_product`: the checks that a kit does not show, the oracle and the mistakes."""

import torch
import torch.nn.functional as F

from grader.checks import tiers
from grader.checks.attention import MakeAttention
from grader.checks.case import Answer, Case, Projections, Size
from grader.checks.draw import Draw, striped
from grader.claims.hidden import gradients, parity, profile
from grader.katas.scaled_dot_product.contract import KATA, shown_flat
from grader.oracle import catalogue, pipeline
from grader.oracle.attention_key import AttentionKey
from grader.oracle.catalogue.two_paths import weights_without_mask
from grader.oracle.mistake import Step


@tiers.PARITY(weight=2)
def a_mask_for_every_head(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention a mask (H, L, S) is laid over (N, H, L, S), each head with its own; values may be wider."""
    attend = attention(embed_dim=6, num_heads=1)
    case = Case(draw.tensor(2, 4, 5, 6), draw.tensor(2, 4, 7, 6), draw.tensor(2, 4, 7, 10))
    case = case.but(allow=draw.allow(4, 5, 7)[None])
    parity.equals_pytorch(attend, case)
    narrow = attention(embed_dim=6, num_heads=1, dtype=torch.float32)  # what models are run in
    parity.equals_itself_in_float64(narrow, case.but(**{name: x.float() for name, x in case.streams().items()}))


@tiers.PARITY()
def heads_of_any_size(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention with narrow heads and wide ones, and any leading axes, the output equals PyTorch's."""
    attend = attention(embed_dim=6, num_heads=1)
    for width in (1, 2, 3, 7, 20, 32, 64, 65, 130):
        parity.equals_pytorch(attend, Case(draw.tensor(2, 3, 5, width), draw.tensor(2, 3, 7, width)))
    for lead in ((), (3,), (3, 2), (2, 3, 4), (2, 1, 3, 2)):
        for values in (4, 10):
            case = Case(draw.tensor(*lead, 5, 6), draw.tensor(*lead, 7, 6), draw.tensor(*lead, 7, values))
            for allow in (None, striped(5, 7)):
                parity.equals_pytorch(attend, case.but(allow=allow, strided=True))


@tiers.PARITY()
def masks_broadcast(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention masks of every shape that broadcasts to (N, H, L, S) hide the same keys."""
    attend = attention(embed_dim=6, num_heads=1)
    case = Case(draw.tensor(2, 3, 5, 6), draw.tensor(2, 3, 7, 6), draw.tensor(2, 3, 7, 6))
    for lead in ((), (5,), (1, 5), (3, 5), (3, 1), (2, 1, 5), (2, 1, 1), (1, 3, 5), (2, 3, 5), (2, 3, 1)):
        parity.equals_pytorch(attend, case.but(allow=striped(*lead, 7), mask_dtype=torch.bool))


@tiers.PARITY()
def weights_with_any_leading_axes(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention with any leading axes and masks of any shape, the weights returned equal PyTorch's."""
    attend = attention(embed_dim=6, num_heads=1)
    for lead in ((), (3, 2), (2, 3, 4)):
        case = Case(draw.tensor(*lead, 5, 6), draw.tensor(*lead, 7, 6), draw.tensor(*lead, 7, 10))
        for allow in (None, striped(5, 7), striped(*lead, 1, 7), striped(*lead[1:], 5, 7)):
            parity.weights_equal_pytorchs(attend, case.but(allow=allow))


def of_pytorch(case: Case, size: Size, weights: Projections) -> Answer:
    """PyTorch's answer; the weights are read off one-hot values.

    Args:
        case: the call.
        size: gives the dtype.
        weights: not used; the function has none.
    """
    shown = shown_flat(case)
    shown = shown if shown is None else torch.atleast_2d(shown)
    one_hot = torch.eye(case.keys.shape[-2], dtype=size.dtype).expand(*case.keys.shape[:-1], -1)
    return Answer(
        F.scaled_dot_product_attention(case.query, case.keys, case.values, shown),
        F.scaled_dot_product_attention(case.query, case.keys, one_hot, shown),
    )


CLAIMS = (
    *profile.hidden(KATA),
    *tiers.hidden(
        tiers.GRADIENTS()(gradients.of_the_inputs_with_any_leading_axes),
        heads_of_any_size,
        masks_broadcast,
        weights_with_any_leading_axes,
        a_mask_for_every_head,
    ),
)
STEPS: dict[str, Step] = {
    "project": lambda c: (c.case.query, c.case.keys, c.case.values),
    "split": lambda x, c: x,
    "scale": lambda scores, c: scores / c.case.query.shape[-1] ** 0.5,
    "merge": lambda mixed, c: mixed,
    "project_out": lambda x, c: x,
}
"""What the function does where a layer projects, and works with heads."""
KEY = AttentionKey(
    oracle=pipeline.PER_HEAD.but(**STEPS),
    mistakes=(*catalogue.of(KATA), weights_without_mask(**STEPS)),
    pytorch=of_pytorch,
)
