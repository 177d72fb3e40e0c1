"""`functional`: one function that draws its own weights; 1 or True = masked; no bias."""

from dataclasses import replace
from typing import Any, ClassVar

import torch
from torch import Tensor

from grader.checks import tiers
from grader.checks.case import Answer, Case, MaskFormat, Projections, Size
from grader.claims import causal, nan_safety, padding, shapes, weight_sums
from grader.checks.draw import Draw
from grader.checks.kata import Call, Kata, New, read_alone
from grader.records import Contract, Needed

# BEGIN HIDDEN
# isort: split
from grader.checks import drawn_weights, expect, mistakes, pipeline
from grader.checks.attention import MakeAttention
from grader.claims import gradients, parity

# END HIDDEN

FORMATS = (
    MaskFormat("a bool (L, S)", "LS", torch.bool),
    MaskFormat("a bool (N, L, S)", "NLS", torch.bool),
    MaskFormat("a bool (N, 1, L, S)", "N1LS", torch.bool),
    MaskFormat("a bool (N, 1, 1, S)", "N11S", torch.bool),
    MaskFormat("an integer (L, S) of 0 and 1", "LS", torch.int64),
    MaskFormat("a float (N, L, S) of 0 and 1", "NLS", torch.float32),
)
QUERY_FORMATS = tuple(form for mask_format in FORMATS if "L" in mask_format.axes)


# BEGIN HIDDEN
@tiers.PARITY(points=10)
def weights_are_drawn_as_pytorch_draws_them(attention: MakeAttention, draw: Draw) -> None:
    """After the same torch.manual_seed, the weights drawn are those of nn.MultiheadAttention(bias=False)."""
    for embed_dim, num_heads in ((30, 3), (24, 8), (7, 1), (130, 2)):  # a bound may be right for one size by chance
        other = attention(embed_dim=embed_dim, num_heads=num_heads)
        drawn = drawn_weights.as_pytorch_draws(other.seed, other.size)
        for name, weight in other.weights.items():
            what = f"weights drawn for the {ROLES[name]} (all other checks were judged on the weights drawn)"
            expect.close(what, weight, getattr(drawn, name))
    mha = attention(embed_dim=30, num_heads=3)
    drawn = drawn_weights.as_pytorch_draws(mha.seed, mha.size)
    case = mha.case(draw, N=2, L=5, S=7)
    expect.close("output", mha(case).output, mha.kata.oracle.run(case, mha.size, drawn).output)
    # The draws are those of the default dtype, whatever the query's.
    in_float32 = drawn_weights.as_pytorch_draws(mha.seed, replace(mha.size, dtype=torch.float32)).to(torch.float64)
    output = mha(case.but(default_dtype=torch.float32)).output
    what = "output in float64 where the default dtype is float32"
    expect.close(what, output, mha.kata.oracle.run(case, mha.size, in_float32).output)
    # A layer that is not the first of a model goes on from where the generator stands.
    later = drawn_weights.as_pytorch_draws(mha.seed, mha.size, drawn=1)
    output = mha(case.but(drawn=1)).output
    expect.close("output where a number was drawn before", output, mha.kata.oracle.run(case, mha.size, later).output)


@tiers.PARITY(points=1)
def a_mask_for_every_head(attention: MakeAttention, draw: Draw) -> None:
    """A mask (N, H, L, S) hides other keys in each head, and the output equals torch.nn.MultiheadAttention's."""
    as_trained = parity.equals_itself_in_float64
    for dtype, is_right in ((torch.float64, parity.equals_pytorch), (torch.float32, as_trained)):
        mha = attention(embed_dim=30, num_heads=3, dtype=dtype)
        case = mha.case(draw, N=2, L=5, S=7, allow=draw.allow(2, 3, 5, 7))
        is_right(mha, case)
        gradients.are_right(mha, case, draw, inputs=True)


ROLES = {"q": "query projection", "k": "key projection", "v": "value projection", "o": "output projection"}
# END HIDDEN


class Functional(Kata):
    """Multi-head attention as one call."""

    name = "functional"
    title = "One function that draws its weights as PyTorch does"
    mask = "`mask` 1 or True = masked"
    contract = Contract(
        "functional",
        (Needed("multi_head_attention", "function", "(q, k, v, num_heads, d_model, mask=None)"),),
    )
    streams = 3
    names: ClassVar = {"query": "q", "key": "k", "value": "v"}
    formats = FORMATS
    has_modes = False
    draws_weights = True
    # BEGIN HIDDEN
    oracle = pipeline.PER_HEAD.but(give=pipeline.give_nothing)
    mistakes = (
        *mistakes.FORMULA,
        mistakes.SOFTMAX_OVER_HEADS,
        *mistakes.PROJECTIONS,
        *mistakes.LAYOUT,
        *mistakes.MASKS,
        *mistakes.ONE_MASK,
        mistakes.FLOAT_ONES_ADDED_TO_HIDDEN,
        mistakes.ONES_ADDED_TO_HIDDEN,
        *mistakes.NAN_ROWS,
        *mistakes.NUMBERS,
        *mistakes.DETACHED,
        *mistakes.OTHER_INPUTS,
        *mistakes.EVERYWHERE,
        *mistakes.WITHOUT_WEIGHTS,
        *mistakes.MANY_HEADS,
        *mistakes.VALUES_IGNORED,
        *mistakes.ONE_MASK_OVER_HEADS,
        mistakes.HIDDEN_VALUES_ZEROED_IN_FORMAT,
        mistakes.MULTIPLIED_BY_HIDDEN,
    )
    # END HIDDEN
    checks = (
        *tiers.public(
            tiers.SHAPES(points=3)(shapes.self_attention),
            tiers.SHAPES(points=4)(shapes.cross_attention),
            tiers.SHAPES(points=3)(shapes.smallest_sizes),
            tiers.SHAPES(points=2)(shapes.a_size_that_the_heads_do_not_divide_is_refused),
            tiers.WEIGHT_SUMS(points=4)(weight_sums.equal_values_come_back),
            tiers.WEIGHT_SUMS(points=2)(weight_sums.one_key_takes_all),
            *(
                tiers.PADDING(points=2, mask_format=mask_format)(padding.a_padded_batch_equals_each_sequence_alone_in_format)
                for mask_format in FORMATS[1:4]
            ),
            *(
                tiers.CAUSAL(points=1, mask_format=mask_format)(causal.a_prefix_does_not_depend_on_what_follows_in_format)
                for mask_format in QUERY_FORMATS
            ),
            *(
                tiers.NAN_SAFETY(points=1, mask_format=mask_format)(nan_safety.a_query_that_sees_nothing_in_format)
                for mask_format in (FORMATS[4], FORMATS[5])
            ),
            tiers.NAN_SAFETY(points=2)(nan_safety.a_sequence_that_is_all_padding),
            tiers.NAN_SAFETY(points=1)(nan_safety.all_zero_input),
        ),
        # BEGIN HIDDEN
        *tiers.on_reveal(
            tiers.PADDING(points=2)(padding.padding_may_lie_on_the_left),
            tiers.PADDING(points=2)(padding.padding_in_cross_attention),
            tiers.PADDING(points=2)(padding.padding_and_causal_together),
            tiers.CAUSAL(points=1)(causal.a_long_prefix_equals_itself_alone),
            tiers.CAUSAL(points=1)(causal.a_query_sees_itself),
            tiers.CAUSAL(points=1)(causal.causal_with_other_keys),
            tiers.NAN_SAFETY(points=2)(nan_safety.gradients_past_a_query_that_sees_nothing),
            tiers.GRADIENTS(points=1)(gradients.masks_are_not_changed),
            tiers.GRADIENTS(points=1)(gradients.no_state_is_kept),
        ),
        *tiers.hidden(
            tiers.NAN_SAFETY(points=1)(nan_safety.large_scores),
            tiers.NAN_SAFETY(points=1)(nan_safety.large_scores_under_a_mask),
            tiers.GRADIENTS(points=5)(gradients.of_the_inputs),
            tiers.GRADIENTS(points=4)(gradients.of_the_inputs_under_masks),
            weights_are_drawn_as_pytorch_draws_them,
            tiers.PARITY(points=4)(parity.without_a_mask),
            tiers.PARITY(points=1)(parity.in_batches_of_any_size),
            tiers.PARITY(points=1)(parity.where_inputs_are_one_tensor),
            tiers.PARITY(points=1)(parity.under_masks_of_any_dtype_and_shape),
            a_mask_for_every_head,
            tiers.PARITY(points=2)(parity.with_many_heads),
            tiers.PARITY(points=2)(parity.on_long_sequences),
            tiers.PARITY(points=3)(parity.in_cross_attention),
            tiers.PARITY(points=4)(parity.under_both_masks),
            *(tiers.PARITY(points=1, mask_format=mask_format)(parity.under_any_mask) for mask_format in FORMATS),
            *(tiers.PARITY(points=1, mask_format=mask_format)(parity.under_any_mask_in_cross_attention) for mask_format in FORMATS[:2]),
            tiers.PARITY(points=1)(parity.on_inputs_that_are_not_contiguous),
            *(tiers.PARITY(points=1, dtype=dtype)(parity.in_dtype) for dtype in ("float32", "float64", "bfloat16")),
            tiers.PARITY(points=1)(parity.without_loss_of_precision),
        ),
        # END HIDDEN
    )

    def construct(self, size: Size) -> tuple[New, ...]:
        return ()

    def parameters(self, weights: Projections) -> dict[str, Tensor]:
        return {}

    # BEGIN HIDDEN
    def weights(self, draw: Draw, size: Size) -> tuple[Projections, int]:
        seed = draw.integer()
        return drawn_weights.as_pytorch_draws(seed, size), seed

    def weights_in_use(
        self, case: Case, size: Size, output: Tensor, products: tuple[tuple[Tensor, Tensor], ...]
    ) -> Projections | None:
        seen = drawn_weights.in_use(case, output, products)
        return seen if seen is not None and drawn_weights.are_ordinary(seen, case, size) else None

    def stretch(self, size: Size, weights: Projections) -> float:
        return drawn_weights.stretch(weights, size)

    # END HIDDEN

    def case(self, draw: Draw, size: Size, N: int, L: int, S: int | None) -> Case:
        # PyTorch's weights are small: inputs twice as large make the scores spread over 1 and more.
        case = super().case(draw, size, N, L, S)
        return case.but(**{name: 2 * tensor for name, tensor in case.streams().items()})

    def mask_shapes(self, N: int, H: int, L: int, S: int) -> tuple[tuple[int, ...], ...]:
        flat = ((N, L, S), (L, S), (1, S), (S,))
        for_each_head = ((N, H, L, S), (1, H, L, S), (N, H, 1, S), (1, H, 1, S))
        return (*flat, (N, 1, L, S), (N, 1, 1, S), (1, 1, L, S), (1, 1, 1, S), *for_each_head)

    def call(self, case: Case, size: Size) -> Call:
        inputs = (case.query, case.keys, case.values, size.num_heads, size.embed_dim)
        shown = case.shown
        if shown is None:
            return Call("multi_head_attention", inputs)
        if case.mask_dtype is not None and case.allow is not None:
            return Call("multi_head_attention", inputs, {"mask": (~case.allow).to(case.mask_dtype)})
        if shown.dim() == 4 and shown.shape[1] == size.num_heads > 1:
            return Call("multi_head_attention", (*inputs, ~shown))
        n, queries, keys = case.query.shape[0], case.query.shape[1], case.keys.shape[1]
        form = case.mask_format or FORMATS[0 if case.keep is None and shown.dim() == 2 else 1]
        if mask_format.axes == "NLS" and shown.dim() == 4:
            shown = shown[:, 0]
        shown = shown.expand(mask_format.shape(n, queries, keys))
        return Call("multi_head_attention", (*inputs, (~shown).to(mask_format.dtype)))

    def read(self, value: Any, case: Case) -> Answer:
        return read_alone(value, "output")
