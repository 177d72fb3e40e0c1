"""The meter that candidates of `write_memory_benchmark` are given, and what earns nothing there."""

import pytest
import torch
from torch import Tensor

from grader.checks.meter import Meter
from grader.katas.write_memory_benchmark.hidden.attentions import (
    EXPLICIT,
    FUSED,
    IN_BLOCKS,
    LINEAR,
    SQUARE,
    MeasuredAttention,
)
from grader.stubs.writer import notebook, stub
from grader.worker.observe import Observer
from tests.grading import BY_NAME, ROOT, first_failure, first_tier_that_fails, graded, names_in
from tests.mistakes import edited
from tests.mistakes.write_memory_benchmark import MODE, SLOPE

SOURCE = (ROOT / "grader" / "checks" / "meter.py").read_text(encoding="utf-8").partition('"""\n\n')[2].strip()


def inputs(length: int) -> list[Tensor]:
    return [torch.zeros(1, 1, length, 64) for _ in range(3)]


def test_stub_and_notebook_hold_the_meter_that_the_judge_counts_with() -> None:
    cells = [cell.source for cell in notebook("write_memory_benchmark", ROOT).cells]
    assert SOURCE in stub("write_memory_benchmark", ROOT)
    assert [SOURCE] == [cell for cell in cells if "class Meter" in cell]
    (supplied,) = [each.supplied for each in BY_NAME["write_memory_benchmark"].contract.needed if each.supplied]
    assert supplied.endswith(f"{SOURCE}\n")


@pytest.mark.parametrize("measured", [*LINEAR, *SQUARE], ids=lambda measured: measured.what)
def test_it_counts_what_the_worker_observes(measured: MeasuredAttention) -> None:
    function = measured.made(measured.numbers[0]).define()
    for length in (3, 70, 310):
        given, observer = inputs(length), Observer(frozenset({"operators"}))
        observer.give(given)
        with torch.no_grad(), Meter() as meter:
            function(*given)
        with torch.no_grad(), observer:
            function(*given)
        assert meter.peak_bytes == observer.peak


def test_explicit_weights_blocks_and_sdpa_differ_at_4096() -> None:
    peaks = []
    for measured in (EXPLICIT, IN_BLOCKS, FUSED):
        function, given = measured.made(measured.numbers[0]).define(), inputs(4096)
        with torch.no_grad(), Meter() as meter:
            function(*given)
        peaks.append(meter.peak_bytes)
        assert meter.alive_bytes == 0
    explicit, in_blocks, fused = peaks
    assert explicit == 2 * 4 * 4096**2
    assert fused < in_blocks < explicit / 20


def test_it_counts_a_storage_once_until_it_is_freed() -> None:
    x = torch.zeros(100)
    with Meter() as meter:
        x += 1
        view = x[10:]
        first = view.clone()
        second = first.view(9, 10).T[1:]
        assert (meter.peak_bytes, meter.alive_bytes) == (360, 360)
        del first
        assert meter.alive_bytes == 360
        del second
        assert (meter.peak_bytes, meter.alive_bytes) == (360, 0)


CONSTANT = """
def attention_memory(attention, lengths):
    return [(length, ROW) for length in sorted(set(lengths))]

def growth_exponent(rows):
    return EXPONENT
"""


@pytest.mark.parametrize("row", ["4096", "8 * length ** 2", "2 * len(attention.__name__) * length"])
@pytest.mark.parametrize("exponent", ["2.0", "float(len(rows))"])
def test_what_ignores_the_attention_earns_nothing_past_the_first_tier(row: str, exponent: str) -> None:
    report = graded("write_memory_benchmark", CONSTANT.replace("ROW", row).replace("EXPONENT", exponent))
    assert "peak bytes" == first_tier_that_fails(report)
    assert report.score == report.tiers[0].points


@pytest.mark.slow
def test_a_mistake_of_the_fit_is_named_whatever_the_peaks_were_measured_in() -> None:
    """Under inference_mode some peaks are a little smaller than under no_grad, and as right."""
    edits = ((MODE, "torch.inference_mode(), Meter() as meter"), (SLOPE, "float((y[-1] - y[0]) / (x[-1] - x[0]))"))
    report = graded("write_memory_benchmark", edited("write_memory_benchmark", edits))
    assert ["ends_alone"] == names_in("write_memory_benchmark", first_failure(report).mistakes)
