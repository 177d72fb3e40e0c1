"""`repair_functional`: the checks that a kit does not show; the oracle and the mistakes are those of `functional`."""

from grader.checks import expect, tiers
from grader.checks.attention import MakeAttention
from grader.checks.draw import Draw
from grader.katas.repair_functional.contract import DRAWS, MASK_SHAPE, MASK_VALUES
from grader.oracle import drawn_weights
from grader.oracle.attention_key import expected


@DRAWS(weight=12)
def without_a_mask_the_output_is_pytorchs(attention: MakeAttention, draw: Draw) -> None:
    """After the same torch.manual_seed, the output without a mask is that of nn.MultiheadAttention(bias=False)."""
    for embed_dim, num_heads in ((30, 3), (24, 8)):
        mha = attention(embed_dim=embed_dim, num_heads=num_heads)
        drawn_weights.equal_pytorchs(mha)
        case = mha.case(draw, N=2, L=5, S=7)
        expect.close("output", mha(case).output, expected(mha, case).output)


@MASK_VALUES(weight=12)
def a_mask_hides_where_it_is_1(attention: MakeAttention, draw: Draw) -> None:
    """Under a mask (L, S) the output is that of the keys where it is 0 or False, with the weights that are in use."""
    mha = attention(embed_dim=30, num_heads=3)
    case = mha.calm_case(draw, N=2, L=5, S=7, allow=draw.allow(5, 7))
    expect.close("output", mha(case).output, expected(mha, case).output)


QUESTIONS = {
    DRAWS.name: "Two layers have the same formula and other outputs: how do you find out whether the weights differ?",
    MASK_VALUES.name: "What does a 1 in a mask mean, who says so, and which call would show that it is read otherwise?",
    MASK_SHAPE.name: "With which axes of the scores does a mask (N, L, S) line up, and when does nothing raise?",
}
CLAIMS = tiers.hidden(without_a_mask_the_output_is_pytorchs, a_mask_hides_where_it_is_1)
