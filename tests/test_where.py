"""A report says from which place on values are wrong, proven by what is right before it."""

import re
from itertools import chain

import pytest
import torch
from torch import Tensor

from grader.core.audience import for_audience
from grader.formats import json
from grader.formats.lines import plain
from grader.formats.text import render
from grader.judge.diagnosis.answers import Answers
from grader.judge.diagnosis.proof import Named, Proofs
from grader.judge.diagnosis.when import fails_when
from grader.judge.diagnosis.where import judge_calls
from grader.judge.engine import Run
from grader.oracle import attention_key
from grader.oracle.mistake import apply
from grader.oracle.pipeline import Context
from grader.records import CANDIDATE, LEARNER, Report, TierResult, Verdict
from tests.catalogue import OracleEngine, diagnosis, names
from tests.fakes import check, report
from tests.grading import BY_NAME, ROOT, catalogue, graded, oracle, sandbox, solution
from tests.programs import programs, report_on

WRONG = {(program.kata, program.name): program for program in programs() if program.part == "wrong"}
AFTER = "the weights returned are right in all # compared calls, the output made of them is not: "
LOOK = "where hidden keys have weight: look at the mask"
SEEN = f"right in all # compared calls without a mask, wrong in {{}} with one, {LOOK}"
MIXED = "the right values are mixed by wrong weights in # calls, "
MOST_LINES = 12
"""From the first failing check to what is said of where and when."""


def edited(kata: str, style: str, *changes: tuple[str, str]) -> Report:
    """The report on a right program of another hand, with these changes.

    Args:
        kata: whose program.
        style: the file's stem in `tests/correct/`.
        changes: text that occurs once, and what takes its place.
    """
    source = (ROOT / "tests" / "correct" / kata / f"{style}.py").read_text(encoding="utf-8")
    for old, new in changes:
        assert 1 == source.count(old), f"{style} must hold this text once: {old}"
        source = source.replace(old, new)
    return graded(kata, source)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("kata", "style", "change", "sentence"),
    [
        (
            "module",
            "einsum",
            (").flatten(2)", ").transpose(1, 2).flatten(2).view(query.shape)"),
            AFTER + "the output's numbers stand in other places before its projection: "
            "look at the split into heads and the merge of the heads",
        ),
        (
            "module",
            "view_transpose",
            ("self.dropout(self.W_O(self._combine_heads(attn)))", "self.dropout(self._combine_heads(attn))"),
            AFTER + "the output is a linear map of what the heads give, and not the right one: "
            "look at the output projection and what is done to the output",
        ),
        (
            "module",
            "view_transpose",
            ("self._split_heads(self.W_V(value))", "self._split_heads(self.W_K(value))"),
            AFTER + "the right weights mix other values: look at how the values are made and the weighted sum",
        ),
        (
            "module",
            "loop_over_heads",
            ("@ v, weights", "@ v, weights.mT"),
            "the output is right in all # compared calls, the weights returned are wrong in #: "
            "look at what is returned as the weights",
        ),
        (
            "fused_qkv",
            "einsum",
            ("sim.softmax(-1)", "sim.softmax(-2)"),
            MIXED + "which sum to 1 over the queries, not over the keys: look at the softmax",
        ),
        (
            "plain_class",
            "folded_bmm",
            ("dim=2)\n        out", "dim=0)\n        out"),
            MIXED + "which do not sum to 1 over the keys: look at the softmax and the weighted sum",
        ),
        (
            "plain_class",
            "einsum",
            (".mul(self.d**-0.5)", ".mul(self.h**-0.5)"),
            MIXED + "a softmax of the right scores times a factor: look at the scale and the weighted sum",
        ),
        (
            "module",
            "view_transpose",
            ("F.softmax(scores, dim=-1)", "F.softmax(scores.clamp(max=-1e8), dim=-1)"),
            MIXED
            + "the same for all keys of a row that have any, whatever their scores: look at all that makes the weights",
        ),
        (
            "plain_class",
            "folded_bmm",
            ("torch.chunk(out, H, dim=0), dim=2", "torch.chunk(out, H, dim=0)[::-1], dim=2"),
            "the output's numbers stand in other places before its projection: "
            "look at the split into heads and the merge of the heads",
        ),
        (
            "functional",
            "torch_where",
            ("mask if mask.dim() != 3 else mask[:, None]) == 0", "mask if mask.dim() != 3 else mask[:, None]) != 0"),
            SEEN.format("# of #"),
        ),
        (
            "scaled_dot_product",
            "einsum",
            ("attn, v), attn", "attn * attn, v), attn"),
            AFTER + "the right values are mixed by other weights: look at the weighted sum",
        ),
        (
            "scaffold",
            "additive_1e9",
            ("(~key_padding_mask[:, None, None])", "(key_padding_mask[:, None, None])"),
            "called on its own, _apply_masks is wrong, _merge_heads and _split_heads are right; "
            + SEEN.format("# of #"),
        ),
        (
            "scaffold",
            "view_transpose",
            ("x.transpose(1, 2).contiguous().view(B, T, self.cfg.embed_dim)", "x.reshape(B, T, self.cfg.embed_dim)"),
            "called on its own, _merge_heads is wrong, _apply_masks and _split_heads are right; "
            + AFTER
            + "the output's numbers stand in other places before its projection: "
            "look at the split into heads and the merge of the heads",
        ),
        (
            "scaffold",
            "view_transpose",
            ("torch.nan_to_num(F.softmax(logits, dim=-1), nan=0.0)", "F.softmax(logits, dim=-1)"),
            "output and weights are right in all # compared calls, in which each query may see a key: "
            "look at the mask and the softmax",
        ),
        (
            "scaffold",
            "view_transpose",
            ("self._split_heads(self.k_proj(kv))", "self._split_heads(self.k_proj(kv).detach())"),
            "output and weights are right in all # compared calls, the gradients of k_proj.weight, kv and x are wrong",
        ),
    ],
)
def test_where_programs_of_other_hands_part(kata: str, style: str, change: tuple[str, str], sentence: str) -> None:
    assert counted(sentence) == counted(edited(kata, style, change).parts_at or "")


def counted(sentence: str) -> str:
    """Without the numbers of calls, which a new check changes."""
    return re.sub(r"\d+", "#", sentence)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("kata", "name", "said"),
    [
        ("plain_class", "odd_width", "the right weights mix other values"),
        ("scaffold", "gradient_of_v_bias_scaled", ", the gradient of v_proj.bias is wrong"),
        ("scaffold", "causal_mask_float_of_one_size", "called on its own, causal_mask is wrong"),
        ("module", "float32_scale", "digits after them are lost in 1 call, of the weights returned too"),
        ("fused_qkv", "dropout_anneals", "without dropout: look at the dropout"),
        ("scaled_dot_product", "half_long_wrong", "compared calls in float64, wrong in 1 call in other dtypes"),
    ],
)
def test_where_programs_part_that_are_wrong_in_a_corner(kata: str, name: str, said: str) -> None:
    assert said in str(report_on(WRONG[kata, name], box=sandbox()).parts_at)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kata", "style"), [("scaffold", "additive_1e9"), ("plain_class", "convolutions"), ("functional", "online_softmax")]
)
def test_nothing_is_said_of_a_right_program(kata: str, style: str) -> None:
    assert edited(kata, style).parts_at is None


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("kata", "name"), [("module", "repr_tuple"), ("functional", "draws_one_more"), ("scaffold", "extra_parameters")]
)
def test_nothing_is_said_where_no_value_of_attention_is_wrong(kata: str, name: str) -> None:
    assert report_on(WRONG[kata, name], box=sandbox()).parts_at is None


# A sentence is never false; of each mistake of the catalogue it is true: test_catalogue.py


@pytest.mark.slow
def test_what_is_right_on_weights_that_the_submission_drew_is_said_to_be_right_on_these() -> None:
    """The first failing check says that a call without a mask is wrong: its weights are, all else is judged on them."""
    stub = (ROOT / "exercises" / "repair_functional.py").read_text(encoding="utf-8")
    verdict = graded("repair_functional", stub)
    assert (verdict.parts_at or "").startswith(
        "with the weights that it drew: right in all 60 compared calls without a mask, "
    )
    assert (verdict.fails_when or "").startswith(
        "with the weights that it drew: wrong in all 37 compared calls with a mask, "
    )


@pytest.mark.slow
@pytest.mark.parametrize("kata", ["functional", "repair_functional"])
def test_nothing_is_said_of_weights_where_they_are_pytorchs(kata: str) -> None:
    """The check of the draws failed by another mistake: its weights were found to be right before."""
    solution = (ROOT / "solutions" / f"{kata}.py").read_text(encoding="utf-8")
    changed = re.sub(r"(transpose\(-2, -1\)\)?) / math\.sqrt\(\S+", r"\1", solution)
    verdict = graded(kata, changed)
    assert changed != solution
    assert verdict.score < 100
    assert "weights that it drew" not in f"{verdict.parts_at} {verdict.fails_when}"


@pytest.mark.slow
def test_nothing_is_said_of_dtypes_below_a_failure_in_float64() -> None:
    softmax = "p = torch.softmax(logits, dim=-1)", "p = torch.nan_to_num(torch.softmax(logits, dim=-1), 0.0)"
    said = edited(
        "scaffold", "additive_1e9", ("NEGATIVE = -1e9", "NEGATIVE = -1e4"), (".clamp_min(NEGATIVE)", ""), softmax
    )
    failed = [check for tier in said.tiers for check in tier.checks if check.verdict is Verdict.FAIL]
    assert "gradient of x" == failed[0].what
    assert "other dtypes" not in str(said.parts_at)


@pytest.mark.slow
def test_what_a_check_accepts_in_a_low_dtype_is_not_called_wrong() -> None:
    """Scores of 100000 cost more digits than a sum usually does, and a default has nothing to do with them."""
    said = graded("module", solution("module").replace("dropout: float = 0.0", "dropout: float = 0.1"))
    assert (said.parts_at or "").startswith("output and weights are right in all ")
    assert said.fails_when is None


@pytest.mark.slow
def test_it_counts_as_wrong_what_the_line_below_it_counts() -> None:
    """In float32 some calls are off by less than a right answer may be: they show no place, and count as wrong."""
    kata = BY_NAME["functional"]
    engine = OracleEngine(kata, oracle("functional").but(drop_output=bent_with_a_mask))
    list(engine.run())
    failed, passed = ([judge_calls(Answers(kata), run) for run in runs] for runs in (engine.failures, engine.passes))
    calls = [call for run in passed for call in run]
    parts, when = kata.key.parts_at(kata, failed, calls), fails_when(kata, chain(*failed, calls))
    in_words = re.match(r"wrong in all (\d+) compared calls with a mask, right in all (\d+) others", when or "")
    assert in_words is not None, when
    wrong, others = in_words.groups()
    where = f"right in all {others} compared calls without a mask, wrong in {wrong} of {wrong} with one"
    assert str(parts and parts.sentence).startswith(where)


def test_where_values_part_a_mistake_is_sought_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that do not sum to 1 are made of no wrong projections or heads: no mistake in these is tried."""
    kata, tried, explains = BY_NAME["plain_class"], set[str](), Proofs.explains

    def noted(proofs: Proofs, named: Named, failure: Run) -> bool:
        tried.update(step for one in named for step in one.changed)
        return explains(proofs, named, failure)

    monkeypatch.setattr(Proofs, "explains", noted)
    result = diagnosis(kata, apply((catalogue("plain_class")["softmax_plus_one"],), kata.key.oracle))
    assert names(kata, result.tiers) == ("softmax_plus_one",)
    assert "softmax" in tried
    assert tried.isdisjoint({"project", "split", "merge"})


def test_what_is_right_is_taken_over_from_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    kata = BY_NAME["functional"]
    engine = OracleEngine(kata, oracle("functional"))
    list(engine.run())
    monkeypatch.setattr(attention_key, "remember", lambda compute, *question: pytest.fail(f"{compute} was asked anew"))
    compared = ("with_many_heads", "of_the_inputs")  # with PyTorch's answer, and with the oracle's gradients
    for run in engine.passes:
        if run.check.name in compared:
            assert {True} == {each.is_right for each in judge_calls(Answers(kata), run, passed=True)}


def bent_with_a_mask(output: Tensor, c: Context) -> Tensor:
    factor = 1.0004 if c.size.dtype == torch.float32 else 1.2
    return output * factor if c.case.shown is not None else output


# What is shown


def test_it_stands_below_the_first_failing_check_and_not_in_a_candidates_report() -> None:
    tier = TierResult("parity", "equal", (check("a"), check("b", Verdict.FAIL), check("c", Verdict.FAIL)))
    given = report(tier, parts_at="the weights are right", fails_when="wrong in all 9 calls")
    lines = plain(render(for_audience(given, LEARNER, reveal=False))).splitlines()
    where = lines.index("  where  the weights are right")
    assert "  when   wrong in all 9 calls" == lines[where + 1]
    assert lines[where + 2].startswith("  FAIL  parity")
    assert for_audience(given, CANDIDATE, reveal=False).parts_at is None
    assert [given.parts_at] == [each.parts_at for each in json.read(json.dumps([given], many=False), "report.json")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kata", "style", "change"),
    [
        ("scaffold", "additive_1e9", ("(~key_padding_mask[:, None, None])", "(key_padding_mask[:, None, None])")),
        ("functional", "torch_where", ("/ math.sqrt(head_dim)", "/ math.sqrt(d_model)")),
    ],
)
def test_what_is_shown_of_the_first_failure_is_one_block(kata: str, style: str, change: tuple[str, str]) -> None:
    lines = plain(render(edited(kata, style, change))).splitlines()
    last = next(place for place, line in enumerate(lines) if line.startswith("  where "))
    last += next(place for place, line in enumerate(lines[last + 1 :]) if not line.startswith("       "))
    first = max(place for place, line in enumerate(lines[:last]) if line.startswith("  FAIL"))
    assert last - first < MOST_LINES
