"""`repair_functional`: the checks that a candidate is given beside those of `functional`."""

from grader.checks import expect, tiers
from grader.checks.attention import MakeAttention
from grader.checks.draw import Draw
from grader.katas.repair_functional.contract import MASK_SHAPE


@MASK_SHAPE(weight=12)
def a_mask_for_each_sequence_is_for_all_its_heads(attention: MakeAttention, draw: Draw) -> None:
    """Under a mask (N, L, S) each sequence has the output that it has alone under its own mask (L, S)."""
    mha = attention(embed_dim=18, num_heads=3)
    for n in (2, 3):  # with as many sequences as heads nothing raises
        allow = draw.allow(n, 1, 5, 7)
        case = mha.calm_case(draw, N=n, L=5, S=7)
        output = mha(case.but(allow=allow)).output
        expect.differ("output", output, mha(case).output, "than without a mask")
        for i in range(n):
            streams = {name: x[i : i + 1] for name, x in case.streams().items()}
            alone = mha(case.but(**streams, allow=allow[i, 0])).output
            expect.close(f"output of sequence {i} of {n}", output[i : i + 1], alone)


CLAIMS = tiers.public(a_mask_for_each_sequence_is_for_all_its_heads)
