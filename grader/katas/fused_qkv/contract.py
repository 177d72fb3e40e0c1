"""`fused_qkv`: one linear layer for queries, keys and values; self-attention; 0 = masked; weights per head."""

from typing import Any, ClassVar

import torch
from torch import Tensor

from grader.checks import tiers
from grader.checks.case import Answer, Case, MaskFormat, Projections, Size
from grader.claims import causal, nan_safety, padding, shapes, weight_sums
from grader.checks.kata import Call, Kata, New, read_pair
from grader.records import Contract, Needed

# BEGIN HIDDEN
# isort: split
from grader.checks import mistakes, pipeline
from grader.claims import dropout, gradients, parity
from grader.oracle.mistake import Mistake
from grader.oracle.pipeline import Context

# END HIDDEN

FORMATS = (
    MaskFormat("a bool (L, L)", "LS", torch.bool),
    MaskFormat("a bool (B, 1, L, L)", "N1LS", torch.bool),
    MaskFormat("an integer (B, 1, L, L) of 0 and 1", "N1LS", torch.int64),
    MaskFormat("a bool (B, 1, 1, L)", "N11S", torch.bool),
    MaskFormat("a float (B, 1, L, L) of 0 and 1", "N1LS", torch.float32),
)


# BEGIN HIDDEN
def heads_first(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    """The fused projection taken apart as (H, 3, D) instead of (3, H, D)."""
    fused = torch.cat(pipeline.project(c), dim=-1).unflatten(-1, (c.size.num_heads, 3, c.size.head_dim))
    query, key, value = fused.movedim(-2, 0).flatten(-2)
    return query, key, value


def three_last(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    """The fused projection taken apart as (H, D, 3) instead of (3, H, D)."""
    fused = torch.cat(pipeline.project(c), dim=-1).unflatten(-1, (c.size.embed_dim, 3))
    query, key, value = fused.unbind(-1)
    return query, key, value


_ORDER = "The layer's rows are all queries, then all keys, then all values: read otherwise, the three are mixed."
HEADS_FIRST = Mistake(
    "qkv_heads_first",
    "the fused projection was taken apart as (H, 3, D): first by heads, then into queries, keys and values",
    {"project": heads_first},
    why=_ORDER,
)
THREE_LAST = Mistake(
    "qkv_three_last",
    "the fused projection was taken apart as (E, 3): queries, keys and values were dealt out in turn",
    {"project": three_last},
    why=_ORDER,
)
# END HIDDEN


class FusedQKV(Kata):
    """Queries, keys and values from one matrix product."""

    name = "fused_qkv"
    title = "One layer for queries, keys and values"
    mask = "`mask` 0 = masked"
    contract = Contract(
        "fused_qkv",
        (
            Needed("EfficientMultiHeadAttention", "class"),
            Needed("EfficientMultiHeadAttention.__init__", "method", "(d_model, num_heads, dropout=0.0)"),
            Needed("EfficientMultiHeadAttention.forward", "method", "(x, mask=None)"),
        ),
    )
    streams = 1
    names: ClassVar = {"query": "x"}
    formats = FORMATS
    # BEGIN HIDDEN
    oracle = pipeline.PER_HEAD.but(give=pipeline.give_always)
    mistakes = (
        *mistakes.FORMULA,
        mistakes.SOFTMAX_OVER_HEADS,
        *mistakes.PROJECTIONS,
        *mistakes.WEIGHTS_MIXED_UP,
        HEADS_FIRST,
        THREE_LAST,
        *mistakes.BIASES,
        *mistakes.LAYOUT,
        *mistakes.HEADS_OF_ONE_TOKEN,
        *mistakes.MASKS,
        *mistakes.ONE_MASK,
        mistakes.FLOAT_ONES_ADDED_TO_SEEN,
        mistakes.ONES_ADDED_TO_SEEN,
        *mistakes.NAN_ROWS,
        mistakes.NAN_WEIGHTS,
        *mistakes.NUMBERS,
        *mistakes.WEIGHTS_PER_HEAD,
        *mistakes.DROPOUT_OF_WEIGHTS_ALONE,
        *mistakes.DETACHED,
        *mistakes.EVERYWHERE,
        *mistakes.MANY_HEADS,
        *mistakes.FUSED_LAYERS,
        *mistakes.ONE_MASK_OVER_HEADS,
        mistakes.HIDDEN_VALUES_ZEROED,
        mistakes.WEIGHTS_OF_LAST_HEAD,
        *mistakes.MORE_DROPOUT,
        mistakes.SCORES_RETURNED,
    )
    # END HIDDEN
    checks = (
        *tiers.public(
            tiers.SHAPES(points=3)(shapes.self_attention),
            tiers.SHAPES(points=3)(shapes.self_attention_weights),
            tiers.SHAPES(points=1)(shapes.number_of_parameters_with_bias),
            tiers.SHAPES(points=3)(shapes.smallest_sizes),
            tiers.SHAPES(points=2)(shapes.a_size_that_the_heads_do_not_divide_is_refused),
            tiers.WEIGHT_SUMS(points=4)(weight_sums.weights_are_a_distribution),
            tiers.PADDING(points=3)(padding.padded_keys_get_no_weight),
            tiers.PADDING(points=3)(padding.a_padded_batch_equals_each_sequence_alone),
            tiers.CAUSAL(points=3)(causal.no_query_sees_a_later_key),
            *(
                tiers.CAUSAL(points=1, mask_format=mask_format)(causal.a_prefix_does_not_depend_on_what_follows_in_format)
                for mask_format in FORMATS[:3]
            ),
            *(
                tiers.NAN_SAFETY(points=1, mask_format=mask_format)(nan_safety.a_query_that_sees_nothing_in_format)
                for mask_format in (FORMATS[2], FORMATS[4])
            ),
            tiers.NAN_SAFETY(points=2)(nan_safety.a_sequence_that_is_all_padding),
            tiers.NAN_SAFETY(points=2)(nan_safety.all_zero_input),
        ),
        # BEGIN HIDDEN
        *tiers.on_reveal(
            tiers.WEIGHT_SUMS(points=3)(weight_sums.weights_made_the_output),
            tiers.PADDING(points=2)(padding.padding_may_lie_on_the_left),
            tiers.PADDING(points=2)(padding.padding_and_causal_together),
            tiers.CAUSAL(points=2)(causal.a_long_prefix_equals_itself_alone),
            tiers.CAUSAL(points=1)(causal.a_query_sees_itself),
            tiers.NAN_SAFETY(points=2)(nan_safety.gradients_past_a_query_that_sees_nothing),
            tiers.GRADIENTS(points=1)(gradients.masks_are_not_changed),
            tiers.GRADIENTS(points=1)(gradients.no_state_is_kept),
        ),
        *tiers.hidden(
            tiers.NAN_SAFETY(points=1)(nan_safety.large_scores),
            tiers.NAN_SAFETY(points=1)(nan_safety.large_scores_under_a_mask),
            tiers.GRADIENTS(points=4)(gradients.of_the_inputs),
            tiers.GRADIENTS(points=4)(gradients.of_the_parameters),
            tiers.GRADIENTS(points=2)(gradients.of_the_inputs_under_masks),
            tiers.GRADIENTS(points=2)(gradients.of_the_parameters_under_masks),
            tiers.PARITY(points=5)(parity.without_a_mask),
            tiers.PARITY(points=1)(parity.in_batches_of_any_size),
            tiers.PARITY(points=3)(parity.with_many_heads),
            tiers.PARITY(points=3)(parity.on_long_sequences),
            tiers.PARITY(points=4)(parity.under_a_causal_mask),
            tiers.PARITY(points=4)(parity.under_a_padding_mask),
            tiers.PARITY(points=4)(parity.under_both_masks),
            *(tiers.PARITY(points=1, mask_format=mask_format)(parity.under_any_mask) for mask_format in FORMATS),
            tiers.PARITY(points=1)(parity.under_masks_of_any_dtype_and_shape),
            tiers.PARITY(points=1)(parity.on_inputs_that_are_not_contiguous),
            *(tiers.PARITY(points=1, dtype=dtype)(parity.in_dtype) for dtype in ("float32", "float64", "bfloat16")),
            tiers.PARITY(points=1)(parity.without_loss_of_precision),
            tiers.PARITY(points=1)(dropout.dropout_is_off_in_eval_mode),
            tiers.PARITY(points=1, places=1)(dropout.dropout_rescales),
            tiers.PARITY(points=1, places=1)(dropout.dropout_falls_on_the_weights),
        ),
        # END HIDDEN
    )

    def construct(self, size: Size) -> tuple[New, ...]:
        dropout = {"dropout": size.dropout} if size.dropout else {}  # left out, the contract's default is judged too
        return (New("EfficientMultiHeadAttention", (size.embed_dim, size.num_heads), dropout),)

    def parameters(self, weights: Projections) -> dict[str, Tensor]:
        w = weights
        found = {"qkv_proj.weight": torch.cat([w.q, w.k, w.v]), "out_proj.weight": w.o}
        if w.q_bias is not None and w.k_bias is not None and w.v_bias is not None and w.o_bias is not None:
            found |= {"qkv_proj.bias": torch.cat([w.q_bias, w.k_bias, w.v_bias]), "out_proj.bias": w.o_bias}
        return found

    def mask_shapes(self, N: int, H: int, L: int, S: int) -> tuple[tuple[int, ...], ...]:
        flat = ((L, L), (1, L), (L,), (1, L, L), (1, 1, L))
        for_each_head = ((1, H, L, L), (N, H, L, L), (N, H, 1, L), (1, H, 1, L))
        return ((N, 1, L, L), *flat, (N, 1, 1, L), (1, 1, L, L), (1, 1, 1, L), *for_each_head)

    def call(self, case: Case, size: Size) -> Call:
        shown = case.shown
        if shown is None:
            return Call("__call__", (case.query,))
        if case.mask_dtype is not None:
            mask = shown if case.allow is None else case.allow
            # Broadcasting adds a leading axis of 1 by itself: a mask for each head may come as (H, L, L).
            mask = mask[0] if mask.dim() == 4 and mask.shape[:2] == (1, size.num_heads) else mask
            return Call("__call__", (case.query, mask.to(case.mask_dtype)))
        form = case.mask_format or FORMATS[0]
        if "N" in mask_format.axes and shown.dim() == 2:
            shown = shown.expand(case.query.shape[0], 1, -1, -1)
        return Call("__call__", (case.query,), {"mask": shown.to(mask_format.dtype)})

    def read(self, value: Any, case: Case) -> Answer:
        return read_pair(value, case, "out", "weights")
