"""Pictures of a report: heatmaps of a wrong call, a wrong shape axis by axis, memory on log axes."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from grader.core import Grader, Report, Request
from grader.formats.diagrams import growth, memory, shapes
from grader.formats.heatmaps import MOST_PANELS, heatmaps, in_words
from grader.records import CheckResult, Evidence, Picture, Verdict, Visibility
from tests.grading import ROOT, first_failure, results
from tests.grading import graded as graded_source
from tests.programs import programs, report_on

WEIGHTS = ((0.25, 0.75), (1.0, 0.0))
PICTURE = Picture(
    what="weights returned",
    call="N=1, L=2, S=2, E=4, H=2",
    axes=("query", "key"),
    titles=("head 0", "head 1"),
    got=(((0.5, 0.5), (0.5, 0.5)), (("nan", "nan"), (1.25, -0.25))),
    expected=(WEIGHTS, WEIGHTS),
    hidden=(((0, 0), (0, 1)), ((0, 0), (0, 1))),
)


def check(**fields: object) -> CheckResult:
    return CheckResult("a", "claim", Verdict.FAIL, 0, 5, **fields)  # type: ignore[arg-type]


def test_each_head_has_its_title_three_panels_and_one_line() -> None:
    html = heatmaps(PICTURE)
    assert ["head 0", "head 1"] == re.findall(r"<figcaption>(.*?)</figcaption>", html)
    assert 2 * ["yours", "expected", "difference"] == re.findall(r"<span>(yours|expected|difference)</span>", html)
    assert "rows sum to 1: yes; NaN: none; hidden weight: up to 0.5 in a cell" in html
    assert "rows sum to 1: no (1); NaN: 2 of 4; below 0 or above 1: 2 of 4; hidden weight: up to 0.25 in a cell" in html


def test_axes_are_named_and_a_picture_says_in_words_what_it_shows() -> None:
    html = heatmaps(PICTURE)
    assert 6 == len(re.findall(r">query</text>", html)) == len(re.findall(r">key</text>", html))
    labels = re.findall(r'role="img" aria-label="([^"]*)"', html)
    assert 6 == len(labels)
    assert labels[0].startswith("head 0, yours: 2 by 2 cells, from 0.5 to 0.5; rows sum to 1: yes")


def test_weights_are_drawn_from_0_to_1_and_differences_around_0() -> None:
    drawn = re.findall(r'<rect class="(kr-\w+)" fill-opacity="([\d.]+)" x=.*?<title>(.*?)</title>', heatmaps(PICTURE))
    assert ("kr-weight", "0.75", "query 0, key 1: 0.75") in drawn  # though the largest value is 1.25
    assert ("kr-weight", "1", "query 1, key 0: 1.25") in drawn
    assert ("kr-below", "0.25", "query 1, key 1: -0.25") in drawn
    assert ("kr-above", "0.5", "query 0, key 0: 0.25") in drawn  # of the largest difference, 0.5
    assert ("kr-below", "1", "query 1, key 0: -0.5") in drawn


def test_masked_cells_are_hatched_and_nan_is_crossed() -> None:
    html = heatmaps(PICTURE)
    assert 6 + 1 == html.count('class="kr-hatch"')  # one sample in the legend
    assert 2 * 2 + 1 == html.count('class="kr-odd"')
    nothing = ((0, 0), (0, 0))
    assert "hidden by the mask" not in heatmaps(replace(PICTURE, hidden=(nothing, nothing)))
    plain = heatmaps(replace(PICTURE, hidden=None, got=(WEIGHTS, WEIGHTS)))
    assert "kr-hatch" not in plain
    assert "kr-odd" not in plain
    assert "hidden by the mask" not in plain


@pytest.mark.parametrize(
    ("got", "hidden", "said"),
    [
        (WEIGHTS, None, "rows sum to 1: yes; NaN: none"),
        (((0.1, 0.1), (0.3, 0.3)), None, "rows sum to 1: no (0.2 to 0.6); NaN: none"),
        (((0.5, 0.5), (0.0, 0.0)), ((0, 0), (1, 1)), "rows that see a key sum to 1: yes; NaN: none; hidden weight: 0"),
        (
            (("nan", "nan"), (0.5, 0.5)),
            ((1, 1), (0, 0)),
            "rows that see a key sum to 1: yes; NaN: 2 of 4; hidden weight: NaN",
        ),
        ((("inf", 1.0), ("-inf", 1.0)), None, "rows sum to 1: no row has a sum; NaN: none; infinite: 2 of 4"),
        (
            ((0.0, 0.0), (0.0, 0.0)),
            ((1, 1), (1, 1)),
            "rows sum to 1: no row may see a key; NaN: none; hidden weight: 0",
        ),
    ],
)
def test_the_line_on_weights_is_true(got: tuple, hidden: tuple | None, said: str) -> None:
    assert said == in_words(got, WEIGHTS, hidden, of_weights=True)


def test_of_outputs_the_line_says_how_many_differ() -> None:
    said = in_words(((1.0, 2.0), ("nan", -7.0)), ((1.0, 2.5), (0.0, -7.0)), None, of_weights=False)
    assert said == "NaN: 1 of 4; differ: 2 of 4; largest difference: 0.5"


def test_of_many_heads_the_first_are_drawn() -> None:
    heads = MOST_PANELS + 3
    many = replace(
        PICTURE, titles=tuple(map(str, range(heads))), got=(WEIGHTS,) * heads, expected=(WEIGHTS,) * heads, hidden=None
    )
    assert MOST_PANELS == heatmaps(many).count("<figure")
    assert "and 3 more heads" in heatmaps(many)


def test_a_wrong_shape_is_drawn_axis_by_axis() -> None:
    drawn = str(shapes(check(expected="shape (N=3, L=7, E=30)", got="shape (7, 3, 30)")))
    assert ["N", "L", "E"] == re.findall(r'<th scope="row">(.*?)</th>', drawn)
    assert ["3", "7", "7", "3", "30", "30"] == re.findall(r"</svg>(\w+)</td>", drawn)
    assert 2 == drawn.count('class="kr-wrong"')
    assert "differ: N, L; the same sizes in another order" in drawn


def test_a_missing_axis_and_one_too_many_are_named() -> None:
    assert "differ: axis 2; axes: 2, expected 3" in str(shapes(check(expected="shape (3, 7, 5)", got="shape (3, 7)")))
    drawn = str(shapes(check(expected="shape (N=3)", got="shape (3, 1)")))
    assert "differ: axis 1; axes: 2, expected 1" in drawn
    assert shapes(check(expected="shape ()", got="shape (2,)")) is not None


@pytest.mark.parametrize("got", ["a tuple of 2", "shape (3, x)", None])
def test_what_is_no_shape_is_not_drawn_as_one(got: str | None) -> None:
    assert shapes(check(expected="shape (3, 7)", got=got)) is None


def test_memory_is_drawn_on_a_log_axis() -> None:
    for where in ("", ", kept as weights"):
        drawn = str(memory(check(expected="fewer than 69632 elements", got=f"shape (1, 2, 256, 272){where}")))
        assert "139,264 elements; allowed: 69,632; that is 2 times as many" in drawn
    assert ["10,000", "100,000", "1e6"] == re.findall(r'y="80">(.*?)</text>', drawn)
    widths = [float(width) for width in re.findall(r'<rect x="70" y="\d+" width="([\d.]+)"', drawn)]
    whole = 324 / 2  # a decade
    allowed, got = (whole * float(torch.tensor(number / 10_000).log10()) for number in (69_632, 139_264))
    assert widths == pytest.approx([allowed, got], rel=1e-3)
    in_bytes = check(what="bytes that are alive", expected="at most 69631", got="278528; 1 of 1 values are not")
    assert "278,528 bytes; allowed: 69,631" in str(memory(in_bytes))
    one = check(what="peak bytes at length 64", expected="4096", got="0")
    assert "0 bytes; expected: 4,096; that is 0 times as many" in str(memory(one))
    assert memory(check(what="peak bytes", expected="1", got="2 tensors")) is None
    assert memory(check(what="weights", expected="at most 1", got="2 at [0]; 1 of 4 values are not")) is None


def test_rows_of_length_and_bytes_are_curves_on_log_axes() -> None:
    got, expected = ((64.0, 4096.0), (128.0, 16384.0)), ((64.0, 4096.0), (128.0, 8192.0))
    rows = check(what="peak bytes by length", evidence=Evidence(got, ((0, 0), (0, 1)), expected))
    drawn = str(growth(rows))
    assert "yours: grows as length to the power 2; expected: grows as length to the power 1" in drawn
    assert 2 == drawn.count("<polyline") == drawn.count("<circle")
    assert growth(replace(rows, what="output")) is None
    assert growth(replace(rows, evidence=Evidence((("nan", 1.0),), ((1, 0),)))) is None


def test_wrong_bytes_of_a_memory_benchmark_are_such_curves() -> None:
    wrong = next(
        each for each in programs() if (each.kata, each.mistake) == ("write_memory_benchmark", "inputs_counted")
    )
    failure = first_failure(graded_source(wrong.kata, wrong.source))
    assert re.search("yours: grows as .*; expected: grows as", str(growth(failure))), failure


def graded(submission: str, kata: str, **how: object) -> Report:
    path = ROOT / "tests" / "golden" / "beginners" / submission / "submission.py"
    with Grader() as grader:
        return next(grader.reports(Request(path=path, kata=kata, seed=7, **how)))  # type: ignore[arg-type]


def pictures(report: Report) -> dict[Visibility, Picture]:
    checks = [check for tier in report.tiers for check in tier.checks if check.picture is not None]
    assert len({check.visibility for check in checks}) == len(checks)
    return {check.visibility: check.picture for check in checks if check.picture is not None}


@pytest.mark.slow
def test_a_wrong_call_is_drawn_for_each_visibility_and_a_candidate_sees_the_public_one() -> None:
    tiers = ("weight sums", "causal", "nan safety")
    mine = pictures(graded("scaled_dot_product-softmax-over-queries", "scaled_dot_product", tiers=tiers))
    drawn = mine[Visibility.ON_REVEAL]
    assert ("weights returned", ("query", "key"), ("weights",)) == (drawn.what, drawn.axes, drawn.titles)
    got, expected, hidden = (torch.tensor(each) for each in (drawn.got, drawn.expected, drawn.hidden))
    assert torch.allclose(expected.sum(-1), torch.ones(expected.shape[:-1]), atol=1e-4)
    assert not torch.allclose(got.sum(-1), torch.ones(got.shape[:-1]), atol=1e-2)
    assert not expected[hidden.bool()].any()
    theirs = graded("scaled_dot_product-softmax-over-queries", "scaled_dot_product", tiers=tiers, audience="candidate")
    assert {Visibility.PUBLIC} == set(pictures(theirs))


@pytest.mark.slow
def test_without_weights_the_outputs_of_the_heads_are_drawn() -> None:
    report = graded("plain_class-merged-without-a-transpose", "plain_class", tiers=("nan safety",))
    drawn = pictures(report)[Visibility.PUBLIC]
    assert "output of each head, before the output projection" == drawn.what
    assert ("head 0", "head 1", "head 2") == drawn.titles
    assert drawn.hidden is None


@pytest.mark.slow
def test_nan_in_a_fully_masked_row_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "mha.py"
    path.write_text(
        "import math, torch\n"
        "def scaled_dot_product_attention(q, k, v, mask=None):\n"
        "    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])\n"
        "    if mask is not None:\n"
        "        scores = scores.masked_fill(mask.bool(), -math.inf)\n"
        "    weights = torch.softmax(scores, -1)\n"
        "    return weights @ v, weights\n"
    )
    with Grader() as grader:
        report = next(grader.reports(Request(path=path, kata="scaled_dot_product", seed=7, tiers=("nan safety",))))
    drawn = pictures(report)[Visibility.PUBLIC]
    assert "nan" in str(drawn.got)
    assert "nan" not in str(drawn.expected)


@pytest.mark.slow
def test_the_picture_is_of_the_check_that_is_shown_first() -> None:
    program = next(each for each in programs() if (each.kata, each.name) == ("scaffold", "padding_mask_ignored"))
    first, *others = (check for check in results(report_on(program)) if check.verdict is Verdict.FAIL)
    assert first.picture
    assert not [check.name for check in others if check.picture and check.visibility is first.visibility]
