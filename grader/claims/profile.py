"""The public claims that an attention is checked by, chosen by what its contract has."""

from collections.abc import Callable, Iterable

from grader.checks import tiers
from grader.checks.attention_kata import AttentionKata
from grader.checks.case import MaskFormat
from grader.checks.tiers import Claim, Tier
from grader.claims import causal, interface, nan_safety, padding, shapes, weight_sums

KataClass = type[AttentionKata]


def public(kata: KataClass) -> tuple[Claim, ...]:
    """Those that need neither solution nor oracle; a kata adds its own."""
    return tiers.public(
        *_shapes(kata),
        *_weight_sums(kata),
        *(_masked(kata) if kata.formats else ()),
        tiers.NAN_SAFETY(weight=2)(nan_safety.all_zero_input),
        *_interface(kata),
    )


def where(holds: object, *claims: Claim) -> tuple[Claim, ...]:
    """The claims, where the contract has what they speak of."""
    return claims if holds else ()


def in_each(
    tier: Tier, claim: Callable[..., None], formats: Iterable[MaskFormat], weight: int = 1
) -> tuple[Claim, ...]:
    """The claim once for each of these mask formats.

    Args:
        tier: that the claim belongs to.
        claim: a function that takes `mask_format`.
        formats: the mask formats.
        weight: of each of the claims within the tier.
    """
    return tuple(tier(weight=weight, mask_format=mask_format)(claim) for mask_format in formats)


def one_of_each_dtype(formats: Iterable[MaskFormat]) -> tuple[MaskFormat, ...]:
    """The first format of each dtype: a submission may read each by lines of its own."""
    return tuple({mask_format.dtype: mask_format for mask_format in reversed(tuple(formats))}.values())[::-1]


def _shapes(kata: KataClass) -> tuple[Claim, ...]:
    crosses = kata.streams > 1
    return (
        tiers.SHAPES(weight=2)(shapes.self_attention),
        *where(kata.returns_weights and not crosses, tiers.SHAPES(weight=2)(shapes.self_attention_weights)),
        *where(crosses, tiers.SHAPES(weight=2)(shapes.cross_attention)),
        *where(crosses and kata.returns_weights, tiers.SHAPES(weight=2)(shapes.cross_attention_weights)),
        *where(kata.has_heads, tiers.SHAPES(weight=2)(shapes.smallest_sizes)),
    )


def _weight_sums(kata: KataClass) -> tuple[Claim, ...]:
    crosses = kata.streams > 1
    if not kata.returns_weights:
        return (
            tiers.WEIGHT_SUMS(weight=2)(weight_sums.equal_values_come_back),
            tiers.WEIGHT_SUMS(weight=1)(weight_sums.one_key_takes_all),
        )
    return (
        tiers.WEIGHT_SUMS(weight=2)(weight_sums.weights_are_a_distribution),
        *where(crosses, tiers.WEIGHT_SUMS(weight=2)(weight_sums.weights_are_a_distribution_in_cross_attention)),
    )


def _masked(kata: KataClass) -> tuple[Claim, ...]:
    by_query = [mask_format for mask_format in kata.formats if "L" in mask_format.axes]
    return (
        *where(kata.returns_weights, tiers.PADDING(weight=3)(padding.padded_keys_get_no_weight)),
        *where(not kata.padding_formats, tiers.PADDING(weight=3)(padding.a_padded_batch_equals_each_sequence_alone)),
        *in_each(tiers.PADDING, padding.a_padded_batch_equals_each_sequence_alone_in_format, kata.padding_formats),
        *where(kata.returns_weights, tiers.CAUSAL(weight=2)(causal.no_query_sees_a_later_key)),
        *in_each(tiers.CAUSAL, causal.a_prefix_does_not_depend_on_what_follows_in_format, by_query),
        *in_each(tiers.NAN_SAFETY, nan_safety.a_fully_masked_row_in_format, one_of_each_dtype(kata.formats)),
        *where(kata.takes_any_shape, tiers.NAN_SAFETY()(nan_safety.a_fully_masked_row_under_a_broadcast_mask)),
        tiers.NAN_SAFETY(weight=2)(nan_safety.a_sequence_that_is_all_padding),
    )


def _interface(kata: KataClass) -> tuple[Claim, ...]:
    counted = interface.number_of_parameters if kata.bias_is_optional else interface.number_of_parameters_with_bias
    return (
        *where(kata.has_heads, tiers.INTERFACE()(interface.a_size_that_the_heads_do_not_divide_is_refused)),
        *where(kata.has_layers and kata.has_modes, tiers.INTERFACE()(counted)),
        *where(kata.has_layers and not kata.has_modes, tiers.INTERFACE(weight=2)(interface.each_layer_has_a_bias)),
        *where(not kata.returns_weights, tiers.INTERFACE()(interface.the_output_is_returned_alone)),
        *where(kata.switch, tiers.INTERFACE()(interface.no_weights_unless_wanted)),
        *where(kata.class_name, tiers.INTERFACE()(interface.defaults_are_the_contracts)),
        tiers.INTERFACE()(interface.arguments_have_the_names_of_the_contract),
    )
