"""The catalogue, proven on the oracle in each kata that has the mistake: caught, at the tier recorded, and named.

Two mistakes made at once are both named, and a name that a passed check contradicts is withheld.
"""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest
import torch

from grader.judge.diagnosis.search import PAIR_SEARCHES, Search
from grader.oracle.mistake import Mistake, apply
from grader.oracle.parts import TOGETHER, WORDS
from grader.oracle.pipeline import Context, Steps
from grader.oracle.rotary import RotarySteps
from grader.records import TierResult, Verdict
from tests.catalogue import beyond, first_tier, names, proven, run
from tests.grading import ATTENTION, BY_NAME, catalogue, names_in, oracle
from tests.strength_record import checks_digest, entry, recorded

RECORD = recorded()
CATALOGUE = {kata: catalogue(kata) for kata in BY_NAME}
UNKNOWN = {
    "scores bent": {"scale": lambda scores, c: scores + scores**3 / 10},
    "values two places off": {"weighted_sum": lambda weights, value, c: weights @ value.roll(2, dims=-1)},
    "output bent": {"drop_output": lambda x, c: x + x.square() / 10},
}
"""Mistakes that are not in the catalogue."""
REFUSALS = {
    "a_size_that_the_heads_do_not_divide_is_refused",
    "an_odd_size_is_refused",
    "biases_start_at_zero",
    "causal_mask_is_lower_triangular",
    "extra_repr_names_the_sizes",
    "mode_is_left[accepted]",
    "mode_is_left[refused]",
    "no_state_is_kept",
    "nothing_is_kept_once_the_graph_is_gone",
    "nothing_of_the_size_of_the_weights_is_kept",
    "nothing_piles_up",
    "number_of_parameters",
    "number_of_parameters_with_bias",
    "parameters_are_left[accepted]",
    "parameters_are_left[refused]",
    "sdpa_makes_the_output",
    "sdpa_makes_the_output_in_training",
    "weights_are_drawn_as_pytorch_draws_them",
    "weights_start_xavier_uniform",
}
"""Checks that ask for what the oracle has not: an object, a constructor, a refusal, what a call leaves behind."""

OF_VALUES = ("project", "split", "rotate")
STEPS = {words: (step,) for step, words in WORDS.items()}
STEPS |= {
    WORDS["values"]: OF_VALUES,
    WORDS["biases"]: ("project", "project_out"),
    WORDS["mask"]: ("mask", "later_keys"),
}
STEPS |= {words: steps if steps[0] != "values" else (*OF_VALUES, *steps) for steps, words in TOGETHER.items()}
ROTATION = {field.name for field in fields(RotarySteps)} - {field.name for field in fields(Steps)}
"""The steps that are named together as the rotation."""
PLACED_ELSEWHERE = {
    "scores_returned_as_weights",
    "dropout_on_heads_answers_too",
    "dropout_on_merged_heads_too",
    "dropout_on_output_too",
    "dropout_twice",
    "nan_weights",
    "nan_weights_of_the_sum",
}
"""Their steps are beside their place: those of the softmax, whose weights are not returned; what dropout is laid on;
what keeps NaN from the output alone, where the weights may have a path of their own."""


@pytest.mark.slow
@pytest.mark.sample(6)
@pytest.mark.parametrize("kata", BY_NAME)
def test_the_oracle_fails_no_check_of_values(kata: str) -> None:
    assert set(beyond(BY_NAME[kata])) <= REFUSALS
    assert first_tier(run(BY_NAME[kata], oracle(kata))) is None


def steps_in(sentence: str) -> set[str]:
    """The steps of the oracle that a sentence says to look at."""
    place = sentence.partition(": look at ")[2]
    named = {step for words, steps in STEPS.items() if words in place for step in steps}
    return named | ROTATION if "rotate" in named else named


@pytest.mark.slow
@pytest.mark.sample(1, by=lambda of: of["kata"])
@pytest.mark.parametrize(("kata", "name"), [(kata, name) for kata in BY_NAME for name in CATALOGUE[kata]])
def test_a_mistake_is_caught_at_its_tier_named_and_placed(kata: str, name: str) -> None:
    mistake = CATALOGUE[kata][name]
    tier_name, said = proven(BY_NAME[kata], mistake)
    assert tier_name in {tier.name for tier in BY_NAME[kata].tiers}
    if checks_digest(kata) == entry(RECORD, kata)["checks"]:
        assert tier_name == entry(RECORD, kata)["oracle"].get(name, tier_name)
    if kata in ATTENTION:
        assert said is not None
        changed = set(mistake.changed) & steps_in(said)
        assert changed or " look at " not in said or name in PLACED_ELSEWHERE, said


def test_the_record_has_every_mistake_of_the_catalogue() -> None:
    """And each was caught and named when it was made: what is in brackets was not."""
    for kata in BY_NAME:
        known = entry(RECORD, kata)["oracle"]
        assert list(CATALOGUE[kata]) == list(known), "run make strength"
        assert [] == [name for name, tier in known.items() if tier.startswith(("(", "None"))]


def with_the_mean(scores: torch.Tensor, c: Context) -> torch.Tensor:
    return torch.softmax(scores.clamp(min=-1e9), dim=-1)


@pytest.mark.sample(2)
@pytest.mark.parametrize("kata", [name for name, kata in ATTENTION.items() if kata.formats])
def test_an_inverted_mask_is_named_where_a_query_that_it_leaves_nothing_gets_the_mean(kata: str) -> None:
    """Filled with -1e9, a row that the inverted mask hides as a whole has equal weights, and with -inf NaN or zeros."""
    name = next(name for name in ("masks_inverted", "mask_inverted") if name in CATALOGUE[kata])
    steps = apply((CATALOGUE[kata][name],), oracle(kata)).but(softmax=with_the_mean)
    assert (name,) == names(BY_NAME[kata], run(BY_NAME[kata], steps))


# Two at once


REFUTED = {
    "strict": True,
    "reason": "a call with both masks, in a check that passes whatever the values are, refutes the one that is true, "
    "and the padding laid over the queries explains the checks with padding alone as well",
}


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("kata", "one", "other"),
    [
        ("scaled_dot_product", "no_scale", "mask_inverted"),
        ("scaled_dot_product", "softmax_over_queries", "weights_transposed"),
        ("plain_class", "values_unprojected", "no_output_bias"),
        ("plain_class", "keys_by_query_weights", "heads_reversed"),
        ("functional", "queries_unprojected", "mask_ignored"),
        ("functional", "scale_multiplied", "softmax_over_heads"),
        ("scaffold", "no_scale", "padding_mask_inverted"),
        ("scaffold", "split_by_view", "values_unprojected"),
        ("scaffold", "scale_by_heads", "nan_rows"),
        ("module", "key_and_value_weights_swapped", "output_projection_twice"),
        ("fused_qkv", "qkv_heads_first", "no_output_projection"),
        ("rope", "keys_not_rotated", "no_scale"),
        # Of one step.
        pytest.param("scaffold", "attention_mask_inverted", "padding_mask_ignored", marks=pytest.mark.xfail(**REFUTED)),
        ("scaffold", "key_and_value_weights_swapped", "no_query_bias"),
        ("module", "values_by_key_weights", "queries_unprojected"),
        ("plain_class", "heads_share_first", "values_of_the_key_before"),
        ("fused_qkv", "residual", "no_output_bias"),
    ],
)
def test_two_mistakes_at_once_are_both_named(kata: str, one: str, other: str) -> None:
    both = CATALOGUE[kata][one], CATALOGUE[kata][other]
    tiers = run(BY_NAME[kata], apply(both, oracle(kata)))
    mistakes = [each.mistakes for tier in tiers for each in tier.checks]
    assert {one, other} == {name for sentences in mistakes for name in names_in(kata, sentences)}
    assert names(BY_NAME[kata], tiers)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("kata", "one", "other"),
    [
        ("scaled_dot_product", "mask_inverted", "scores bent"),
        ("functional", "mask_inverted", "values two places off"),
        ("plain_class", "no_output_projection", "output bent"),
    ],
)
def test_beside_one_that_is_not_in_the_catalogue_nothing_is_named(kata: str, one: str, other: str) -> None:
    tiers = run(BY_NAME[kata], with_unknown(apply((CATALOGUE[kata][one],), oracle(kata)), other))
    assert (False, ()) == (first_tier(tiers) is None, names(BY_NAME[kata], tiers))


def with_unknown(steps: Steps, name: str) -> Steps:
    return steps.but(**UNKNOWN[name])


def test_two_that_put_another_step_in_the_same_place_are_no_pair() -> None:
    named = CATALOGUE["scaffold"]
    assert named["no_scale"].meets(named["scale_of_8"])
    assert named["residual"].meets(named["residual"])
    assert not named["nan_weights"].meets(named["output_detached"])
    assert not named["no_scale"].meets(named["padding_mask_ignored"])


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Among how many mistakes pairs were looked for, each time."""
    tried: list[int] = []
    real = Search.pairs_among

    def counted(self: Search, answers: dict[Mistake, Any], *rest: Any) -> Any:
        tried.append(len(answers))
        return real(self, answers, *rest)

    monkeypatch.setattr(Search, "pairs_among", counted)
    return tried


@pytest.mark.slow
def test_all_pairs_are_tried_a_few_times_at_most(searches: list[int]) -> None:
    kata = BY_NAME["plain_class"]
    assert () == names(kata, run(kata, with_unknown(oracle("plain_class"), "scores bent")))
    assert 0 < len(searches) <= PAIR_SEARCHES


@pytest.mark.parametrize("name", ["no_scale", "split_by_view"])
def test_where_one_mistake_explains_it_no_pair_is_tried(name: str, searches: list[int]) -> None:
    kata = BY_NAME["plain_class"]
    assert (name,) == names(kata, run(kata, apply((CATALOGUE["plain_class"][name],), oracle("plain_class"))))
    assert [] == searches


# Contradictions


def sometimes(kata: str, name: str, when: Callable[[Context], bool]) -> tuple[TierResult, ...]:
    """A mistake that is made in some calls only."""
    right, wrong = oracle(kata), apply((CATALOGUE[kata][name],), oracle(kata))

    def either(step: str) -> Callable[..., Any]:
        return lambda *args: getattr(wrong if when(args[-1]) else right, step)(*args)

    changed = CATALOGUE[kata][name].changed
    return run(BY_NAME[kata], right.but(**{step: either(step) for step in changed}))


def is_given_as(axes: str, c: Context) -> bool:
    """The attention mask, in the scaffold."""
    given = c.case.allow is not None or c.case.bias is not None
    return given and (c.case.mask_format or ATTENTION["scaffold"].formats[0]).axes == axes


def is_even(number: int) -> bool:
    return number % 2 == 0


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("kata", "name", "when"),
    [
        pytest.param("module", "heads_reversed", lambda c: is_even(c.case.keys.shape[-2]), id="even S"),
        pytest.param(
            "scaffold",
            "attention_mask_ignored",
            lambda c: c.case.allow is not None and is_even(int(c.case.allow.sum())),
            id="an even number of visible pairs",
        ),
    ],
)
def test_a_mistake_that_a_passed_check_contradicts_is_not_named(
    kata: str, name: str, when: Callable[[Context], bool]
) -> None:
    tiers = sometimes(kata, name, when)
    assert (False, ()) == (first_tier(tiers) is None, names(BY_NAME[kata], tiers))


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("kata", "name", "when", "calls"),
    [
        pytest.param("functional", "no_scale", lambda c: c.case.shown is not None, "with a mask", id="mask"),
        pytest.param(
            "plain_class", "merge_by_view", lambda c: c.case.key is not None, "of cross-attention", id="cross"
        ),
        pytest.param(
            "scaffold", "attention_mask_ignored", lambda c: c.case.has_float_mask, "with a float mask", id="float"
        ),
        pytest.param(
            "module",
            "merge_by_view",
            lambda c: c.case.key is not None and c.case.allow is not None,
            "of cross-attention with an attention mask",
            id="two things together",
        ),
        pytest.param(
            "module",
            "mask_ignored",
            lambda c: (
                c.case.allow is not None and c.case.mask_format is not None and c.case.mask_format.dtype != torch.bool
            ),
            "with a mask of numbers",
            id="numbers",
        ),
        pytest.param(
            "module", "heads_reversed", lambda c: c.size.num_heads > 3, "with H > 3", id="more than three heads"
        ),
        pytest.param(
            "scaffold",
            "attention_mask_ignored",
            lambda c: is_given_as("LS", c),
            "with a mask [T, S]",
            id="a mask of two axes",
        ),
        pytest.param(
            "scaffold",
            "attention_mask_inverted",
            lambda c: is_given_as("N1LS", c),
            "with a mask [B, 1, T, S]",
            id="a mask of four axes",
        ),
    ],
)
def test_a_mistake_that_is_made_in_some_calls_is_named_with_what_sets_them_apart(
    kata: str, name: str, when: Callable[[Context], bool], calls: str
) -> None:
    tiers = sometimes(kata, name, when)
    first = next(each for tier in tiers for each in tier.checks if each.verdict is Verdict.FAIL)
    assert f"{CATALOGUE[kata][name].sentence}; only in calls {calls}" == first.mistake
