"""Reports of known situations, compared with golden files letter by letter.

To write them anew after a wanted change: GOLDEN=write make test, then read the difference.
"""

import json
import os
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from grader.formats import json as report_json
from grader.formats import junit
from grader.formats.lines import plain
from grader.formats.summary import render_overview
from grader.formats.text import render
from grader.records import Evidence, Outcome, Reason, Report, TierResult, Verdict
from tests.fakes import check, report

GOLDEN = Path(__file__).parent / "golden" / "reports"
PASSED = TierResult("shapes", "the tensors have the contract's shapes", (check("self"), check("cross")))
WRONG = TierResult(
    "parity",
    "with the same weights, the answer is PyTorch's",
    (
        check("without_a_mask"),
        check(
            "output_equals_pytorch",
            Verdict.FAIL,
            15,
            what="output",
            expected="-1.04645 at [1, 3, 0]  (atol 1e-08, rtol 1e-05)",
            got="-1.6679 at [1, 3, 0]; 96 of 96 values differ",
            mistakes=("the scores were not divided by sqrt(head_dim)",),
            evidence=Evidence(((1.5, "nan"), (-2.0, 0.25)), ((0, 1), (0, 1)), ((1.5, 1.0), (-2.0, 0.5))),
        ),
        check("in_cross_attention", Verdict.FAIL, 5, what="output", expected="1", got="2"),
    ),
)
EXPLAINED = TierResult(
    "padding",
    "padded keys take no part",
    (
        check(
            "padded_keys",
            Verdict.FAIL,
            what="output",
            expected="1",
            got="2",
            mistakes=("the scores were not divided by sqrt(head_dim)", "the mask was inverted"),
            reasons=(
                Reason("Undivided, large heads drive the softmax to its flat ends.", "notebooks/plain.ipynb#Scores"),
                Reason("Each query sees just what it must not see.", "notebooks/plain.ipynb#Masks"),
            ),
        ),
    ),
    "Why are padded keys hidden before the softmax?",
)
RAISED = TierResult(
    "gradients",
    "gradients reach every input and parameter",
    (
        check(
            "of_every_input",
            Verdict.ERROR,
            what="a call of forward",
            expected="an answer",
            got="RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton "
            "dimension 3",
            where="candidate.py:12 in forward: return x @ y  (called from candidate.py:20 in __call__)",
        ),
        check("of_every_parameter", Verdict.TIMEOUT, got="took longer than 10 s and was stopped"),
    ),
)


def todo(name: str) -> TierResult:
    return TierResult(name, f"{name} are right", (check(f"{name}_a", Verdict.TODO), check(f"{name}_b", Verdict.TODO)))


SITUATIONS: dict[str, Report] = {
    "every-check-passes": report(PASSED),
    "wrong-values": report(PASSED, WRONG, RAISED),
    "exception-in-forward": report(PASSED, RAISED),
    "two-mistakes": report(PASSED, EXPLAINED, RAISED),
    "untouched-stub": report(
        todo("shapes"),
        todo("padding"),
        submission="exercises/plain.py",
        notes=("cell 5 raised NotImplementedError: attend is not written yet",),
    ),
    "half-written": report(
        PASSED,
        TierResult(
            "padding",
            "padded keys take no part",
            (check("padded_keys", Verdict.TODO, got="_apply_masks is not written yet"),),
        ),
    ),
    "forbidden-operator": report(
        TierResult(
            "parity",
            "with the same weights, the answer is PyTorch's",
            (
                check(
                    "output_equals_pytorch",
                    Verdict.POLICY,
                    what="operators used",
                    expected="none that computes attention (from scratch)",
                    got="F.scaled_dot_product_attention",
                ),
            ),
        )
    ),
    "name-missing": report(
        TierResult("shapes", "the tensors have the contract's shapes", (check("self", Verdict.SKIP, 40),)),
        outcome=Outcome.UNLOADABLE,
        message="Attention is missing (did you mean Attenton?): define it.",
    ),
    "never-ends": report(outcome=Outcome.TIMEOUT, message="loading took longer than 20 s and was stopped"),
    "grader-failed": report(PASSED, outcome=Outcome.BROKEN, message="KeyError: 'oracle'"),
    "check-broken": report(PASSED, TierResult("causal", "no peeking", (check("a_check", Verdict.BROKEN),))),
    "kata-unknown": report(kata="", sha256="", outcome=Outcome.UNLOADABLE, message="a.py is empty: write it."),
    "remarks": report(
        PASSED,
        notes=(
            "cell 3 raised NameError: name 'x' is not defined (cell 3, line 2)",
            "the output was cut after 8 MiB",
        ),
    ),
    "hostile-text": report(
        TierResult(
            "shapes",
            "shapes",
            (
                check(
                    "a",
                    Verdict.ERROR,
                    got="\x1b[2J\x1b]0;title\x07red\x1b[31m\r\x00\u202eabc\u2028d\ud800<&>]]>\tend",
                ),
            ),
        ),
        submission="a\nb\x1b[1m.py",
        message=None,
        notes=("\u200bnote\x7f",),
    ),
}


def golden(name: str, text: str | bytes) -> None:
    path, data = GOLDEN / name, text.encode() if isinstance(text, str) else text
    if os.environ.get("GOLDEN") == "write":
        path.write_bytes(data)
    assert path.read_bytes() == data


@pytest.mark.parametrize("name", SITUATIONS)
def test_text_equals_the_golden_file(name: str) -> None:
    lines = render(SITUATIONS[name], command="make grade KATA=plain SEED=7", begin=("Attention.__init__", "attend"))
    golden(f"{name}.txt", plain(lines))


@pytest.mark.parametrize("name", SITUATIONS)
def test_json_equals_the_golden_file_and_its_schema(name: str) -> None:
    data = report_json.dumps([SITUATIONS[name]], many=False)
    jsonschema.validate(json.loads(data), json.loads(report_json.SCHEMA.read_text()))
    golden(f"{name}.json", data)


@pytest.mark.parametrize("name", SITUATIONS)
def test_junit_equals_the_golden_file(name: str) -> None:
    golden(f"{name}.xml", junit.dumps([SITUATIONS[name]], many=False))


@pytest.mark.parametrize("name", ["wrong-values", "untouched-stub"])
def test_all_in_detail_equals_the_golden_file(name: str) -> None:
    golden(f"{name}.all.txt", plain(render(SITUATIONS[name], reveal="all")))


def test_what_is_explained_equals_the_golden_file() -> None:
    golden("two-mistakes.explained.txt", plain(render(SITUATIONS["two-mistakes"], explain=True, width=80)))


def test_a_narrow_terminal_wraps_below_the_value() -> None:
    golden("wrong-values.narrow.txt", plain(render(SITUATIONS["wrong-values"], width=60)))


def test_overview_of_the_exercises_equals_the_golden_file() -> None:
    names = (
        "every-check-passes",
        "wrong-values",
        "untouched-stub",
        "name-missing",
        "grader-failed",
        "half-written",
    )
    reports = [replace(SITUATIONS[name], kata=f"kata_{n}") for n, name in enumerate(names)]
    golden("overview.txt", plain(render_overview(reports, seed=7, by_kata=True, command="make grade KATA=kata_1")))


def test_overview_of_a_stack_names_the_files() -> None:
    reports = [replace(SITUATIONS["every-check-passes"], submission=f"stack/{name}.py") for name in ("ann", "bo")]
    text = plain(render_overview(reports, seed=7))
    assert "  20 of 20    stack/ann.py  every tier passed\n  20 of 20    stack/bo.py   every tier passed\n" in text
    assert text.endswith("total 40 of 40, seed 7\n")


def test_overview_of_a_stack_names_the_katas_too_where_they_differ() -> None:
    passed = SITUATIONS["every-check-passes"]
    reports = [replace(passed, submission=f"{kata}.py", kata=kata) for kata in ("easy", "hard")]
    text = plain(render_overview(reports, seed=7))
    assert "  20 of 20    easy.py  easy: every tier passed\n  20 of 20    hard.py  hard: every tier passed\n" in text
    not_read = replace(SITUATIONS["name-missing"], kata="")
    assert "every tier passed\n" in plain(render_overview([reports[0], not_read], seed=7))
    assert "easy: " not in plain(render_overview([reports[0], not_read], seed=7))


def test_overview_of_a_stack_names_what_nothing_was_read_from() -> None:
    text = plain(render_overview([SITUATIONS["every-check-passes"]], seed=7, unread=["bo", "c\u202ey.txt"]))
    expected = "not read: bo, c\\u202ey.txt; a submission is a .py or an .ipynb file in it\n"
    assert text.endswith(f"total 20 of 20, seed 7\n{expected}")


def test_overview_names_the_first_that_was_not_graded() -> None:
    text = plain(render_overview([SITUATIONS["every-check-passes"]], seed=7, left=["bo\x1b[2J.py", "cy.py"]))
    assert text.endswith("interrupted: 2 of 3 were not graded, from bo\\x1b[2J.py on\n")


def test_overview_counts_what_was_not_graded() -> None:
    names = ("every-check-passes", "name-missing", "grader-failed", "wrong-values")
    reports = [replace(SITUATIONS[name], submission=f"stack/{name}.py") for name in names]
    assert ", 2 not graded, seed 5" in plain(render_overview(reports, seed=5)).splitlines()[-1]


@pytest.mark.parametrize("outcome", [Outcome.UNLOADABLE, Outcome.BROKEN])
def test_where_no_reason_is_known_that_is_said(outcome: Outcome) -> None:
    unexplained = report(outcome=outcome)
    for text in (plain(render(unexplained)), junit.dumps([unexplained], many=False).decode()):
        assert "no reason was given" in text
