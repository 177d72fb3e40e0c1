"""Two mistakes made at once are both named, and a name that a passed check contradicts is withheld."""

import pytest
from torch import Tensor

from grader.checks.attention import Seen
from grader.checks.mistake import Mistake
from grader.judge.diagnose import PAIR_SEARCHES, Named, Search
from grader.records import Verdict
from tests.grading import BY_NAME, graded, results, summary
from tests.mistakes import Change, edited, module, plain_class, scaffold
from tests.test_mistakes import FILES


def changes(kata: str, mistake: str) -> tuple[Change, ...]:
    """The changes that make a mistake of the catalogue, or one that is not in it."""
    made = {edit.mistake: edit.changes for edit in reversed(FILES[kata].EDITS)}
    return (made | FILES[kata].NOT_IN_THE_CATALOGUE)[mistake]


def both(kata: str, one: str, other: str) -> str:
    """The solution with two mistakes in it."""
    return edited(kata, changes(kata, one) + changes(kata, other))


PAIRS = (
    ("scaled_dot_product", "no_scale", "mask_inverted"),
    ("scaled_dot_product", "scale_by_head_dim", "mask_transposed"),
    ("scaled_dot_product", "softmax_over_queries", "weights_transposed"),
    ("plain_class", "no_scale", "no_output_projection"),
    ("plain_class", "values_unprojected", "no_output_bias"),
    ("plain_class", "values_by_key_weights", "no_output_projection"),
    ("plain_class", "keys_by_query_weights", "heads_reversed"),
    ("functional", "no_scale", "mask_inverted"),
    ("functional", "queries_unprojected", "mask_ignored"),
    ("functional", "scale_multiplied", "softmax_over_heads"),
    ("scaffold", "no_scale", "padding_mask_inverted"),
    ("scaffold", "split_by_view", "values_unprojected"),
    ("scaffold", "residual", "weights_summed"),
    ("scaffold", "scale_by_heads", "nan_rows"),
    ("module", "no_scale", "mask_inverted"),
    ("module", "key_and_value_weights_swapped", "output_projection_twice"),
    ("fused_qkv", "scale_by_embed_dim", "mask_transposed"),
    ("fused_qkv", "qkv_heads_first", "no_output_projection"),
)  # fmt: skip

HALF_KNOWN = (
    ("scaled_dot_product", "mask_inverted", "scores divided by 3.7"),
    ("plain_class", "no_output_projection", "weights to the power of 1.5"),
    ("functional", "mask_inverted", "values two places off"),
    ("scaffold", "padding_mask_inverted", "noise of one thousandth"),
)


@pytest.mark.parametrize(("kata", "one", "other"), PAIRS)
def test_two_mistakes_at_once_are_both_named(kata: str, one: str, other: str) -> None:
    sentences = {mistake.name: mistake.sentence for mistake in BY_NAME[kata].mistakes}
    report = graded(kata, both(kata, one, other))
    first = next(check for check in results(report) if check.verdict is Verdict.FAIL)
    assert {sentences[one], sentences[other]} == set(str(first.mistake).split("; and ")), summary(report)
    assert 2 == len(first.reasons)


@pytest.mark.parametrize(("kata", "one", "other"), HALF_KNOWN)
def test_beside_one_that_is_not_in_the_catalogue_nothing_is_named(kata: str, one: str, other: str) -> None:
    report = graded(kata, both(kata, one, other))
    assert 100 > report.score
    assert [] == [check.mistake for check in results(report) if check.mistake], summary(report)


def test_two_that_change_the_same_step_are_no_pair() -> None:
    named = {mistake.name: mistake for mistake in BY_NAME["scaffold"].mistakes}
    assert named["no_scale"].meets(named["scale_of_8"])
    assert named["nan_weights"].meets(named["output_detached"])
    assert not named["no_scale"].meets(named["padding_ignored"])


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Among how many mistakes pairs were looked for, each time."""
    tried: list[int] = []
    real = Search.pairs_among

    def counted(self: Search, answers: dict[Mistake, list[Tensor]], right: list[Tensor], seen: Seen) -> list[Named]:
        tried.append(len(answers))
        return real(self, answers, right, seen)

    monkeypatch.setattr(Search, "pairs_among", counted)
    return tried


def test_all_pairs_are_tried_a_few_times_at_most(searches: list[int]) -> None:
    graded("scaffold", edited("scaffold", changes("scaffold", "weights to the power of 1.5")))
    assert PAIR_SEARCHES >= len(searches)


@pytest.mark.parametrize("mistake", ["no_scale", "split_by_view", "attention_mask_inverted", "nan_rows", "no_dropout"])
def test_where_one_mistake_explains_it_no_pair_is_tried(mistake: str, searches: list[int]) -> None:
    graded("scaffold", edited("scaffold", changes("scaffold", mistake)))
    assert [] == searches


# Contradictions


def sometimes(kata: str, text: str, otherwise: str, when: str) -> str:
    """The solution with a mistake in it that is made in some calls only."""
    return edited(kata, ((text, f"({otherwise} if {when} else {text})"),))


MERGE_BY_VIEW = plain_class.BACK_BY_VIEW[1]
SOMETIMES = {
    "no scale under a mask": ("functional", "math.sqrt(heads[1])", "1.0", "mask is not None"),
    "a merge by view in cross-attention": ("plain_class", plain_class.MERGED, MERGE_BY_VIEW, "Q is not K"),
    "heads reversed where there are more than three": (
        "module", module.MERGE, "x.flip(1).transpose(1, 2).flatten(2)", "self.num_heads > 3"
    ),
    "a bool mask ignored where it has two axes": ("scaffold", scaffold.HIDE, "attn_logits", "attn_mask.dim() == 2"),
    "a bool mask inverted where it has four axes": (
        "scaffold", scaffold.HIDE, scaffold.HIDE.replace("~", ""), "attn_mask.dim() == 4"
    ),
    "no dropout where the weights are not asked for": ("scaffold", scaffold.MIX, "weights @ v", "not need_weights"),
}  # fmt: skip


@pytest.mark.parametrize("situation", SOMETIMES)
def test_a_mistake_that_a_passed_check_contradicts_is_not_named(situation: str) -> None:
    kata, *change = SOMETIMES[situation]
    report = graded(kata, sometimes(kata, *change))
    assert 100 > report.score
    assert [] == [check.mistake for check in results(report) if check.mistake], summary(report)


def test_a_float_mask_taken_as_bool_is_no_inverted_mask() -> None:
    as_bool = "attn_logits.masked_fill(~attn_mask.bool(), -math.inf)"
    report = graded("scaffold", edited("scaffold", ((scaffold.ADD, as_bool),)))
    inverted = next(one.sentence for one in BY_NAME["scaffold"].mistakes if one.name == "attention_mask_inverted")
    assert 100 > report.score
    assert inverted not in [check.mistake for check in results(report)], summary(report)
