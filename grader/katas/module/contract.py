"""`module`: the textbook nn.Module; 0 = masked, 1 = attend; weights per head; dropout twice."""

from itertools import combinations, product
from typing import Any, ClassVar

import torch
from torch import Tensor

from grader.checks import expect, tiers
from grader.checks.attention import MakeAttention
from grader.checks.case import Answer, Case, MaskFormat, Projections, Size
from grader.claims import causal, nan_safety, padding, shapes, weight_sums
from grader.checks.draw import Draw
from grader.checks.kata import Call, Kata, New, read_pair
from grader.records import Contract, Needed

# BEGIN HIDDEN
# isort: split
from grader.checks import mistakes, pipeline
from grader.claims import dropout, gradients, parity

# END HIDDEN

FORMATS = (
    MaskFormat("a bool [B, 1, L, S]", "N1LS", torch.bool),
    MaskFormat("an integer [B, 1, L, S] of 0 and 1", "N1LS", torch.int64),
    MaskFormat("a float [B, 1, L, S] of 0 and 1", "N1LS", torch.float32),
    MaskFormat("a bool [B, 1, 1, S]", "N11S", torch.bool),
    MaskFormat("an integer [B, 1, 1, S] of 0 and 1", "N11S", torch.int64),
)
LAYERS = ("W_Q.weight", "W_K.weight", "W_V.weight", "W_O.weight")


@tiers.SHAPES(points=3)
def weights_start_xavier_uniform(attention: MakeAttention, draw: Draw) -> None:
    """At construction, with bias and without, the weights fill the Xavier-uniform range, each drawn by itself."""
    found = attention(embed_dim=54, num_heads=3).initial_values(draw)
    bare = attention(embed_dim=54, num_heads=3, dropout=0.3, bias=False)
    without = bare.initial_values(draw, answers=False)  # its answer is for the check of layers without bias
    bound = (6 / (54 + 54)) ** 0.5
    for made, path in product((found, without), LAYERS):
        weight = expect.tensor(path, made.get(path))
        expect.shape(path, weight, E=54, E_=54)
        expect.at_least(f"{bound:.4f} - abs({path})", bound - weight.abs(), -1e-6)
        # Uniform on +-bound has the standard deviation bound / sqrt(3); 2916 draws spread it by 1 %.
        spread = expect.Tolerance(0.1 * bound, 0.0)
        expect.close(f"standard deviation of {path}", weight.std(), bound / 3**0.5, spread)
        # The largest of 2916 draws falls short of 99 % of the bound once in 10^10 times.
        expect.close(f"largest of abs({path})", weight.abs().max(), bound, expect.Tolerance(0.01 * bound, 0.0))
    for first, second in combinations(LAYERS, 2):
        expect.differ(second, found[second], found[first], f"than {first}")
    another = attention(embed_dim=54, num_heads=3).initial_values(draw)
    expect.differ(LAYERS[0], another[LAYERS[0]], found[LAYERS[0]], "in a second layer")


@tiers.SHAPES(points=1)
def biases_start_at_zero(attention: MakeAttention, draw: Draw) -> None:
    """At construction the biases are zero."""
    found = attention(embed_dim=18, num_heads=3).initial_values(draw)
    for path in ("W_Q.bias", "W_K.bias", "W_V.bias", "W_O.bias"):
        expect.shape(path, found.get(path), E=18)
        expect.zero(path, found[path])


@tiers.SHAPES(points=1)
def extra_repr_names_the_sizes(attention: MakeAttention, draw: Draw) -> None:
    """extra_repr names d_model, num_heads, dropout and bias with their values."""
    for dropout_p, bias in ((0.25, False), (0.0, True)):
        mha = attention(embed_dim=18, num_heads=3, dropout=dropout_p, bias=bias)
        said = expect.text("extra_repr()", mha.helper("extra_repr"))
        parts = said.replace(" ", "").split(",")
        for part in ("d_model=18", "num_heads=3", f"dropout={dropout_p}", f"bias={bias}"):
            expect.equal(f"{part} in extra_repr", part if part in parts else said, part)


class Module(Kata):
    """The module of textbooks and courses."""

    name = "module"
    title = "A complete nn.Module: Xavier initialisation, dropout, weights per head"
    mask = "`mask` 0 = masked, 1 = attend"
    contract = Contract(
        "module",
        (
            Needed("MultiHeadAttention", "class"),
            Needed("MultiHeadAttention.__init__", "method", "(d_model, num_heads, dropout=0.0, bias=True)"),
            Needed("MultiHeadAttention.forward", "method", "(query, key, value, mask=None, return_attention=True)"),
        ),
    )
    streams = 3
    names: ClassVar = {}
    formats = FORMATS
    # BEGIN HIDDEN
    oracle = pipeline.PER_HEAD.but(drop_output=pipeline.dropout)
    mistakes = (
        *mistakes.FORMULA,
        mistakes.SOFTMAX_OVER_HEADS,
        *mistakes.PROJECTIONS,
        mistakes.SCORES_TRANSPOSED,
        *mistakes.WEIGHTS_MIXED_UP,
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
        *mistakes.DROPOUT,
        mistakes.NO_OUTPUT_DROPOUT,
        *mistakes.DETACHED,
        *mistakes.OTHER_INPUTS,
        *mistakes.EVERYWHERE,
        *mistakes.MANY_HEADS,
        *mistakes.VALUES_IGNORED,
        mistakes.INPUTS_SWAPPED,
        *mistakes.LAYERS,
        *mistakes.ONE_MASK_OVER_HEADS,
        mistakes.HIDDEN_VALUES_ZEROED,
        mistakes.WEIGHTS_OF_LAST_HEAD,
        *mistakes.WHEN_ASKED,
        *mistakes.MORE_DROPOUT,
        mistakes.SCORES_RETURNED,
        mistakes.NO_DROPOUT_AT_ALL,
    )
    # END HIDDEN
    checks = (
        *tiers.public(
            tiers.SHAPES(points=1)(shapes.self_attention),
            tiers.SHAPES(points=1)(shapes.cross_attention),
            tiers.SHAPES(points=1)(shapes.cross_attention_weights),
            tiers.SHAPES(points=1)(shapes.smallest_sizes),
            tiers.SHAPES(points=1, switch="return_attention=False")(shapes.no_weights_unless_wanted),
            tiers.SHAPES(points=1)(shapes.a_size_that_the_heads_do_not_divide_is_refused),
            weights_start_xavier_uniform,
            biases_start_at_zero,
            tiers.SHAPES(points=2)(shapes.number_of_parameters),
            extra_repr_names_the_sizes,
            tiers.WEIGHT_SUMS(points=2)(weight_sums.weights_are_a_distribution),
            tiers.WEIGHT_SUMS(points=2)(weight_sums.weights_are_a_distribution_in_cross_attention),
            tiers.PADDING(points=3)(padding.padded_keys_get_no_weight),
            *(
                tiers.PADDING(points=1, mask_format=mask_format)(padding.a_padded_batch_equals_each_sequence_alone_in_format)
                for mask_format in FORMATS
            ),
            tiers.CAUSAL(points=2)(causal.no_query_sees_a_later_key),
            *(
                tiers.CAUSAL(points=1, mask_format=mask_format)(causal.a_prefix_does_not_depend_on_what_follows_in_format)
                for mask_format in FORMATS[:3]
            ),
            *(
                tiers.NAN_SAFETY(points=1, mask_format=mask_format)(nan_safety.a_query_that_sees_nothing_in_format)
                for mask_format in (FORMATS[1], FORMATS[2])
            ),
            tiers.NAN_SAFETY(points=2)(nan_safety.a_sequence_that_is_all_padding),
            tiers.NAN_SAFETY(points=1)(nan_safety.all_zero_input),
        ),
        # BEGIN HIDDEN
        *tiers.on_reveal(
            tiers.WEIGHT_SUMS(points=2)(weight_sums.weights_made_the_output),
            tiers.PADDING(points=1)(padding.padding_may_lie_on_the_left),
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
            tiers.GRADIENTS(points=3)(gradients.of_the_inputs),
            tiers.GRADIENTS(points=3)(gradients.of_the_parameters),
            tiers.GRADIENTS(points=2)(gradients.of_the_inputs_under_masks),
            tiers.GRADIENTS(points=2)(gradients.of_the_parameters_under_masks),
            tiers.PARITY(points=4)(parity.without_a_mask),
            tiers.PARITY(points=2)(parity.with_many_heads),
            tiers.PARITY(points=2)(parity.on_long_sequences),
            tiers.PARITY(points=3)(parity.in_cross_attention),
            tiers.PARITY(points=1)(parity.in_batches_of_any_size),
            tiers.PARITY(points=1)(parity.where_inputs_are_one_tensor),
            tiers.PARITY(points=3)(parity.under_a_causal_mask),
            tiers.PARITY(points=3)(parity.under_a_padding_mask),
            tiers.PARITY(points=4)(parity.under_both_masks),
            *(tiers.PARITY(points=1, mask_format=mask_format)(parity.under_any_mask) for mask_format in FORMATS),
            tiers.PARITY(points=1)(parity.under_masks_of_any_dtype_and_shape),
            tiers.PARITY(points=1, mask_format=FORMATS[0])(parity.under_any_mask_in_cross_attention),
            tiers.PARITY(points=1)(parity.without_bias),
            tiers.PARITY(points=1)(parity.on_inputs_that_are_not_contiguous),
            *(tiers.PARITY(points=1, dtype=dtype)(parity.in_dtype) for dtype in ("float32", "float64", "bfloat16")),
            tiers.PARITY(points=1)(parity.without_loss_of_precision),
            tiers.PARITY(points=1)(dropout.dropout_is_off_in_eval_mode),
            tiers.PARITY(points=1, places=2)(dropout.dropout_rescales),
            tiers.PARITY(points=1, places=2)(dropout.dropout_falls_on_the_weights),
        ),
        # END HIDDEN
    )

    def construct(self, size: Size) -> tuple[New, ...]:
        # Left out where they are the contract's defaults, so that these are judged too.
        options = ({"dropout": size.dropout} if size.dropout else {}) | ({} if size.bias else {"bias": False})
        return (New("MultiHeadAttention", (size.embed_dim, size.num_heads), options),)

    def parameters(self, weights: Projections) -> dict[str, Tensor]:
        return {
            f"W_{name[0].upper()}.{'bias' if name.endswith('bias') else 'weight'}": tensor
            for name, tensor in weights.items()
        }

    def mask_shapes(self, N: int, H: int, L: int, S: int) -> tuple[tuple[int, ...], ...]:
        return ((N, 1, L, S), (N, 1, 1, S))

    def call(self, case: Case, size: Size) -> Call:
        inputs = (case.query, case.keys, case.values)
        options: dict[str, Any] = {} if case.need_weights else {"return_attention": False}
        shown = case.shown
        if case.mask_dtype is not None and shown is not None:
            return Call("__call__", (*inputs, shown.to(case.mask_dtype)), options)
        if shown is not None:
            form = case.mask_format or FORMATS[0 if case.allow is not None else 3]
            shape = mask_format.shape(case.query.shape[0], case.query.shape[1], case.keys.shape[1])
            options["mask"] = shown.expand(shape).to(mask_format.dtype)
        return Call("__call__", inputs, options)

    def read(self, value: Any, case: Case) -> Answer:
        return read_pair(value, case, "output", "weights")
