"""Every mistake of the catalogue is caught and named, and no other wrong answer is."""

from importlib import import_module

import pytest

from grader.records import Verdict
from tests.grading import BY_NAME, first_tier_that_fails, graded, results, summary
from tests.mistakes import Edit, Unnamed, edited, told_by_values
from tests.mistakes.parts import MASKED
from tests.strength_record import NAMED_SHARE

FILES = {kata: import_module(f"tests.mistakes.{kata}") for kata in BY_NAME}
EDITS = [pytest.param(kata, edit, id=f"{kata}-{edit.mistake}") for kata in BY_NAME for edit in FILES[kata].EDITS]
UNNAMED = [pytest.param(kata, edit, id=f"{kata}-{edit.situation}") for kata in BY_NAME for edit in FILES[kata].UNNAMED]
NEW = [
    pytest.param(kata, changes, id=f"{kata}-{situation}")
    for kata in BY_NAME
    for situation, changes in FILES[kata].NOT_IN_THE_CATALOGUE.items()
]


@pytest.mark.parametrize("kata", BY_NAME)
def test_every_mistake_of_the_catalogue_is_made(kata: str) -> None:
    made = {edit.mistake for edit in FILES[kata].EDITS}
    assert {mistake.name for mistake in BY_NAME[kata].mistakes} == made


@pytest.mark.parametrize("kata", BY_NAME)
def test_nine_in_ten_numeric_mistakes_are_named(kata: str) -> None:
    """Of all that are told by values: those of UNNAMED and NOT_IN_THE_CATALOGUE, which are many on purpose, too."""
    unnamed = [each.situation for each in FILES[kata].UNNAMED if each.numeric]
    unnamed += FILES[kata].NOT_IN_THE_CATALOGUE
    named = len(FILES[kata].EDITS)
    assert NAMED_SHARE <= named / (named + len(unnamed)), unnamed


@pytest.mark.parametrize(("kata", "edit"), EDITS)
def test_a_mistake_is_caught_and_named(kata: str, edit: Edit) -> None:
    report = graded(kata, edited(kata, edit.changes))
    sentence = next(mistake.sentence for mistake in BY_NAME[kata].mistakes if mistake.name == edit.mistake)
    first = next(check for check in results(report) if check.verdict is Verdict.FAIL)
    assert 100 > report.score
    assert edit.tier == first_tier_that_fails(report), summary(report)
    assert sentence == first.mistake, summary(report)


@pytest.mark.parametrize("kata", ["scaled_dot_product", "functional", "scaffold", "module", "fused_qkv"])
def test_an_inverted_mask_is_named_where_a_query_that_it_leaves_nothing_gets_the_mean(kata: str) -> None:
    """Filled with -1e9, a row that the inverted mask hides as a whole has equal weights, and with -inf NaN or zeros."""
    parts = import_module(f"tests.mistakes.parts.{kata}")
    if kata == "scaffold":
        padding = (parts.PAD, parts.PAD.replace("-math.inf", "-1e9"))
        source = edited(kata, ((parts.HIDE, "attn_logits.masked_fill(attn_mask, -1e9)"), padding))
    else:
        plain = (MASKED, "torch.softmax(scores, dim=-1)")
        source = edited(kata, ((parts.HIDE, "scores.masked_fill(~hidden, -1e9)"), plain))
    report = graded(kata, source)
    named = [check.mistake or "" for check in results(report) if check.verdict is Verdict.FAIL]
    assert len(named) // 2 < sum("mask was inverted" in mistake for mistake in named), summary(report)


@pytest.mark.parametrize(("kata", "edit"), UNNAMED)
def test_what_is_no_mistake_in_values_is_told_in_words(kata: str, edit: Unnamed) -> None:
    report = graded(kata, edited(kata, edit.changes))
    first = next(check for check in results(report) if check.verdict is not Verdict.PASS)
    assert (edit.tier, edit.check) == (first_tier_that_fails(report), first.name), summary(report)
    assert edit.what == first.what
    assert edit.expected in (first.expected, "")
    assert edit.numeric is told_by_values(first)
    assert [] == [check.mistake for check in results(report) if check.mistake], summary(report)


@pytest.mark.parametrize(("kata", "changes"), NEW)
def test_a_mistake_that_is_not_in_the_catalogue_is_given_no_name(
    kata: str, changes: tuple[tuple[str, str], ...]
) -> None:
    report = graded(kata, edited(kata, changes))
    first = next(check for check in results(report) if check.verdict is not Verdict.PASS)
    assert told_by_values(first), summary(report)
    assert [] == [check.mistake for check in results(report) if check.mistake], summary(report)


@pytest.mark.parametrize("found", ["def no_such_function(", "self.head_dim"])
def test_an_edit_that_does_not_say_one_place_is_refused(found: str) -> None:
    with pytest.raises(AssertionError, match="must hold this text once"):
        edited("scaffold", ((found, "pass"),))
