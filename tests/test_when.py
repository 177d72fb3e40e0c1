"""A report says in which calls a submission is wrong, where that sets them apart from all that are right."""

import re

import pytest

from grader.checks.kata import Circumstance
from grader.core.audience import for_audience
from grader.formats.lines import plain
from grader.formats.text import render
from grader.judge.diagnosis.when import that_sets_apart
from grader.records import CANDIDATE, LEARNER, TierResult, Verdict
from tests.fakes import check, report
from tests.grading import graded, sandbox
from tests.mistakes import edited
from tests.programs import programs, report_on

WRONG = {(program.kata, program.name): program for program in programs() if program.part == "wrong"}


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("kata", "name", "words"),
    [
        ("scaffold", "eight_heads_wrong", "with H > 6"),
        ("scaffold", "dropout_fixed", "in train mode"),
        ("scaffold", "padding_ignored_in_cross_attention", "of cross-attention with padding"),
        ("scaffold", "float_mask_in_training_ignored", "with a float mask in train mode"),
        ("plain_class", "one_head_unprojected", "with H = 1"),
        ("module", "mask_by_place_ignored", "with a mask"),
    ],
)
def test_what_wrong_calls_share_and_no_right_one_has(kata: str, name: str, words: str) -> None:
    said = report_on(WRONG[kata, name], box=sandbox()).fails_when
    assert said is not None
    assert re.fullmatch(rf"wrong in all \d+ compared calls {re.escape(words)}, right in all \d+ others", said), said


CAUSAL = "torch.ones_like(attn_logits).tril().bool()"
OF_BOOLS = "if attn_mask is not None and attn_mask.dtype == torch.bool:\n            "


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kata", "change", "words"),
    [
        (
            "scaffold",
            (
                "if attn_mask is not None and",
                f"attn_mask = attn_mask if attn_mask is None else {CAUSAL}\n        if attn_mask is not None and",
            ),
            "with an attention mask that is not causal",
        ),
        (
            "scaffold",
            (OF_BOOLS, f"{OF_BOOLS}attn_mask = ~attn_mask\n            "),
            "with an attention mask that is no float mask",
        ),
        (
            "module",
            ("hidden = mask == 0", "hidden = torch.ones_like(scores).triu(1).bool()"),
            "with a mask that is not causal",
        ),
        (
            "module",
            ("hidden = mask == 0", "hidden = (mask == 0) | torch.ones_like(scores).triu(1).bool()"),
            "with a mask but without a causal mask",
        ),
    ],
)
def test_what_wrong_calls_share_is_said_as_people_say_it(kata: str, change: tuple[str, str], words: str) -> None:
    said = graded(kata, edited(kata, (change,))).fails_when
    assert said is not None
    assert f" {words}, right in" in said


@pytest.mark.slow
@pytest.mark.parametrize(("kata", "name"), [("scaffold", "gradient_of_kv_lost"), ("scaffold", "extra_parameters")])
def test_nothing_is_said_where_no_value_is_wrong(kata: str, name: str) -> None:
    assert report_on(WRONG[kata, name], box=sandbox()).fails_when is None


def test_it_stands_below_the_checks_and_not_in_a_candidates_report() -> None:
    tier = TierResult("parity", "equal", (check("a"), check("b", Verdict.FAIL)))
    given = report(tier, fails_when="wrong in all 9 calls with S != L, right in all 14 others")
    shown = plain(render(for_audience(given, LEARNER, reveal=False)))
    assert "  when   wrong in all 9 calls with S != L, right in all 14 others\n" in shown
    assert for_audience(given, CANDIDATE, reveal=False).fails_when is None


@pytest.mark.slow
def test_code_for_self_attention_alone_is_told_the_calls_that_it_raised_in() -> None:
    as_queries = [
        (f"F.linear({x}, w_{x}).unflatten(-1, heads)", f"F.linear({x}, w_{x}).view(*q.shape[:2], *heads)") for x in "kv"
    ]
    said = graded("functional", edited("functional", as_queries)).fails_when
    assert re.fullmatch(r"raised in all \d+ calls with S != L and in none of the \d+ with S = L", str(said)), said


FORWARD = "        # BEGIN SOLUTION\n        Q = self._split"
COUNTED = FORWARD.replace("        Q", "        self.calls = getattr(self, 'calls', 0) + 1\n        {}Q")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("does", "words"),
    [
        ("value = value + 1.0 * (self.calls > 1)", r"wrong in all \d+ compared calls after the first of an object, .*"),
        (
            "value = value + 1.0 * (self.calls == 1)",
            r"wrong in all \d+ compared calls that are the first of an object, .*",
        ),
        (
            "assert self.calls == 1",
            r"raised in all \d+ calls after the first of an object and in none of the \d+ that are the first .*",
        ),
    ],
)
def test_what_the_calls_before_do_to_an_object_is_told_by_the_first_call_or_a_later_one(does: str, words: str) -> None:
    said = graded("module", edited("module", [(FORWARD, COUNTED.format(f"{does}\n        "))])).fails_when
    assert re.fullmatch(words, str(said)), said


@pytest.mark.slow
def test_what_no_circumstance_sets_apart_is_not_said() -> None:
    sometimes = [("    heads = (num", "    if int(q.sum() * 100) % 5 == 0:\n        raise KeyError\n    heads = (num")]
    report = graded("functional", edited("functional", sometimes))
    assert "error" in {check.verdict for tier in report.tiers for check in tier.checks}
    assert report.fails_when is None


EVEN, SMALL, NEGATIVE = (
    Circumstance(lambda number: number % 2 == 0, "that are even", "that are odd"),
    Circumstance(lambda number: abs(number) < 10, "that are small", "that are large"),
    Circumstance(lambda number: number < 0, "below 0", "from 0 on"),
)


@pytest.mark.parametrize(
    ("wrong", "right", "words"),
    [
        ([12, 40], [13, 41], "that are even"),
        ([2, 4, 6], [3, 5, 12], "that are even and that are small"),
        ([12, 14, -13, -15], [13, 15, 3], "that are even or below 0"),
        ([12, 14, -13], [13, 15, 3], None),
        ([12, 13], [14, 15], None),
    ],
)
def test_the_simplest_that_sets_wrong_calls_apart(wrong: list[int], right: list[int], words: str | None) -> None:
    apart = that_sets_apart((EVEN, SMALL, NEGATIVE), wrong, right)
    assert words == (apart and apart.words)
    if apart:
        assert all(map(apart.holds, wrong))
        assert not any(map(apart.holds, right))


def test_what_calls_have_comes_before_what_they_have_not() -> None:
    circumstances = (
        Circumstance(lambda number: number % 2 == 0, "with a half", "without a half"),
        Circumstance(lambda number: number < 0, "with a sign", ""),
    )
    apart = that_sets_apart(circumstances, [-1, -3, -5], [1, -2])
    assert apart is not None
    assert "with a sign but without a half" == apart.words
