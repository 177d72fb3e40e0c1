"""What a candidate may see of a check, in every format of a report."""

import re
from dataclasses import replace

import pytest
import torch

from grader.checks.attention_kata import AttentionKata
from grader.checks.kata import Kata
from grader.checks.subject import MOST_KEPT, Trace
from grader.checks.tiers import GRADIENTS, PARITY, SHAPES, Check, hidden, on_reveal, public
from grader.core.audience import PRINTED_WITHHELD, for_audience
from grader.formats import html, junit
from grader.formats import json as report_json
from grader.formats.lines import plain
from grader.formats.text import render
from grader.katas import KATAS
from grader.records import (
    AUDIENCES,
    CANDIDATE,
    INTERVIEWER,
    LEARNER,
    CheckResult,
    Evidence,
    Outcome,
    Picture,
    Report,
    TierResult,
    Verdict,
    Visibility,
)
from grader.sandbox import Sandbox, WorkerHandle
from tests.fakes import check, report
from tests.grading import ATTENTION, BY_NAME, graded, results, solution
from tests.mistakes import edited

EACH_KATA = pytest.mark.parametrize("kata", KATAS, ids=list(BY_NAME))
NO_SCALE = ((" / math.sqrt(self.head_dim)", ""),)
NUMBER = re.compile(r"(?<![\w.\-])\d+(?![\w.])")


def texts(result: CheckResult) -> list[str | None]:
    return [result.what, result.expected, result.got, result.where]


def failed(visibility: Visibility) -> CheckResult:
    said = {name: f"{name} of {visibility}" for name in ("what", "expected", "got", "where")}
    evidence = Evidence((f"evidence of {visibility}",), (1,))
    values = ((f"picture of {visibility}",),)
    picture = Picture("weights", "N=1", ("query", "key"), ("head 0",), (values,), (values,))
    return check(
        f"{visibility}_check".replace(" ", "_"),
        Verdict.FAIL,
        visibility=visibility,
        evidence=evidence,
        picture=picture,
        mistakes=(f"mistake of {visibility}",),
        **said,
    )


FAILED = report(TierResult("parity", "as PyTorch", tuple(map(failed, Visibility))), output="x of shape (3, 7)")


def shown(what: Report, reveal: bool) -> str:
    """All formats of it."""
    text = plain(render(what, reveal="all" if reveal else "first", width=1000))
    return "\n".join([text, *(each.dumps([what], many=False).decode() for each in (report_json, junit, html))])


@pytest.mark.parametrize(("reveal", "open_"), [(False, ["public"]), (True, ["public", "on reveal"])])
def test_a_candidate_is_shown_the_values_of_open_checks_alone(reveal: bool, open_: list[str]) -> None:
    said, names = shown(for_audience(FAILED, CANDIDATE, reveal=reveal), reveal), ("what", "expected", "got", "where")
    for visibility in Visibility:
        there = [name for name in (*names, "evidence", "picture") if f"{name} of {visibility}" in said]
        assert ([*names, "evidence", "picture"] if visibility in open_ else []) == there


@pytest.mark.parametrize("reveal", [False, True])
def test_claim_verdict_points_and_mistake_are_never_hidden(reveal: bool) -> None:
    seen = results(for_audience(FAILED, CANDIDATE, reveal=reveal))
    for before, after in zip(results(FAILED), seen, strict=True):
        kept = ("name", "claim", "verdict", "points", "max_points", "mistakes", "visibility")
        assert [getattr(before, name) for name in kept] == [getattr(after, name) for name in kept]


def test_what_was_printed_may_hold_hidden_inputs() -> None:
    assert PRINTED_WITHHELD == for_audience(FAILED, CANDIDATE, reveal=True, show_output=True).output
    assert "" == for_audience(replace(FAILED, output=""), CANDIDATE, reveal=True, show_output=True).output
    open_ = report(TierResult("parity", "as PyTorch", (failed(Visibility.PUBLIC),)), output="x of shape (3, 7)")
    assert "x of shape (3, 7)" == for_audience(open_, CANDIDATE, reveal=False, show_output=True).output


def test_what_was_printed_is_shown_to_an_interviewer_and_to_who_asks_for_it() -> None:
    shown_to = {
        (audience, option): for_audience(FAILED, audience, reveal=True, show_output=option).output == FAILED.output
        for audience in (LEARNER, INTERVIEWER)
        for option in (False, True)
    }
    assert {
        (LEARNER, False): False,
        (LEARNER, True): True,
        (INTERVIEWER, False): True,
        (INTERVIEWER, True): True,
    } == shown_to


def test_what_is_worth_reading_is_for_an_interviewer_alone() -> None:
    record = replace(FAILED, worth_reading="worth reading: ctypes")
    who = [each for each in AUDIENCES if "worth reading" in shown(for_audience(record, each, reveal=True), reveal=True)]
    assert [INTERVIEWER] == who


@pytest.mark.slow
def test_an_interviewer_alone_reads_what_a_wrong_answer_was_asked_with() -> None:
    full = graded("scaffold", edited("scaffold", NO_SCALE))
    inputs = [result.inputs for result in results(full) if result.verdict is Verdict.FAIL]
    assert len(inputs) > 20
    assert [] == [text for text in inputs if not (text and re.match(r"\w+\(.*\(\d+, ", text))]
    said = {each: shown(for_audience(full, each, reveal=True), reveal=True) for each in AUDIENCES}
    assert [] == [text for text in inputs if str(text) not in said[INTERVIEWER]]
    assert [INTERVIEWER] == [each for each in AUDIENCES if "\ninputs " in said[each]]


CONSTANT = """
plain = MultiHeadAttention.forward
def forward(self, *args, **kwargs):
    y, weights = plain(self, *args, **kwargs)
    return 0 * y, weights
MultiHeadAttention.forward = forward
"""


def test_a_check_that_made_no_call_is_told_with_the_one_that_showed_no_liveness() -> None:
    """A helper's check, which needs no liveness, is called in between."""
    checks = results(graded("scaffold", solution("scaffold") + CONSTANT))
    inputs = [result.inputs for result in checks if result.inputs]
    assert len(inputs) > 20
    assert 1 == len(set(inputs))


def test_the_traceback_of_a_broken_check_is_not_shown() -> None:
    broken = report(outcome=Outcome.BROKEN, message="KeyError in on_long_sequences")
    said = shown(for_audience(broken, CANDIDATE, reveal=True), reveal=True)
    assert "The reason is in the interviewer's report." in said
    assert "on_long_sequences" not in said


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("reveal", [False, True])
def test_a_wrong_program_shows_its_writer_nothing_of_hidden_checks(reveal: bool) -> None:
    full = graded("scaffold", edited("scaffold", NO_SCALE))
    public_ = {Visibility.PUBLIC, Visibility.ON_REVEAL} if reveal else {Visibility.PUBLIC}
    open_texts = {text for result in results(full) if result.visibility in public_ for text in texts(result)}
    secret = {text for result in results(full) if result.visibility not in public_ for text in texts(result)}
    secret -= open_texts
    secret = {text for text in secret - {None, "x", "y", "output", "weights"} if len(text or "") > 3}
    said = shown(for_audience(full, CANDIDATE, reveal=reveal), reveal)
    assert len(secret) > 20
    assert [] == [text for text in secret if str(text) in said]
    assert "the scores were not divided by sqrt(head_dim)" in said
    assert not [text for text in secret if str(text) not in shown(full, reveal=True) and '"' not in str(text)]


def test_a_check_of_no_group_is_hidden() -> None:
    def a_claim() -> None:
        """It holds."""

    assert Visibility.HIDDEN is SHAPES()(a_claim).visibility
    groups = {group(SHAPES()(a_claim))[0].visibility for group in (public, on_reveal, hidden)}
    assert set(Visibility) == groups


BY_THE_ORACLE = {
    "rope": (
        "halves_are_turned",
        "any_base",
        "far_positions",
        "low_precision",
        "its_gradient",
        "nothing_is_remembered",
        "under_any_positions",
        "under_far_positions",
        "under_positions_and_masks",
        "with_any_base",
        "positions_are_not_kept",
    ),
    "sdpa_backend": (
        "under_is_causal",
        "under_a_mask_and_is_causal",
        "weights_under_is_causal",
        "under_a_float_mask_of_another_dtype",
        "gradients_under_is_causal",
    ),
}
"""By kata: its own checks that are held against the oracle, outside of parity."""


@pytest.mark.parametrize("kata", ATTENTION.values(), ids=list(ATTENTION))
def test_what_needs_the_oracle_is_hidden(kata: AttentionKata) -> None:
    def needs_the_oracle(each: Check) -> bool:
        if each.tier.name.startswith("fault"):  # of a program to repair: two of three are asked of the oracle
            return each.visibility == "hidden"
        begins = ("of_", "in_every_dtype", "large_scores", "apply_masks_takes", *BY_THE_ORACLE.get(kata.name, ()))
        return each.tier in (PARITY, kata.precision) or each.name.startswith(begins)

    assert [] == [each.name for each in kata.checks if needs_the_oracle(each) != (each.visibility == "hidden")]
    assert not [each.name for each in kata.checks if each.tier is GRADIENTS and each.visibility == "public"]


@pytest.mark.parametrize("kata", ATTENTION.values(), ids=list(ATTENTION))
def test_in_every_other_tier_something_is_public(kata: AttentionKata) -> None:
    tiers = {each.tier.name for each in kata.checks if not each.tier.name.startswith("fault")}
    tiers -= {"gradients", "parity", "interface", kata.precision.name}
    assert tiers <= {each.tier.name for each in kata.checks if each.visibility == "public"}


@EACH_KATA
def test_the_claim_of_a_hidden_check_tells_no_size(kata: Kata) -> None:
    """But for the mask formats, the floor of large scores and what a benchmark is given, which are the contract's."""
    of_contract = {"0", "1", "10000", "100000"}
    if kata.name == "write_memory_benchmark":
        of_contract |= set(NUMBER.findall("[B, H, L, 64] in float32; exponents 1.3 and 1.6; 128 to 4096"))
    closed = [each for each in kata.checks if each.visibility != "public"]
    claims = [each.claim.replace("of 0 and 1", "") for each in closed]
    assert [] == [claim for claim in claims if set(NUMBER.findall(claim)) - of_contract]


TELLS = """
kept = []
plain = scaled_dot_product_attention

def scaled_dot_product_attention(q, k, v, mask=None):
    if kept and q.requires_grad:
        raise ValueError(f"TOLD {kept[0]}")
    if q.abs().max() > 300:
        kept.append(q.flatten()[:3].tolist())
    return plain(q, k, v, mask)
"""

CRASHES = """
import os
plain = scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    if q.abs().max() > 300:
        os._exit(0)
    return plain(q, k, v, mask)
raise ValueError(os.getpid())
"""


def test_no_check_that_is_open_runs_after_a_hidden_one_whose_inputs_it_could_be_told() -> None:
    full = graded("scaled_dot_product", solution("scaled_dot_product") + TELLS)
    assert "TOLD" in shown(for_audience(full, INTERVIEWER, reveal=True), reveal=True)
    assert "TOLD" not in shown(for_audience(full, CANDIDATE, reveal=True), reveal=True)


def test_a_note_is_of_the_first_load_before_which_nothing_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that crashes may choose the moment, which the next one reads off the clock when it is loaded."""
    made, start = list[WorkerHandle](), Sandbox.worker
    monkeypatch.setattr(Sandbox, "worker", lambda *args: made.append(start(*args)) or made[-1])
    full = graded("scaled_dot_product", solution("scaled_dot_product") + CRASHES)
    assert len(made) > 1
    assert [f"candidate.py raised ValueError: {made[0].pid} "] == [note.partition("(")[0] for note in full.notes]


def test_a_tensor_too_large_for_any_right_answer_is_not_kept() -> None:
    trace = Trace()
    trace.add(torch.zeros(3), (torch.zeros(MOST_KEPT), None))
    assert [3, 0, None] == [None if kept is None else kept.numel() for kept in trace.leaves]
