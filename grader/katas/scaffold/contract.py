"""`scaffold`: a configured module with helpers; True = allow / keep; weights averaged over heads."""

from typing import Any, ClassVar

import torch
from torch import Tensor

from grader.checks import expect, tiers
from grader.checks.attention import MakeAttention
from grader.checks.case import Answer, Case, MaskFormat, Projections, Size
from grader.claims import causal, nan_safety, padding, shapes, weight_sums
from grader.checks.draw import Draw
from grader.checks.kata import Call, Kata, Made, New, read_pair
from grader.records import Contract, Needed

# BEGIN HIDDEN
# isort: split
from grader.checks import mistakes, pipeline
from grader.claims import dropout, gradients, helpers, parity
from grader.oracle.pipeline import Context, Steps

# END HIDDEN

CONFIG = """
from dataclasses import dataclass

@dataclass
class AttentionConfig:
    embed_dim: int
    num_heads: int
    dropout_p: float = 0.0
    bias: bool = True
"""

CAUSAL_MASK = """
import torch

def causal_mask(T, S=None, device=None):
    return torch.ones(T, T if S is None else S, dtype=torch.bool, device=device).tril()
"""

FORMATS = (
    MaskFormat("a bool [T, S]", "LS", torch.bool),
    MaskFormat("a bool [B, 1, T, S]", "N1LS", torch.bool),
    MaskFormat("a float [T, S]", "LS", None),
    MaskFormat("a float [B, 1, T, S]", "N1LS", None),
)
FLOATS = FORMATS[2:]


@tiers.SHAPES(points=1)
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
        case = mha.case(draw, N=2, L=T, S=S, allow=mask)
        expect.shape("output", mha(case).output, B=2, T=T, E=18)
    # Not on the device meta: its first tril imports 2 s of Python into the worker.
    elsewhere = "causal_mask(5, 8, device='nowhere')"
    expect.refuses(elsewhere, lambda: mha.helper("causal_mask", 5, 8, "nowhere"), "RuntimeError")


class Scaffold(Kata):
    """The scaffold of many interviews: a configuration, four layers, helpers, masks of two kinds."""

    name = "scaffold"
    title = "A configured module with helpers, two kinds of mask, cross-attention"
    mask = "`attn_mask` True = allow, or float added to the scores; `key_padding_mask` True = keep"
    contract = Contract(
        "scaffold",
        (
            Needed("AttentionConfig", "class", supplied=CONFIG),
            Needed("causal_mask", "function", "(T, S=None, device=None)", supplied=CAUSAL_MASK),
            Needed("MultiHeadAttention", "class"),
            Needed("MultiHeadAttention.__init__", "method", "(cfg)"),
            Needed(
                "MultiHeadAttention.forward",
                "method",
                "(x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False)",
            ),
        ),
    )
    streams = 2
    names: ClassVar = {"query": "x", "key": "kv", "bias": "attn_mask"}
    per_head = False
    formats = FORMATS
    functions = frozenset({"causal_mask"})
    # BEGIN HIDDEN
    oracle = pipeline.PER_HEAD.but(give=pipeline.give_average)
    mistakes = (
        *mistakes.FORMULA,
        mistakes.SOFTMAX_OVER_HEADS,
        *mistakes.PROJECTIONS,
        mistakes.SCORES_TRANSPOSED,
        *mistakes.WEIGHTS_MIXED_UP,
        *mistakes.BIASES,
        *mistakes.LAYOUT,
        *mistakes.HEADS_OF_ONE_TOKEN,
        *mistakes.TWO_MASKS_READ,
        *mistakes.TWO_MASKS,
        *mistakes.MASKS,
        *mistakes.NAN_ROWS,
        mistakes.NAN_WEIGHTS,
        *mistakes.NUMBERS,
        *mistakes.AVERAGED_WEIGHTS,
        *mistakes.DROPOUT_OF_WEIGHTS_ALONE,
        *mistakes.DETACHED,
        *mistakes.OTHER_INPUTS,
        *mistakes.EVERYWHERE,
        mistakes.CAUSAL_IN_PLACE_OF_THE_MASK,
        *mistakes.MANY_HEADS,
        *mistakes.LAYERS,
        mistakes.WEIGHTS_OF_LAST_HEAD,
        *mistakes.WHEN_ASKED,
        *mistakes.MORE_DROPOUT,
        mistakes.SCORES_RETURNED,
        *mistakes.CAUSAL_HELPER,
    )
    # END HIDDEN
    checks = (
        *tiers.public(
            tiers.SHAPES(points=1)(shapes.self_attention),
            tiers.SHAPES(points=1)(shapes.cross_attention),
            tiers.SHAPES(points=1)(shapes.cross_attention_weights),
            causal_mask_is_lower_triangular,
            tiers.SHAPES(points=1)(shapes.smallest_sizes),
            tiers.SHAPES(points=1, switch="need_weights=False")(shapes.no_weights_unless_wanted),
            tiers.SHAPES(points=1)(shapes.number_of_parameters),
            tiers.SHAPES(points=1)(shapes.a_size_that_the_heads_do_not_divide_is_refused),
            tiers.WEIGHT_SUMS(points=2)(weight_sums.weights_are_a_distribution),
            tiers.WEIGHT_SUMS(points=2)(weight_sums.weights_are_a_distribution_in_cross_attention),
            tiers.PADDING(points=3)(padding.padded_keys_get_no_weight),
            tiers.PADDING(points=3)(padding.a_padded_batch_equals_each_sequence_alone),
            tiers.CAUSAL(points=2)(causal.no_query_sees_a_later_key),
            *(
                tiers.CAUSAL(points=1, mask_format=mask_format)(causal.a_prefix_does_not_depend_on_what_follows_in_format)
                for mask_format in FORMATS
            ),
            tiers.NAN_SAFETY(points=1)(nan_safety.a_query_that_sees_nothing),
            *(tiers.NAN_SAFETY(points=1, mask_format=mask_format)(nan_safety.a_query_that_sees_nothing_in_format) for mask_format in FLOATS),
            tiers.NAN_SAFETY(points=1)(nan_safety.a_sequence_that_is_all_padding),
            tiers.NAN_SAFETY(points=1)(nan_safety.all_zero_input),
        ),
        # BEGIN HIDDEN
        *tiers.on_reveal(
            tiers.SHAPES(points=1)(helpers.split_heads_gives_each_head_its_slice),
            tiers.SHAPES(points=1)(helpers.merge_heads_undoes_split_heads),
            tiers.SHAPES(points=2)(helpers.apply_masks_keeps_what_may_be_seen),
            tiers.WEIGHT_SUMS(points=2)(weight_sums.weights_made_the_output),
            tiers.PADDING(points=2)(padding.padding_may_lie_on_the_left),
            tiers.PADDING(points=2)(padding.padding_in_cross_attention),
            tiers.PADDING(points=2)(padding.padding_and_causal_together),
            tiers.CAUSAL(points=1)(causal.a_long_prefix_equals_itself_alone),
            tiers.CAUSAL(points=1)(causal.a_query_sees_itself),
            tiers.CAUSAL(points=1)(causal.causal_with_other_keys),
            tiers.NAN_SAFETY(points=1)(nan_safety.gradients_past_a_query_that_sees_nothing),
            *(
                tiers.NAN_SAFETY(points=1, mask_format=mask_format)(nan_safety.gradients_past_a_query_that_sees_nothing_in_format)
                for mask_format in FLOATS
            ),
            tiers.GRADIENTS(points=1)(gradients.masks_are_not_changed),
            tiers.GRADIENTS(points=1)(gradients.no_state_is_kept),
        ),
        *tiers.hidden(
            tiers.NAN_SAFETY(points=1)(nan_safety.large_scores),
            tiers.NAN_SAFETY(points=1)(nan_safety.large_scores_under_a_mask),
            tiers.GRADIENTS(points=2)(gradients.of_the_inputs),
            tiers.GRADIENTS(points=1)(gradients.of_the_added_bias),
            tiers.GRADIENTS(points=3)(gradients.of_the_parameters),
            tiers.GRADIENTS(points=2)(gradients.of_the_inputs_under_masks),
            tiers.GRADIENTS(points=2)(gradients.of_the_parameters_under_masks),
            tiers.PARITY(points=2)(parity.without_a_mask),
            tiers.PARITY(points=2)(parity.with_many_heads),
            tiers.PARITY(points=2)(parity.on_long_sequences),
            tiers.PARITY(points=2)(parity.in_cross_attention),
            tiers.PARITY(points=1)(parity.in_batches_of_any_size),
            tiers.PARITY(points=1)(parity.where_inputs_are_one_tensor),
            tiers.PARITY(points=3)(parity.under_a_causal_mask),
            tiers.PARITY(points=3)(parity.under_a_padding_mask),
            tiers.PARITY(points=3)(parity.under_both_masks),
            *(tiers.PARITY(points=1, mask_format=mask_format)(parity.under_any_mask) for mask_format in FORMATS),
            *(tiers.PARITY(points=1, mask_format=mask_format)(parity.under_any_mask_and_padding) for mask_format in FORMATS),
            tiers.PARITY(points=1)(helpers.apply_masks_takes_a_float_mask_or_none),
            tiers.PARITY(points=1)(parity.under_an_added_bias),
            tiers.PARITY(points=2)(parity.without_bias),
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
        # Left out where they are the contract's defaults, so that these are judged too.
        config = ({"dropout_p": size.dropout} if size.dropout else {}) | ({} if size.bias else {"bias": False})
        made = New("AttentionConfig", (size.embed_dim, size.num_heads), config)
        return made, New("MultiHeadAttention", (Made(0),))

    def parameters(self, weights: Projections) -> dict[str, Tensor]:
        layers = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "out_proj"}
        return {
            f"{layers[name[0]]}.{'bias' if name.endswith('bias') else 'weight'}": tensor
            for name, tensor in weights.items()
        }

    def call(self, case: Case, size: Size) -> Call:
        inputs = (case.query,) if case.key is None else (case.query, case.key)
        masks = {"attn_mask": attn_mask(case, size), "key_padding_mask": case.keep}
        given = {name: mask for name, mask in masks.items() if mask is not None}
        return Call("__call__", inputs, given | ({"need_weights": True} if case.need_weights else {}))

    def read(self, value: Any, case: Case) -> Answer:
        return read_pair(value, case, "y", "weights")

    # BEGIN HIDDEN
    def helper_oracle(self, steps: Steps, size: Size, name: str, *args: Any) -> Tensor:
        match name, *args:
            case "_split_heads", x:
                return steps.split(x, Context.alone(size))
            case "_merge_heads", x:
                return steps.merge(x, Context.alone(size))
            case "_apply_masks", logits, mask, keep:
                name = "allow" if mask is None or mask.dtype == torch.bool else "bias"
                return steps.mask(logits, Context.alone(size, keep=keep, **{name: mask}))
        return steps.causal(*args[:2])

    # END HIDDEN


def attn_mask(case: Case, size: Size) -> Tensor | None:
    """The attention mask in the form that the case asks for."""
    if case.bias is not None:
        return case.bias.to(case.mask_dtype or size.dtype)
    if case.allow is None:
        return None
    form, allow = case.mask_format or FORMATS[0], case.allow
    if "N" in mask_format.axes and allow.dim() != 4:
        allow = allow[None, None].expand(case.query.shape[0], 1, -1, -1)
    if not mask_format.is_float:
        return allow
    return torch.zeros(allow.shape, dtype=size.dtype).masked_fill(~allow, -torch.inf)
