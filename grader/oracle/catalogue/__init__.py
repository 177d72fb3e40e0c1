"""Mistakes that attention invites, chosen by what a contract has; a kata adds its own."""

from grader.checks.attention_kata import AttentionKata
from grader.oracle.catalogue.additions import ADDITIONS, LAYER_NORM_ON_OUTPUT
from grader.oracle.catalogue.causal_masks import CAUSAL_FLAG, CAUSAL_HELPER
from grader.oracle.catalogue.float_masks import (
    ATTENTION_MASK_AS_CAUSAL,
    FLOAT_MASKS,
    FLOAT_ONES_ADDED_TO_HIDDEN,
    FLOAT_ONES_ADDED_TO_SEEN,
    HIDDEN_VALUES_ZEROED,
    HIDDEN_VALUES_ZEROED_IN_FORMAT,
    MULTIPLIED_BY_HIDDEN,
    TWO_MASKS_TOGETHER,
)
from grader.oracle.catalogue.formula import (
    COSINES,
    NUMBERS,
    OTHER_SOFTMAX,
    SCALE,
    SCALE_AFTER_SOFTMAX,
    SCALE_AFTER_SOFTMAX_OF_ONE_HEAD,
    SCALE_BY_QUERIES_ROOT,
    SCALE_BY_VALUES_ROOT,
    SCALE_OF_ONE_HEAD,
    SOFTMAX,
    SOFTMAX_OVER_AXIS_1,
    SOFTMAX_OVER_HEADS,
    SOFTMAX_WITHOUT_AXIS,
)
from grader.oracle.catalogue.heads import (
    FROM_QUERIES_INPUT,
    HEADS,
    HEADS_OF_ONE_TOKEN,
    INPUTS_EXCHANGED,
    INPUTS_IGNORED,
    INPUTS_OF_ONE_HEAD,
    INPUTS_SWAPPED,
    KEYS_AND_VALUES_EXCHANGED,
    KEYS_FROM_VALUES_INPUT,
    KEYS_RESHAPED,
    QUERIES_FOR_KEYS,
    QUERIES_FOR_VALUES,
    SCORES_TRANSPOSED,
    SEQUENCE_BEFORE,
    VALUES_FOR_KEYS,
    VALUES_IGNORED,
)
from grader.oracle.catalogue.layout import (
    BIASES,
    INPUT_WEIGHTS_UNTRANSPOSED,
    LAYOUT,
    ONE_LAYER,
    PROJECTIONS,
    SPLIT_APART,
    WEIGHTS_MIXED_UP,
)
from grader.oracle.catalogue.masks import (
    MASK_MOVED,
    MASK_OF_FIRST_HEAD,
    MASK_TIMES_INFINITY,
    MASKS,
    ONE_MASK,
    ONES_ADDED_TO_HIDDEN,
    ONES_ADDED_TO_SEEN,
    ONES_SUBTRACTED_FROM_HIDDEN,
    ONES_SUBTRACTED_FROM_SEEN,
    TWO_MASKS,
)
from grader.oracle.catalogue.mixing import SCORES_RETURNED, WEIGHTS_AND_VALUES
from grader.oracle.catalogue.parameters import (
    FUSED_WEIGHTS_DETACHED,
    ONE_BIAS,
    OUTPUT_WEIGHTS_DETACHED,
    WEIGHTS_DETACHED,
)
from grader.oracle.catalogue.precision import IN_FLOAT32, IN_FLOAT32_OF_ONE_HEAD
from grader.oracle.catalogue.reach import (
    BATCH,
    BATCH_AS_TIME,
    BATCH_OF_ONE_HEAD,
    FOUR_LARGEST_SCORES,
    KEYS_LEFT_OUT,
    KEYS_PAST_THE_QUERIES,
)
from grader.oracle.catalogue.reading import (
    ALWAYS_CAUSAL,
    CAUSAL_BESIDE_A_MASK,
    CAUSAL_FOR_EACH_MASK,
    CAUSAL_IN_CROSS_ATTENTION,
    CAUSAL_IN_PLACE_OF_THE_MASK,
    CAUSAL_WITHOUT_A_MASK,
    LAST_KEY_HIDDEN,
    MASK_AS_PADDING_BY_SIZE,
    MASK_COUNTED,
    MASK_FOLDED,
    MASK_FOLDED_BY_SEQUENCES,
    MASK_GIVEN_HEADS,
    MASK_OF_FIRST_HEAD_FOR_ALL,
    MASK_OF_HEADS_BY_SIZE,
    MASK_OF_SEQUENCES_BY_SIZE,
    MASKS_OF_THREE_AXES,
    PADDING_COUNTED,
    PADDING_FOLDED,
)
from grader.oracle.catalogue.rows import (
    FULLY_MASKED_ROW,
    MASK_HIDES_ALL,
    MASKED_THEN_DIVIDED,
    NAN_ROWS,
    NAN_WEIGHTS,
    ONE_ROW_HIDES_QUERIES_TOO,
)
from grader.oracle.catalogue.training import (
    DETACHED,
    DROPOUT,
    DROPOUT_BEFORE_OUTPUT_PROJECTION,
    DROPOUT_KEEPS_P,
    DROPOUT_KEEPS_P_IN_BOTH,
    DROPOUT_KEEPS_P_IN_ONE,
    DROPOUT_OFF_ON_DEMAND,
    DROPOUT_ON_OUTPUT,
    DROPOUT_ON_OUTPUT_TOO,
    DROPOUT_ON_OUTPUT_TWICE,
    INPUTS_DETACHED,
    MERGED_HEADS_DETACHED,
    MORE_DETACHED,
    MORE_DROPOUT,
    NO_DROPOUT_AT_ALL,
    NO_OUTPUT_DROPOUT,
    OTHER_INPUT_DETACHED,
    OUTPUT_DROPOUT_IN_EVAL,
    OUTPUT_DROPOUT_OFF_ON_DEMAND,
    SAME_DROPOUT_TWICE,
)
from grader.oracle.catalogue.two_paths import weights_without_mask
from grader.oracle.catalogue.weights import (
    AVERAGED_WEIGHTS,
    AVERAGED_WHEN_ASKED,
    WEIGHTS_OF_LAST_HEAD,
    WEIGHTS_PER_HEAD,
    WEIGHTS_TRANSPOSED,
)
from grader.oracle.mistake import Mistake


def of(kata: type[AttentionKata]) -> tuple[Mistake, ...]:
    """The mistakes that are possible under a kata's contract, the more special before the more general."""
    layers = _of_heads(kata) if kata.has_heads else _of_one_head(kata)
    masks = _of_two_masks(kata) if kata.has_padding_mask else _of_one_mask(kata) if kata.formats else ()
    return (*layers, *masks, *_of_all(kata), *_of_dropout(kata))


def _of_heads(kata: type[AttentionKata]) -> tuple[Mistake, ...]:
    crosses = kata.streams > 1
    return (
        *SCALE,
        *_where(crosses, SCALE_BY_QUERIES_ROOT),
        *SOFTMAX,
        SOFTMAX_OVER_HEADS,
        *PROJECTIONS,
        *_where(kata.has_layers and crosses, SCORES_TRANSPOSED),
        KEYS_RESHAPED,
        *_where(kata.has_layers, *WEIGHTS_MIXED_UP, *BIASES),
        *LAYOUT,
        *SPLIT_APART,
        *_where(kata.has_layers, *HEADS_OF_ONE_TOKEN),
        *_where(kata.returns_weights, *(WEIGHTS_PER_HEAD if kata.per_head else AVERAGED_WEIGHTS)),
        *_where(crosses, *FROM_QUERIES_INPUT, INPUTS_IGNORED),
        *SCALE_AFTER_SOFTMAX,
        *HEADS,
        SEQUENCE_BEFORE,
        *BATCH,
        *IN_FLOAT32,
        *_where(kata.streams == 3, *VALUES_IGNORED, KEYS_FROM_VALUES_INPUT),
        *_where(kata.streams == 2 and kata.has_layers, INPUTS_EXCHANGED, OTHER_INPUT_DETACHED),
        *_where(kata.streams == 3 and kata.has_layers, KEYS_AND_VALUES_EXCHANGED, INPUTS_SWAPPED),
        *_where(kata.has_layers, *ONE_BIAS, OUTPUT_WEIGHTS_DETACHED, *INPUTS_DETACHED, MERGED_HEADS_DETACHED),
        *_where(kata.has_layers, *([FUSED_WEIGHTS_DETACHED] if kata.is_fused else WEIGHTS_DETACHED)),
        *_where(kata.returns_weights, WEIGHTS_OF_LAST_HEAD),
        *_where(kata.switch, AVERAGED_WHEN_ASKED),
        *_where(kata.has_layers and not kata.is_fused, *INPUT_WEIGHTS_UNTRANSPOSED, *ONE_LAYER),
        *_where(crosses, QUERIES_FOR_KEYS),
        *_where(kata.streams == 3, QUERIES_FOR_VALUES, VALUES_FOR_KEYS),
        *ADDITIONS,
        BATCH_AS_TIME,
    )


def _of_one_head(kata: type[AttentionKata]) -> tuple[Mistake, ...]:
    return (
        *SCALE_OF_ONE_HEAD,
        SCALE_BY_QUERIES_ROOT,
        SCALE_BY_VALUES_ROOT,
        *SOFTMAX,
        WEIGHTS_TRANSPOSED,
        *SCALE_AFTER_SOFTMAX_OF_ONE_HEAD,
        QUERIES_FOR_VALUES,
        KEYS_RESHAPED,
        *INPUTS_OF_ONE_HEAD,
        *BATCH_OF_ONE_HEAD,
        BATCH_AS_TIME,
        LAYER_NORM_ON_OUTPUT,
        *IN_FLOAT32_OF_ONE_HEAD,
        FOUR_LARGEST_SCORES,
        VALUES_FOR_KEYS,
        SOFTMAX_OVER_AXIS_1,
        SOFTMAX_WITHOUT_AXIS,
        *_where(kata.formats, MASK_GIVEN_HEADS),
    )


def _of_two_masks(kata: type[AttentionKata]) -> tuple[Mistake, ...]:
    return (
        MASK_OF_FIRST_HEAD,
        PADDING_FOLDED,
        PADDING_COUNTED,
        *_where(kata.additive_formats, *FLOAT_MASKS),
        *TWO_MASKS_TOGETHER,
        *FULLY_MASKED_ROW,
        *TWO_MASKS,
        *MASKS,
        *_of_any_mask(kata),
        CAUSAL_WITHOUT_A_MASK,
        CAUSAL_IN_PLACE_OF_THE_MASK,
        CAUSAL_BESIDE_A_MASK,
        ATTENTION_MASK_AS_CAUSAL,
    )


def _of_one_mask(kata: type[AttentionKata]) -> tuple[Mistake, ...]:
    of_three_axes = any(each.axes == "NLS" for each in kata.formats)
    added = (FLOAT_ONES_ADDED_TO_HIDDEN, *ONES_ADDED_TO_HIDDEN, MULTIPLIED_BY_HIDDEN)
    return (
        *_where("is_causal" in kata.inputs, *CAUSAL_FLAG),
        *MASKS,
        *ONE_MASK,
        *(added if kata.one_hides else (FLOAT_ONES_ADDED_TO_SEEN, *ONES_ADDED_TO_SEEN)),
        *_of_any_mask(kata),
        *MASK_MOVED,
        MASK_COUNTED,
        LAST_KEY_HIDDEN,
        *_where(kata.padding_has_one_row, ONE_ROW_HIDES_QUERIES_TOO),
        CAUSAL_WITHOUT_A_MASK,
        CAUSAL_IN_PLACE_OF_THE_MASK,
        *FULLY_MASKED_ROW,
        *_where(kata.has_heads, MASK_OF_FIRST_HEAD, MASK_FOLDED, MASK_FOLDED_BY_SEQUENCES),
        *_where(kata.has_heads and of_three_axes, *MASKS_OF_THREE_AXES),
        *_where(
            kata.has_heads and kata.takes_any_shape,
            MASK_OF_FIRST_HEAD_FOR_ALL,
            MASK_AS_PADDING_BY_SIZE,
            MASK_OF_SEQUENCES_BY_SIZE if of_three_axes else MASK_OF_HEADS_BY_SIZE,
        ),
        HIDDEN_VALUES_ZEROED if kata.padding_has_one_row else HIDDEN_VALUES_ZEROED_IN_FORMAT,
        ONES_SUBTRACTED_FROM_HIDDEN if kata.one_hides else ONES_SUBTRACTED_FROM_SEEN,
        CAUSAL_BESIDE_A_MASK,
        CAUSAL_FOR_EACH_MASK,
    )


def _of_any_mask(kata: type[AttentionKata]) -> tuple[Mistake, ...]:
    helper = CAUSAL_HELPER if "causal_mask" in kata.functions else ()
    return (
        MASK_TIMES_INFINITY,
        MASK_HIDES_ALL,
        MASKED_THEN_DIVIDED,
        *NAN_ROWS,
        *_where(kata.returns_weights, *NAN_WEIGHTS[: 1 + kata.has_layers]),
        *helper,
    )


def _of_all(kata: type[AttentionKata]) -> tuple[Mistake, ...]:
    one_path = kata.returns_weights and not kata.weights_may_have_a_path and "positions" not in kata.inputs
    return (
        *NUMBERS,
        COSINES,
        *DETACHED,
        *_where(kata.streams > 1, CAUSAL_IN_CROSS_ATTENTION),
        *OTHER_SOFTMAX,
        ALWAYS_CAUSAL,
        *MORE_DETACHED,
        *KEYS_LEFT_OUT,
        *WEIGHTS_AND_VALUES,
        SCORES_RETURNED if kata.returns_weights else FOUR_LARGEST_SCORES,
        *_where(kata.streams > 1, KEYS_PAST_THE_QUERIES),
        *_where(one_path and kata.formats and kata.has_layers, weights_without_mask()),
    )


def _of_dropout(kata: type[AttentionKata]) -> tuple[Mistake, ...]:
    if not kata.dropout_places:
        return ()
    if kata.dropout_places == 2:
        of_output: tuple[Mistake, ...] = (
            NO_OUTPUT_DROPOUT,
            NO_DROPOUT_AT_ALL,
            *OUTPUT_DROPOUT_IN_EVAL,
            DROPOUT_ON_OUTPUT_TWICE,
            DROPOUT_BEFORE_OUTPUT_PROJECTION,
            DROPOUT_KEEPS_P_IN_BOTH,
            *DROPOUT_KEEPS_P_IN_ONE,
            *_where(kata.switch, *OUTPUT_DROPOUT_OFF_ON_DEMAND),
        )
    else:
        of_output = (DROPOUT_ON_OUTPUT, DROPOUT_ON_OUTPUT_TOO, DROPOUT_KEEPS_P)
    return (*DROPOUT, *of_output, *_where(kata.switch, *DROPOUT_OFF_ON_DEMAND), *MORE_DROPOUT, SAME_DROPOUT_TWICE)


def _where(holds: object, *mistakes: Mistake) -> tuple[Mistake, ...]:
    return mistakes if holds else ()
