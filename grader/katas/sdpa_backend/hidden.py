"""`sdpa_backend`: the checks that a kit does not show, the oracle and the mistakes."""

from grader.checks import expect, tiers
from grader.checks.attention import MakeAttention
from grader.checks.draw import Draw, causal, striped
from grader.claims.hidden import gradients, parity, profile
from grader.claims.nan_safety import if_any
from grader.claims.padding import LENGTHS
from grader.katas.sdpa_backend.contract import BACKEND, FORMATS, IS_CAUSAL, KATA
from grader.oracle import catalogue, pipeline
from grader.oracle.attention_key import AttentionKey
from grader.oracle.catalogue.two_paths import of_two_paths


@IS_CAUSAL(weight=2)
def under_is_causal(attention: MakeAttention, draw: Draw) -> None:
    """With is_causal, as many keys as queries or not, the output equals torch.nn.MultiheadAttention's."""
    mha = attention(embed_dim=30, num_heads=3)
    for L, S in ((5, 11), (5, 8), (7, None), (11, 5), (1, 4), (40, 23)):
        case = mha.case(draw, N=2, L=L, S=S, is_causal=True)
        parity.equals_pytorch_in_both_modes(mha, case)


@IS_CAUSAL(weight=2)
def under_a_mask_and_is_causal(attention: MakeAttention, draw: Draw) -> None:
    """With a mask of any format beside is_causal, the output equals torch.nn.MultiheadAttention's."""
    mha = attention(embed_dim=40, num_heads=4)
    padded = mha.case(draw, N=3, L=7, keep=draw.keep(LENGTHS), is_causal=True)
    parity.equals_pytorch_in_both_modes(mha, padded)
    for mask_format in FORMATS:
        for L, S in ((7, 7), (5, 11), (9, 4)):
            allow = striped(*mask_format.shape(3, L, S)).clone()
            allow[..., 0] = True
            case = mha.case(draw, N=3, L=L, S=S, allow=allow, mask_format=mask_format, is_causal=True)
            parity.equals_pytorch(mha, case)


@IS_CAUSAL()
def weights_under_is_causal(attention: MakeAttention, draw: Draw) -> None:
    """With is_causal, a mask beside it or not, the weights returned equal torch.nn.MultiheadAttention's."""
    mha = attention(embed_dim=30, num_heads=3)
    for L, S in ((7, None), (5, 8), (11, 5)):
        parity.weights_equal_pytorchs(mha, mha.case(draw, N=2, L=L, S=S, is_causal=True))
    for keep in (draw.keep(LENGTHS), None):
        allow = None if keep is not None else causal(7)
        parity.weights_equal_pytorchs(mha, mha.case(draw, N=3, L=7, keep=keep, allow=allow, is_causal=True))


@BACKEND(weight=2)
def under_a_float_mask_of_another_dtype(attention: MakeAttention, draw: Draw) -> None:
    """A mask of another dtype than the queries hides with many keys what it hides with few: the output is PyTorch's."""
    mha = attention(embed_dim=24, num_heads=4)
    for L, S in ((16, 16), (5, 17), (19, 32), (3, 64)):
        for mask_format in (FORMATS[2], FORMATS[0]):
            case = mha.case(draw, N=2, L=L, S=S, allow=striped(2, 1, L, S), mask_format=mask_format)
            parity.equals_pytorch(mha, case)
            parity.equals_pytorch(mha, case.but(training=True, need_weights=False))


@IS_CAUSAL()
def a_query_that_both_leave_nothing(attention: MakeAttention, draw: Draw) -> None:
    """Where a mask and is_causal leave a query nothing, all is finite, and no other query's output changes.

    With dropout too, where the fused operator takes another path.
    """
    for dropout in (0.0, 0.25):
        mha = attention(embed_dim=18, num_heads=3, dropout=dropout)
        case = mha.case(draw, N=3, L=5, keep=draw.keep([3, 4, 2], size=5, side="left"), is_causal=True, training=True)
        for wanted in (True, False):
            answer, by_name = mha.gradients(case.but(need_weights=wanted), draw.tensor(3, 5, 18))
            expect.finite("output", answer.output)
            if_any(answer.weights)
            for name, gradient in by_name.items():
                expect.finite(f"gradient of {name}", gradient)
    case = case.but(training=False)
    keep, output = expect.tensor("keep", case.keep), mha(case).output
    for n, real in enumerate(keep):  # a query sees a key from the first real one on
        alone = mha(case.but(query=case.query[n : n + 1, real], keep=None)).output
        expect.close(f"output of sequence {n}, queries that see a key", output[n, real], alone[0])


@IS_CAUSAL()
def gradients_under_is_causal(attention: MakeAttention, draw: Draw) -> None:
    """With is_causal, a mask beside it or not, the gradients of all are right, whether weights are wanted or not."""
    mha = attention(embed_dim=24, num_heads=4)
    case = mha.case(draw, N=3, L=7, S=7, is_causal=True, training=True)
    for masked in (case, case.but(keep=draw.keep(LENGTHS)), mha.case(draw, N=2, L=5, S=9, is_causal=True)):
        for wanted in (True, False):
            gradients.are_right(mha, masked.but(need_weights=wanted), draw)


CLAIMS = (
    *profile.hidden(KATA),
    *tiers.on_reveal(a_query_that_both_leave_nothing),
    *tiers.hidden(
        under_is_causal,
        under_a_mask_and_is_causal,
        weights_under_is_causal,
        under_a_float_mask_of_another_dtype,
        gradients_under_is_causal,
    ),
)
MISTAKES = catalogue.of(KATA)
KEY = AttentionKey(
    oracle=pipeline.PER_HEAD,
    mistakes=(*MISTAKES, *of_two_paths(MISTAKES)),
    questions={
        IS_CAUSAL.name: "With a cache of keys the queries are the last tokens: which triangle do they need?",
        BACKEND.name: "Which kernel did a call of SDPA take, and what sends it to the plain one?",
    },
)
