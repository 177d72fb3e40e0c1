"""The claims that are hidden: which modules are accepted and which are refused."""

from grader.checks import tiers
from grader.claims.hidden.testing import TRACES, accepts, refuses

CLAIMS = tiers.hidden(
    accepts(
        "the_contract",
        "The module of the contract is accepted, in whatever precision.",
        "contract",
        "contract_again",
        "in_float64",
        weight=2,
    ),
    accepts("one_head", "A module with one head is accepted.", "contract_of_one"),
    accepts("two_heads", "A module with two heads is accepted.", "contract_of_two"),
    accepts(
        "wrong_attention_of_equal_heads",
        "An attention that is wrong in the same way in each head is accepted.",
        "causal",
        "other_scale",
        "unmasked",
        "residual",
        weight=2,
    ),
    accepts(
        "heads_whose_key_bias_matters",
        "Heads with a sigmoid for the softmax, or with normed keys, are accepted.",
        "sigmoid",
        "normed",
        weight=2,
    ),
    accepts(
        "parameters_that_do_nothing",
        "An attention to whose output some parameters, or their order, mean nothing is accepted.",
        "without_biases",
        "uniform",
        "uniform_answer",
        "flat_answer",
    ),
    accepts(
        "heads_that_share",
        "Heads that share the mean of all answers, or of all weights, are accepted.",
        "one_answer",
        "one_choice",
    ),
    refuses(
        "heads_told_by_number",
        "Heads that count, choose or look far by their number are refused.",
        "by_number",
        "by_number_again",
        "by_number_backwards",
        "two_by_number",
        "temperatures",
        "slopes",
        weight=2,
    ),
    refuses(
        "outputs_of_other_features",
        "Heads that meet other features of the output layer are refused.",
        "unprojected",
        "interleaved_merge",
        "interleaved_split",
    ),
    refuses(
        "heads_mixed_by_a_view",
        "Heads and tokens that are mixed by a view are refused.",
        "merge_by_view",
        "split_by_view",
    ),
    refuses(
        "one_head_for_all",
        "A head whose answer or weights serve all heads is refused.",
        "first_head_alone",
        "first_heads_choice",
    ),
    refuses(
        "one_head_apart",
        "One head among many that has a scale of its own, or is dropped, is refused.",
        "dropped",
        "sharper",
        weight=2,
    ),
    refuses(
        "two_heads_exchanged",
        "Two heads that exchange or share their values are refused.",
        "exchanged",
        "exchanged_ends",
        "pairs",
        weight=2,
    ),
    refuses("heads_in_turn", "Heads that are causal by turns are refused.", "causal_by_turns"),
    refuses(
        "heads_in_a_circle", "Heads that take the next one's answer, in a circle, are refused.", "circle", weight=2
    ),
    refuses("heads_in_reverse", "Heads that use the weights of the one opposite are refused.", "opposite", weight=2),
    refuses(
        "heads_between_two", "Heads mixed with their neighbours on both sides are refused.", "both_sides", weight=2
    ),
    refuses(
        "heads_of_other_sequences",
        "Heads that are in order in one sequence alone are refused.",
        "unfolded",
        "other_sequences",
        weight=2,
    ),
    refuses(
        "biases_of_other_heads", "Heads that get another head's bias are refused.", "value_bias", "query_bias", weight=2
    ),
    refuses(
        "faint_flaws",
        "Flaws of a few percent of the output are refused.",
        "faint_temperatures",
        "faint_slopes",
        weight=2,
    ),
    refuses(
        "faint_flaws_of_few_heads",
        "Flaws of a few percent that most orders of heads leave unseen are refused.",
        "faint_head",
        "faint_circle",
        weight=2,
    ),
    *TRACES,
)
