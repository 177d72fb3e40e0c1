"""The claims that a kit does not show, chosen by what a contract has."""

from grader.checks import tiers
from grader.checks.tiers import Claim
from grader.claims.hidden import causal, dropout, gradients, nan_safety, padding, parity, weight_sums
from grader.claims.profile import KataClass, in_each, where

DTYPES = ("float32", "float64", "bfloat16")


def hidden(kata: KataClass) -> tuple[Claim, ...]:
    """Those on reveal, and those that are hidden; a kata adds its own."""
    return (
        *tiers.on_reveal(*_properties(kata)),
        *tiers.hidden(*_large_scores(kata), *_parity(kata), *_gradients(kata), *_dropout(kata)),
    )


def _properties(kata: KataClass) -> tuple[Claim, ...]:
    crosses = kata.streams > 1
    return (
        *where(
            kata.returns_weights and kata.has_layers, tiers.WEIGHT_SUMS(weight=2)(weight_sums.weights_made_the_output)
        ),
        *(_masked_properties(kata, crosses=crosses) if kata.formats else ()),
        tiers.GRADIENTS()(gradients.masks_are_not_changed if kata.formats else gradients.inputs_are_not_changed),
        tiers.GRADIENTS()(gradients.no_state_is_kept),
    )


def _masked_properties(kata: KataClass, *, crosses: bool) -> tuple[Claim, ...]:
    return (
        tiers.PADDING(weight=2)(padding.padding_may_lie_on_the_left),
        *where(crosses, tiers.PADDING(weight=2)(padding.padding_in_cross_attention)),
        tiers.PADDING(weight=2)(padding.padding_and_causal_together),
        tiers.CAUSAL()(causal.a_long_prefix_equals_itself_alone),
        tiers.CAUSAL()(causal.a_query_sees_itself),
        *where(crosses, tiers.CAUSAL()(causal.causal_with_other_keys)),
        tiers.NAN_SAFETY(weight=3)(nan_safety.gradients_past_a_fully_masked_row),
        *in_each(tiers.NAN_SAFETY, nan_safety.gradients_past_a_fully_masked_row_in_format, kata.additive_formats),
    )


def _large_scores(kata: KataClass) -> tuple[Claim, ...]:
    return (
        tiers.NAN_SAFETY()(nan_safety.large_scores),
        *where(kata.formats, tiers.NAN_SAFETY()(nan_safety.large_scores_under_a_mask)),
    )


def _parity(kata: KataClass) -> tuple[Claim, ...]:
    crosses = kata.streams > 1
    return (
        tiers.PARITY(weight=3)(parity.without_a_mask),
        *where(kata.has_heads, tiers.PARITY(weight=2)(parity.with_many_heads)),
        tiers.PARITY(weight=2)(parity.on_long_sequences),
        *where(crosses, tiers.PARITY(weight=3)(parity.in_cross_attention)),
        tiers.PARITY()(parity.in_batches_of_any_size),
        *where(crosses, tiers.PARITY()(parity.where_inputs_are_one_tensor)),
        *(_masked_parity(kata, crosses=crosses) if kata.formats else ()),
        *where(kata.returns_weights, tiers.PARITY(weight=2)(parity.weights_in_self_attention)),
        *where(kata.returns_weights and crosses, tiers.PARITY()(parity.weights_in_cross_attention)),
        *where(kata.bias_is_optional, tiers.PARITY()(parity.without_bias)),
        tiers.PARITY()(parity.on_inputs_that_are_not_contiguous),
        *(tiers.PARITY(dtype=dtype)(parity.in_dtype) for dtype in DTYPES),
        kata.precision()(parity.without_loss_of_precision),
    )


def _masked_parity(kata: KataClass, *, crosses: bool) -> tuple[Claim, ...]:
    one_mask_in_cross_attention = kata.formats[:2] if crosses and not kata.has_padding_mask else ()
    return (
        tiers.PARITY(weight=3)(parity.under_a_causal_mask),
        tiers.PARITY(weight=3)(parity.under_a_padding_mask),
        tiers.PARITY(weight=3)(parity.under_both_masks),
        *in_each(tiers.PARITY, parity.under_any_mask, kata.formats),
        *in_each(tiers.PARITY, parity.under_any_mask_in_cross_attention, one_mask_in_cross_attention),
        *in_each(
            tiers.PARITY, parity.under_any_mask_and_padding, kata.formats if crosses and kata.has_padding_mask else ()
        ),
        *where(not kata.has_padding_mask, tiers.PARITY()(parity.under_masks_of_any_dtype_and_shape)),
        *where(kata.additive_formats, tiers.PARITY()(parity.under_an_added_bias)),
    )


def _gradients(kata: KataClass) -> tuple[Claim, ...]:
    crosses = kata.streams > 1
    masked_and_crosses = kata.formats and crosses
    return (
        tiers.GRADIENTS(weight=2)(gradients.of_the_inputs),
        *where(crosses, tiers.GRADIENTS(weight=2)(gradients.of_the_inputs_in_cross_attention)),
        *where(kata.additive_formats, tiers.GRADIENTS()(gradients.of_the_added_bias)),
        *where(kata.has_layers, tiers.GRADIENTS(weight=3)(gradients.of_the_parameters)),
        *where(kata.formats, tiers.GRADIENTS()(gradients.of_the_inputs_under_masks)),
        *where(masked_and_crosses, tiers.GRADIENTS()(gradients.of_the_inputs_under_masks_in_cross_attention)),
        *where(kata.formats and kata.has_layers, tiers.GRADIENTS(weight=2)(gradients.of_the_parameters_under_masks)),
        tiers.GRADIENTS()(gradients.in_every_dtype),
    )


def _dropout(kata: KataClass) -> tuple[Claim, ...]:
    places = kata.dropout_places
    return where(
        places,
        tiers.PARITY()(dropout.dropout_is_off_in_eval_mode),
        tiers.PARITY(places=places)(dropout.dropout_rescales),
        tiers.PARITY(places=places)(dropout.dropout_falls_on_the_weights),
    )
