"""The claims that are hidden: which attentions are accepted and which are refused."""

from grader.checks import tiers
from grader.claims.hidden.testing import TRACES_OF_FUNCTIONS, accepts, refuses
from grader.katas.write_fp16_stability_test.hidden.attentions import RAISING, SPOILED

CLAIMS = tiers.hidden(
    accepts("the_contract", "What rounds nothing but its results is accepted.", "contract", "contract_again"),
    accepts("another_order", "What scales its queries before the dot product is accepted.", "queries_scaled"),
    accepts(
        "weights_of_few_digits",
        "What rounds its weights before they meet the values is accepted.",
        "weights_rounded",
        weight=2,
    ),
    accepts(
        "digits_cut_off", "What cuts digits off, and is wrong by an eps or two, is accepted.", "truncated", weight=2
    ),
    accepts(
        "sums_in_parts",
        "What sums its values in half precision, in an order that loses nothing, is accepted.",
        "by_halves",
        "in_four_parts",
        weight=2,
    ),
    accepts("other_softmaxes", "A softmax in blocks, or by a logarithm, is accepted.", "online", "by_logarithm"),
    accepts("other_fills", "A finite number that lies below all scores is accepted.", "lowest_fill"),
    refuses(
        "what_is_not_finite",
        "NaN and infinities are refused, wherever they stand.",
        *(mistake.name for mistake in SPOILED),
    ),
    refuses(
        "what_raises",
        "What raises in half precision is refused, and no other error comes out of the test.",
        *(mistake.name for mistake in RAISING),
        weight=2,
    ),
    refuses(
        "scores_beyond_the_range",
        "Scores that leave the range before they are scaled are refused, as infinity or cut off.",
        "products_rounded",
        "products_saturated",
        weight=2,
    ),
    refuses(
        "exponentials_beyond_the_range",
        "Exponentials of scores that nothing was subtracted from are refused.",
        "exp_in_half",
        "exp_in_float32",
    ),
    refuses("scores_clamped", "Large scores that are cut off, and so made equal, are refused.", "scores_clamped"),
    refuses(
        "rows_far_below",
        "A row far below the number that is subtracted from all rows is refused.",
        "softmax_by_largest_of_all",
        "softmax_by_largest_of_matrix",
    ),
    refuses(
        "digits_of_large_scores",
        "Large scores that are rounded to half precision are refused.",
        "scores_rounded",
        "scores_in_bfloat16",
        weight=2,
    ),
    refuses(
        "fills_beyond_the_range",
        "Hidden scores filled with a number that becomes infinity, or that is not below all others, are refused.",
        "fill_times_mask",
        "hidden_scores_ten_thousand",
        weight=2,
    ),
    refuses(
        "hidden_keys_that_count", "A hidden key that takes all digits from the others is refused.", "shifted_by_hidden"
    ),
    refuses(
        "sums_that_stall",
        "Sums over thousands of keys that do not grow any more are refused.",
        "sum_stalls",
        "output_stalls",
        weight=2,
    ),
    refuses(
        "rows_of_other_sums",
        "Weights returned that do not sum to 1 are refused.",
        "weights_apart",
        "weights_lost",
        weight=2,
    ),
    refuses("small_weights_lost", "Small weights that are taken for 0 are refused.", "flushed"),
    refuses("few_digits", "An error of a few percent is refused.", "values_of_few_bits", weight=2),
    refuses(
        "bfloat16_on_its_own",
        "What breaks in bfloat16 alone is refused.",
        "products_in_float16",
        "output_of_few_bits",
        weight=2,
    ),
    *TRACES_OF_FUNCTIONS,
)
