"""`scaffold`: the checks that a candidate is given."""

import torch

from grader.checks import expect, tiers
from grader.checks.attention import MakeAttention
from grader.checks.draw import Draw
from grader.claims import profile
from grader.katas.scaffold.contract import KATA


@tiers.INTERFACE()
def causal_mask_is_lower_triangular(attention: MakeAttention, draw: Draw) -> None:
    """causal_mask(T, S, device) is bool [T, S] on that device, True where key <= query, and forward takes it."""
    mha = attention(embed_dim=18, num_heads=3)
    places = torch.arange(150)
    for sizes in ((5,), (5, 5), (5, 8), (7, 4), (3, 150), (150,)):
        T, S = sizes[0], sizes[-1]
        mask = mha.helper("causal_mask", *sizes)
        expect.shape("causal_mask", mask, T=T, S=S)
        expect.equal("dtype of causal_mask", mask.dtype, torch.bool)
        expect.close(f"causal_mask{sizes}".replace(",)", ")"), mask, (places[None, :S] <= places[:T, None]).double())
        if S < len(places):
            expect.shape("output", mha(mha.case(draw, N=2, L=T, S=S, allow=mask)).output, B=2, T=T, E=18)
    # Not on the device meta: its first tril imports 2 s of Python into the worker.
    elsewhere = "causal_mask(5, 8, device='nowhere')"
    expect.refuses(elsewhere, lambda: mha.helper("causal_mask", 5, 8, "nowhere"), "RuntimeError")


CLAIMS = (*profile.public(KATA), *tiers.public(causal_mask_is_lower_triangular))
