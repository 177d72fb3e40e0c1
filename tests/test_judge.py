"""What becomes of a submission that does something else than answer wrong."""

import re
from dataclasses import replace

import pytest

from grader.core.seeds import derive_seed
from grader.judge import NOT_DIAGNOSED, Options, choose_checks, collect_tiers, report_of
from grader.judge.diagnosis.search import Search
from grader.judge.engine import Run
from grader.records import GraderError, Outcome, Verdict
from tests.grading import BY_NAME, catalogue, graded, result, results, sandbox, solution, submission, summary
from tests.judge_tools import LONG, at_71, others_pass, plain
from tests.mistakes import edited
from tests.mistakes.functional import DRAW_IN, DRAW_OUT, DRAWN_OTHERWISE
from tests.mistakes.plain_class import MIX, SCORES

# Exceptions


def test_an_exception_is_an_error_told_with_the_candidates_frames_alone() -> None:
    source = plain((SCORES, "self._score(q, k)"), ("    def forward(", (
        "    def _score(self, q, k):\n        raise RuntimeError('boom')\n\n    def forward("
    )))  # fmt: skip
    check = results(graded("plain_class", source))[0]
    raised, called = (next(n for n, line in enumerate(source.splitlines(), 1) if text in line) for text in (
        "raise RuntimeError", "scores = self._score"
    ))  # fmt: skip
    assert Verdict.ERROR == check.verdict
    assert 0 == check.points
    assert "forward((2, 5, 30), (2, 5, 30), (2, 5, 30))" == check.what
    assert ("an answer", "raised RuntimeError: boom") == (check.expected, check.got)
    place = f"candidate.py:{raised} in _score: raise RuntimeError('boom')"
    assert f"{place}  (called from candidate.py:{called} in forward)" == check.where


def test_an_exception_in_one_check_costs_that_check() -> None:
    report = graded("plain_class", at_71("raise KeyError('mask')"))
    assert others_pass(report, LONG), summary(report)
    assert "raised KeyError: 'mask'" == result(report, LONG).got


def test_not_implemented_is_not_written_yet() -> None:
    report = graded("plain_class", at_71("raise NotImplementedError('71')"))
    assert Verdict.TODO == result(report, LONG).verdict


def test_not_implemented_raised_by_torch_is_an_error() -> None:
    report = graded("plain_class", at_71("torch.nn.Module()(Q)"))
    assert Verdict.ERROR == result(report, LONG).verdict


def test_what_a_cell_raises_after_the_definitions_costs_nothing_and_is_noted() -> None:
    report = graded("plain_class", solution("plain_class") + "\n\nprint(undefined)\n")
    line = len(solution("plain_class").splitlines()) + 3
    assert 100 == report.score
    assert 1 == len(report.notes)
    said = f"candidate.py raised NameError: name 'undefined' is not defined (candidate.py:{line} in "
    assert report.notes[0].startswith(said)


# A fault of the diagnosis


def broken(self: Search, failure: Run, known: object) -> None:
    raise ZeroDivisionError("a tensor of a hidden check")


def test_a_fault_of_the_diagnosis_takes_the_names_alone_and_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    source = plain((SCORES, "q @ k.transpose(-2, -1)"))
    whole = graded("plain_class", source)
    monkeypatch.setattr(Search, "explanation", broken)
    report = report_of(submission(source), BY_NAME["plain_class"], Options(seed=1), sandbox())
    assert any(check.mistake for check in results(whole))
    assert [(check.name, check.verdict) for check in results(whole)] == [(c.name, c.verdict) for c in results(report)]
    assert {None} == {check.mistake for check in results(report)}
    assert (Outcome.GRADED, whole.score) == (report.outcome, report.score)
    (note,) = report.notes
    assert re.fullmatch(rf"{NOT_DIAGNOSED} \(ZeroDivisionError at grader/judge/diagnosis/search.py:\d+\)", note)


# The policy

SDPA = (MIX, "attention(q, k, v)")
HIDDEN_CALL = """import torch.nn.functional

def attention(q, k, v):
    try:
        return getattr(torch.nn.functional, "scaled_dot_product_" + "attention")(q, k, v)
    except Exception:
        return torch.softmax(q @ k.mT / q.size(-1) ** 0.5, dim=-1) @ v


class MultiHeadAttention:"""
USING_SDPA = plain(SDPA, ("class MultiHeadAttention:", HIDDEN_CALL))


def test_forbidden_attention_is_seen_behind_a_try_and_earns_nothing() -> None:
    report = graded("plain_class", USING_SDPA)
    used = [check for check in results(report) if check.verdict is Verdict.POLICY]
    assert len(results(report)) - 1 <= len(used), summary(report)  # the refused size calls no attention
    assert 0 == sum(check.points for check in used)
    assert ("attention from scratch", None) == (used[0].expected, used[0].mistake)
    assert "scaled_dot_product_attention" in str(used[0].got)


def test_the_interviewer_may_allow_it() -> None:
    report = graded("plain_class", USING_SDPA, Options(seed=1, allow=frozenset({"sdpa"})))
    assert 100 == report.score, summary(report)


WRAPPED = """import torch.nn as nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.inner = nn.MultiheadAttention(d_model, num_heads, batch_first=True)

    def forward(self, Q, K, V):
        return self.inner(Q, K, V)[0]
"""


@pytest.mark.parametrize("base", ["nn.Module", "object"])
def test_a_class_that_wraps_the_forbidden_module_is_told_so(base: str) -> None:
    source = WRAPPED.replace("(nn.Module)", f"({base})")
    report = graded("plain_class", source)
    policy = [check for check in results(report) if check.verdict is Verdict.POLICY]
    assert 0 == report.score, summary(report)
    assert {"use of nn.MultiheadAttention"} == {check.got for check in policy}, summary(report)
    assert all("no parameter of that name" not in str(check.got) for check in results(report))


# What is given, drawn and allowed


@pytest.mark.slow
def test_what_the_contract_gives_is_supplied_where_it_is_missing() -> None:
    source = solution("scaffold")
    given = source[source.index("@dataclass\n") : source.index("class MultiHeadAttention(nn.Module)")]
    shorter = source.replace(given, "").replace("from dataclasses import dataclass\n", "")
    assert "def causal_mask" not in shorter
    report = graded("scaffold", "from __future__ import annotations\n" + shorter)
    assert 100 == report.score, summary(report)


@pytest.mark.slow
def test_a_function_with_four_layers_of_its_own_loses_the_check_on_its_draws_alone() -> None:
    report = graded("functional", edited("functional", DRAWN_OTHERWISE["as nn.Linear draws them"]))
    assert others_pass(report, "weights_are_drawn_as_pytorch_draws_them"), summary(report)
    assert 95 == report.score


MERGED = "merged = (weights @ values).transpose(1, 2).flatten(2)  # (N, L, E)\n    return F.linear(merged, w_o)"
BY_EINSUM = 'answers = weights @ values\n    return torch.einsum("nhld,ohd->nlo", answers, w_o.unflatten(1, heads))'
HEAD_BY_HEAD = (
    "rows = w_o.T.unflatten(0, heads)\n    return sum(weights[:, h] @ values[:, h] @ rows[h] for h in range(num_heads))"
)


@pytest.mark.slow
@pytest.mark.parametrize("projected", [BY_EINSUM, HEAD_BY_HEAD])
def test_so_does_one_whose_output_projection_is_no_product_of_two_matrices(projected: str) -> None:
    """What einsum multiplies has its columns in another order; head by head no factor is a whole weight."""
    as_linear = edited("functional", DRAWN_OTHERWISE["as nn.Linear draws them"])
    assert 1 == as_linear.count(MERGED)
    report = graded("functional", as_linear.replace(MERGED, projected))
    assert others_pass(report, "weights_are_drawn_as_pytorch_draws_them"), summary(report)
    unscaled = solution("functional").replace(MERGED, projected).replace(" / math.sqrt(heads[1])", "")
    named = {check.mistake for check in results(graded("functional", unscaled)) if check.mistake}
    assert {catalogue("functional")["no_scale"].sentence} == named


@pytest.mark.slow
def test_so_does_one_that_draws_small_weights_as_gpt_2_does() -> None:
    small = [(of, f"{name} = 0.02 * torch.randn({rows}d_model, d_model).to(q)") for of, name, rows in (
        (DRAW_OUT, "w_o", ""), (DRAW_IN, "w_in", "3 * ")
    )]  # fmt: skip
    report = graded("functional", edited("functional", small))
    assert others_pass(report, "weights_are_drawn_as_pytorch_draws_them"), summary(report)


# Parameters as they were made


INITIAL = ("weights_start_xavier_uniform", "biases_start_at_zero")
RAISES = "\nMultiHeadAttention.forward = lambda self, *args, **kwargs: print(self.not_written)\n"
FITS_ONE_TOKEN = """
def attend(self, Q, K, V, mask=None):
    weights = torch.softmax(Q @ K, dim=-1)
    return weights @ V, weights

MultiHeadAttention._scaled_dot_product_attention = attend
"""
RAISES_WHEN_NEW = """
right = MultiHeadAttention.forward

def forward(self, query, *args, **kwargs):
    if query.shape[-1] in (18, 54) and self.W_Q.bias.abs().max() == 0:
        raise ValueError("new")
    return right(self, query, *args, **kwargs)

MultiHeadAttention.forward = forward
"""


@pytest.mark.parametrize(
    ("source", "expected"), [("", True), (RAISES, True), (FITS_ONE_TOKEN, True), (RAISES_WHEN_NEW, False)]
)
def test_a_constructor_has_its_points_unless_a_new_layer_alone_does_not_answer(source: str, expected: bool) -> None:
    report = graded("module", solution("module") + source, Options(1, tiers=("interface",)))
    assert [expected] * 2 == [result(report, name).verdict is Verdict.PASS for name in INITIAL], summary(report)


# The report


@pytest.mark.slow
def test_the_same_seed_gives_the_same_report_again() -> None:
    source = plain((" / math.sqrt(self.head_dim)", ""))
    first, again = graded("plain_class", source, Options(5)), graded("plain_class", source, Options(5))
    assert replace(first, duration_s=0.0) == replace(again, duration_s=0.0)
    assert first.tiers != graded("plain_class", source, Options(6)).tiers


def test_a_check_that_was_not_run_earns_nothing() -> None:
    kata = BY_NAME["plain_class"]
    tiers = collect_tiers(kata, choose_checks(kata), {})
    assert {(Verdict.SKIP, 0)} == {(check.verdict, check.points) for tier in tiers for check in tier.checks}
    assert 100 == sum(tier.max_points for tier in tiers)


def test_tiers_can_be_chosen_by_name() -> None:
    report = graded("plain_class", solution("plain_class"), Options(1, tiers=("gradients", "shapes")))
    assert ["shapes", "gradients"] == [tier.name for tier in report.tiers]
    assert report.score == report.max_score < 100


def test_of_the_tiers_named_those_are_run_that_the_kata_has() -> None:
    kata = BY_NAME["plain_class"]
    assert choose_checks(kata, ("shapes",)) == choose_checks(kata, ("padding", "shapes"))
    with pytest.raises(GraderError, match='There is no tier of plain_class "padding": use one of shapes, weight sums'):
        choose_checks(kata, ("padding", "causal"))


def test_a_submissions_seed_in_a_stack_depends_on_stack_and_file() -> None:
    assert derive_seed(1, "aa") == derive_seed(1, "aa")
    assert 3 == len({derive_seed(1, "aa"), derive_seed(2, "aa"), derive_seed(1, "ab")})


@pytest.mark.slow
def test_the_score_of_an_ignored_mask_without_the_scale_does_not_depend_on_the_seed() -> None:
    """Large scores of x with x put nearly all weight on the diagonal, where no mask shows."""
    source = (
        solution("scaled_dot_product")
        .replace(" / math.sqrt(q.size(-1))", "")
        .replace("mask.to(torch.bool)", "mask != mask")
    )
    assert 1 == len({graded("scaled_dot_product", source, Options(seed)).score for seed in range(1, 7)})
