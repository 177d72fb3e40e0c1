"""`sdpa_backend`: the checks that a candidate is given."""

import torch

from grader.checks import expect, tiers
from grader.checks.attention import Attention, MakeAttention
from grader.checks.case import Case
from grader.checks.draw import Draw, causal
from grader.claims import construction, profile
from grader.claims.padding import LENGTHS, equals_each_alone
from grader.katas.sdpa_backend.contract import BACKEND, IS_CAUSAL, KATA

SDPA = "F.scaled_dot_product_attention"
PARTS = ("scaled_dot_product", "_safe_softmax")
"""In the names of the operators that it arrives as on any device; the second is the softmax of its plain kernel."""


def uses_sdpa(mha: Attention, case: Case, when: str) -> None:
    """A call that wants no weights arrives at the dispatcher as scaled_dot_product_attention.

    Args:
        mha: the attention.
        case: the call.
        when: it is made, in a few words.
    """
    operators = mha.operators(case.but(need_weights=False))
    made = SDPA if any(part in name for name in operators for part in PARTS) else "other operators"
    expect.equal(f"what made the attention {when}", made, SDPA)


@tiers.PADDING()
def many_keys_are_hidden_as_few_are(attention: MakeAttention, draw: Draw) -> None:
    """A mask of another dtype than the queries hides with many keys what it hides with few."""
    mha = attention(embed_dim=24, num_heads=4)
    for mask_format in (KATA.formats[2], KATA.formats[3]):
        case = mha.calm_case(draw, N=3, L=34, keep=draw.keep([34, 23, 17]), mask_format=mask_format)
        equals_each_alone(mha, case, mha(case).output)


@BACKEND(weight=7)
def sdpa_makes_the_output(attention: MakeAttention, draw: Draw) -> None:
    """Where no weights are wanted F.scaled_dot_product_attention is used, masked or not, by whatever name."""
    mha = attention(embed_dim=18, num_heads=3)
    itself, case = mha.case(draw, N=2, L=6), mha.case(draw, N=2, L=5, S=7)
    uses_sdpa(mha, case, "without a mask")
    uses_sdpa(mha, case.but(allow=draw.allow(5, 7)), "under a mask")
    uses_sdpa(mha, case.but(is_causal=True), "with is_causal")
    uses_sdpa(mha, case.but(allow=draw.allow(5, 7), is_causal=True), "under a mask and is_causal")
    uses_sdpa(mha, itself, "in self-attention")
    uses_sdpa(mha, itself.but(allow=draw.allow(6, 6)), "in self-attention under a mask")


@BACKEND(weight=2)
def sdpa_makes_the_output_in_training(attention: MakeAttention, draw: Draw) -> None:
    """In train mode, and where gradients are recorded, F.scaled_dot_product_attention makes the output too."""
    mha = attention(embed_dim=18, num_heads=3, dropout=0.2)
    case = mha.case(draw, N=2, L=5, S=7, training=True)
    uses_sdpa(mha, case, "in train mode")
    uses_sdpa(mha, case.but(allow=draw.allow(5, 7)), "in train mode under a mask")
    uses_sdpa(mha, case.but(is_causal=True), "in train mode with is_causal")
    uses_sdpa(mha, case.but(recording=True), "where gradients are recorded")
    uses_sdpa(mha, case.but(recording=True, training=False), "in eval mode where gradients are recorded")


@IS_CAUSAL(weight=2)
def is_causal_is_a_causal_mask(attention: MakeAttention, draw: Draw) -> None:
    """With is_causal the answer is that under a causal mask: query t sees the keys 0 to t, also where L != S."""
    mha = attention(embed_dim=18, num_heads=3)
    for L, S in ((7, 7), (5, 8), (8, 5)):
        case = mha.calm_case(draw, N=2, L=L, S=S)
        flagged = mha(case.but(is_causal=True))
        weights = mha.weights_of(flagged)
        masked = mha(case.but(allow=causal(L, S)))
        expect.close("output with is_causal", flagged.output, masked.output)
        expect.close("weights with is_causal", weights, mha.weights_of(masked))
        expect.zero("weights of later keys", weights, where=~causal(L, S))
        expect.differ("output with is_causal", flagged.output[:, 0], mha(case).output[:, 0], "than without it")


@IS_CAUSAL(weight=2)
def is_causal_and_a_mask_hide_together(attention: MakeAttention, draw: Draw) -> None:
    """With a mask and is_causal a query sees the keys that both let it see, no others."""
    mha = attention(embed_dim=24, num_heads=4)
    padded = mha.calm_case(draw, N=3, L=7, keep=draw.keep(LENGTHS))
    for one in (padded, mha.calm_case(draw, N=3, L=5, S=8, allow=draw.allow(3, 1, 5, 8))):
        shown, triangle = expect.tensor("mask", one.shown), causal(one.query.shape[1], one.keys.shape[1])
        both = mha(one.but(is_causal=True))
        weights = mha.weights_of(both)
        joined = mha(one.but(keep=None, allow=shown & triangle))
        expect.close("output with a mask and is_causal", both.output, joined.output)
        expect.close("weights with a mask and is_causal", weights, mha.weights_of(joined))
        expect.differ("output with a mask and is_causal", both.output, mha(one).output, "than without is_causal")


@IS_CAUSAL()
def later_keys_change_nothing_in_training(attention: MakeAttention, draw: Draw) -> None:
    """In train mode with dropout, what later keys hold changes nothing with is_causal, a mask beside it or not."""
    mha = attention(embed_dim=18, num_heads=3, dropout=0.25)
    case = mha.calm_case(draw, N=2, L=5, S=8, is_causal=True, training=True)
    later = {name: torch.cat([x[:, :5], draw.tensor(2, 3, 18)], 1) for name, x in case.streams().items()}
    for one in (case, case.but(allow=draw.allow(5, 8)), case.but(keep=draw.keep([6, 8]))):
        for wanted in (False, True):
            wished = one.but(need_weights=wanted)
            output, unseen = mha(wished).output, mha(wished.but(key=later["key"], value=later["value"])).output
            expect.close("output after later keys changed", unseen, output)
            sooner = {name: torch.cat([draw.tensor(2, 1, 18), x[:, 1:]], 1) for name, x in later.items()}
            changed = mha(wished.but(key=sooner["key"], value=sooner["value"])).output
            expect.differ("output", changed, output, "after the first key and value changed")


@tiers.INTERFACE()
def is_causal_is_an_argument_of_its_own(attention: MakeAttention, draw: Draw) -> None:
    """is_causal may be given by its name, and a call with it does not change those that follow."""
    mha = attention(embed_dim=18, num_heads=3)
    case = mha.case(draw, N=2, L=5)
    before, flagged = mha(case).output, mha(case.but(is_causal=True)).output
    by_name = mha(case.but(is_causal=True, need_weights=None, by_contract=True)).output
    expect.close("output with is_causal=True by its name", by_name, flagged)
    expect.close("output of a call without is_causal after it", mha(case).output, before)


CLAIMS = (
    *profile.public(KATA),
    *construction.XAVIER,
    *tiers.public(
        many_keys_are_hidden_as_few_are,
        is_causal_is_a_causal_mask,
        is_causal_and_a_mask_hide_together,
        later_keys_change_nothing_in_training,
        sdpa_makes_the_output,
        sdpa_makes_the_output_in_training,
        is_causal_is_an_argument_of_its_own,
    ),
)
