"""`scaled_dot_product`: the formula as a function on (..., L, D); 1 or True = masked."""

from typing import Any, ClassVar

import torch
from torch import Tensor

from grader.checks import expect, tiers
from grader.checks.attention import MakeAttention
from grader.checks.case import Answer, Case, MaskFormat, Projections, Size
from grader.claims import causal, nan_safety, padding, shapes, weight_sums
from grader.checks.draw import Draw, striped
from grader.checks.kata import Call, Kata, New, read_pair
from grader.records import Contract, Needed

# BEGIN HIDDEN
# isort: split
import torch.nn.functional as F

from grader.checks import mistakes, pipeline
from grader.claims import gradients, parity

# END HIDDEN

FORMATS = (
    MaskFormat("a bool (L, S)", "LS", torch.bool),
    MaskFormat("a bool (N, L, S)", "NLS", torch.bool),
    MaskFormat("a bool (N, 1, S)", "N1S", torch.bool),
    MaskFormat("an integer (L, S) of 0 and 1", "LS", torch.int64),
    MaskFormat("a float (N, L, S) of 0 and 1", "NLS", torch.float32),
)


@tiers.SHAPES(points=2)
def any_leading_axes(attention: MakeAttention, draw: Draw) -> None:
    """Any number of leading axes is kept: (L, D) and (N, H, L, D) work as (N, L, D) does."""
    attend = attention(embed_dim=6, num_heads=1)
    plain = attend(Case(draw.tensor(5, 6), draw.tensor(7, 6), draw.tensor(7, 6)))
    expect.shape("output", plain.output, L=5, D=6)
    expect.shape("weights", plain.weights, L=5, S=7)
    heads = attend(Case(draw.tensor(2, 3, 5, 6), draw.tensor(2, 3, 7, 6), draw.tensor(2, 3, 7, 6)))
    expect.shape("output", heads.output, N=2, H=3, L=5, D=6)
    expect.shape("weights", heads.weights, N=2, H=3, L=5, S=7)


@tiers.SHAPES(points=2)
def values_of_another_width(attention: MakeAttention, draw: Draw) -> None:
    """The output is as wide as the values, which may be wider or narrower than the keys."""
    attend = attention(embed_dim=6, num_heads=1)
    answer = attend(Case(draw.tensor(2, 5, 6), draw.tensor(2, 7, 6), draw.tensor(2, 7, 10)))
    expect.shape("output", answer.output, N=2, L=5, Dv=10)


@tiers.WEIGHT_SUMS(points=3)
def the_output_is_the_weighted_sum_of_values(attention: MakeAttention, draw: Draw) -> None:
    """With one-hot values the output is the weights returned."""
    attend = attention(embed_dim=10, num_heads=1)
    values = torch.eye(7, dtype=torch.float64).expand(3, -1, -1).contiguous()
    answer = attend(Case(draw.tensor(3, 5, 10), draw.tensor(3, 7, 10), values))
    expect.close("output", answer.output, expect.tensor("weights", answer.weights))


# BEGIN HIDDEN
@tiers.PARITY(points=2)
def a_mask_for_every_head(attention: MakeAttention, draw: Draw) -> None:
    """A mask (H, L, S) is laid over (N, H, L, S), each head with its own, and over values of another width."""
    attend = attention(embed_dim=6, num_heads=1)
    case = Case(draw.tensor(2, 4, 5, 6), draw.tensor(2, 4, 7, 6), draw.tensor(2, 4, 7, 10))
    case = case.but(allow=draw.allow(4, 5, 7)[None])
    parity.equals_pytorch(attend, case)
    narrow = attention(embed_dim=6, num_heads=1, dtype=torch.float32)  # what models are run in
    parity.equals_itself_in_float64(narrow, case.but(**{name: x.float() for name, x in case.streams().items()}))


@tiers.PARITY(points=1)
def heads_of_any_size(attention: MakeAttention, draw: Draw) -> None:
    """With narrow heads and wide ones, and any number of leading axes, the output equals PyTorch's."""
    attend = attention(embed_dim=6, num_heads=1)
    for width in (1, 2, 3, 7, 20, 32, 64, 65, 130):
        parity.equals_pytorch(attend, Case(draw.tensor(2, 3, 5, width), draw.tensor(2, 3, 7, width)))
    for lead in ((), (3,), (3, 2), (2, 3, 4), (2, 1, 3, 2)):
        for values in (4, 10):
            case = Case(draw.tensor(*lead, 5, 6), draw.tensor(*lead, 7, 6), draw.tensor(*lead, 7, values), strided=True)
            for allow in (None, striped(5, 7)):
                parity.equals_pytorch(attend, case.but(allow=allow))


@tiers.PARITY(points=1)
def masks_broadcast(attention: MakeAttention, draw: Draw) -> None:
    """Masks of every shape that broadcasts to (N, H, L, S) mask alike."""
    attend = attention(embed_dim=6, num_heads=1)
    case = Case(draw.tensor(2, 3, 5, 6), draw.tensor(2, 3, 7, 6), draw.tensor(2, 3, 7, 6))
    for lead in ((), (5,), (1, 5), (3, 5), (3, 1), (2, 1, 5), (2, 1, 1), (1, 3, 5), (2, 3, 5), (2, 3, 1)):
        parity.equals_pytorch(attend, case.but(allow=striped(*lead, 7), mask_dtype=torch.bool))


# END HIDDEN


class ScaledDotProduct(Kata):
    """The core of the formula, without projections or heads."""

    name = "scaled_dot_product"
    title = "The formula as one function"
    mask = "`mask` 1 or True = masked"
    contract = Contract(
        "scaled_dot_product", (Needed("scaled_dot_product_attention", "function", "(q, k, v, mask=None)"),)
    )
    streams = 3
    names: ClassVar = {"query": "q", "key": "k", "value": "v"}
    per_head = False
    formats = FORMATS
    has_modes = False
    # BEGIN HIDDEN
    oracle = pipeline.PER_HEAD.but(
        project=lambda c: (c.case.query, c.case.keys, c.case.values),
        split=lambda x, c: x,
        scale=lambda scores, c: scores / c.case.query.shape[-1] ** 0.5,
        merge=lambda mixed, c: mixed,
        project_out=lambda x, c: x,
    )
    mistakes = (
        *mistakes.SCALE_OF_ONE_HEAD,
        *mistakes.SOFTMAX,
        *mistakes.MASKS,
        *mistakes.ONE_MASK,
        mistakes.FLOAT_ONES_ADDED_TO_HIDDEN,
        mistakes.ONES_ADDED_TO_HIDDEN,
        *mistakes.NAN_ROWS,
        mistakes.NAN_WEIGHTS,
        *mistakes.NUMBERS,
        mistakes.WEIGHTS_TRANSPOSED,
        *mistakes.DETACHED,
        mistakes.SCALE_AFTER_SOFTMAX_OF_ONE_HEAD,
        mistakes.CAUSAL_IN_CROSS_ATTENTION,
        *mistakes.EVERYWHERE,
        *mistakes.ONE_HEAD,
        *mistakes.ONE_MASK_READ,
        mistakes.HIDDEN_VALUES_ZEROED,
        mistakes.MULTIPLIED_BY_HIDDEN,
        mistakes.SCORES_RETURNED,
        mistakes.FOUR_LARGEST_SCORES,
    )
    # END HIDDEN
    checks = (
        *tiers.public(
            tiers.SHAPES(points=2)(shapes.self_attention),
            tiers.SHAPES(points=3)(shapes.cross_attention),
            tiers.SHAPES(points=3)(shapes.cross_attention_weights),
            any_leading_axes,
            values_of_another_width,
            tiers.WEIGHT_SUMS(points=3)(weight_sums.weights_are_a_distribution),
            tiers.WEIGHT_SUMS(points=2)(weight_sums.weights_are_a_distribution_in_cross_attention),
            the_output_is_the_weighted_sum_of_values,
            tiers.PADDING(points=4)(padding.padded_keys_get_no_weight),
            tiers.PADDING(points=3)(padding.a_padded_batch_equals_each_sequence_alone),
            tiers.CAUSAL(points=3)(causal.no_query_sees_a_later_key),
            *(
                tiers.CAUSAL(points=1, mask_format=mask_format)(causal.a_prefix_does_not_depend_on_what_follows_in_format)
                for mask_format in FORMATS
                if "L" in mask_format.axes
            ),
            *(
                tiers.NAN_SAFETY(points=1, mask_format=mask_format)(nan_safety.a_query_that_sees_nothing_in_format)
                for mask_format in (FORMATS[0], FORMATS[3], FORMATS[4])
            ),
            tiers.NAN_SAFETY(points=2)(nan_safety.a_sequence_that_is_all_padding),
            tiers.NAN_SAFETY(points=2)(nan_safety.all_zero_input),
        ),
        # BEGIN HIDDEN
        *tiers.on_reveal(
            tiers.PADDING(points=2)(padding.padding_may_lie_on_the_left),
            tiers.PADDING(points=2)(padding.padding_in_cross_attention),
            tiers.PADDING(points=3)(padding.padding_and_causal_together),
            tiers.CAUSAL(points=1)(causal.a_long_prefix_equals_itself_alone),
            tiers.CAUSAL(points=1)(causal.a_query_sees_itself),
            tiers.CAUSAL(points=1)(causal.causal_with_other_keys),
            tiers.NAN_SAFETY(points=3)(nan_safety.gradients_past_a_query_that_sees_nothing),
            tiers.GRADIENTS(points=1)(gradients.masks_are_not_changed),
            tiers.GRADIENTS(points=1)(gradients.no_state_is_kept),
        ),
        *tiers.hidden(
            tiers.NAN_SAFETY(points=1)(nan_safety.large_scores),
            tiers.NAN_SAFETY(points=1)(nan_safety.large_scores_under_a_mask),
            tiers.GRADIENTS(points=4)(gradients.of_the_inputs),
            tiers.GRADIENTS(points=4)(gradients.of_the_inputs_under_masks),
            tiers.GRADIENTS(points=1)(gradients.of_the_inputs_with_any_leading_axes),
            tiers.PARITY(points=3)(parity.without_a_mask),
            tiers.PARITY(points=2)(parity.on_long_sequences),
            tiers.PARITY(points=3)(parity.in_cross_attention),
            tiers.PARITY(points=1)(parity.in_batches_of_any_size),
            tiers.PARITY(points=1)(parity.where_inputs_are_one_tensor),
            tiers.PARITY(points=3)(parity.under_both_masks),
            tiers.PARITY(points=1)(parity.under_masks_of_any_dtype_and_shape),
            heads_of_any_size,
            masks_broadcast,
            *(tiers.PARITY(points=1, mask_format=mask_format)(parity.under_any_mask) for mask_format in FORMATS),
            *(tiers.PARITY(points=1, mask_format=mask_format)(parity.under_any_mask_in_cross_attention) for mask_format in FORMATS),
            a_mask_for_every_head,
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

    def mask_shapes(self, N: int, H: int, L: int, S: int) -> tuple[tuple[int, ...], ...]:
        return ((N, L, S), (L, S), (1, S), (S,), (1, L, S), (N, 1, S), (1, 1, S))

    def call(self, case: Case, size: Size) -> Call:
        inputs = (case.query, case.keys, case.values)
        shown = shown_flat(case)
        if shown is None:
            return Call("scaled_dot_product_attention", inputs)
        if case.mask_dtype is not None:
            return Call("scaled_dot_product_attention", inputs, {"mask": (~shown).to(case.mask_dtype)})
        form = case.mask_format or FORMATS[0]
        if mask_format.axes == "NLS" and shown.dim() == 2:
            shown = shown.expand(case.query.shape[0], -1, -1)
        return Call("scaled_dot_product_attention", (*inputs, (~shown).to(mask_format.dtype)))

    def read(self, value: Any, case: Case) -> Answer:
        return read_pair(value, case, "output", "attention_weights")

    # BEGIN HIDDEN
    def pytorch(self, case: Case, size: Size, weights: Projections) -> Answer:
        shown = shown_flat(case)
        shown = shown if shown is None else torch.atleast_2d(shown)
        one_hot = torch.eye(case.keys.shape[-2], dtype=size.dtype).expand(*case.keys.shape[:-1], -1)
        return Answer(
            F.scaled_dot_product_attention(case.query, case.keys, case.values, shown),
            F.scaled_dot_product_attention(case.query, case.keys, one_hot, shown),
        )

    # END HIDDEN


def shown_flat(case: Case) -> Tensor | None:
    """`allow` and `keep` joined, broadcastable to (N, L, S)."""
    if case.keep is None:
        return case.allow
    keep = case.keep[:, None, :]
    return keep if case.allow is None else case.allow & keep
