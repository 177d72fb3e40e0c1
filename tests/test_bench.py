"""What `make bench` says of other graders: measured where they are installed, and nothing where they are not."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests import bench
from tests.bench_rivals import CLAIMS, RIVALS, SCALE, SOLUTION, Rival
from tests.readme_blocks import ROOT, speed

JUDGE = RIVALS[0]


def test_a_rival_that_is_not_installed_is_not_measured() -> None:
    absent = replace(JUDGE, package="no-such-grader")
    assert absent.version is None
    measurements = bench.beside(2.0, {})
    assert {rival.package: None for rival in RIVALS} == measurements
    rows = bench.by_others(replace(bench.recorded(), rivals=measurements))
    assert [(rival.package, "-", "not measured") for rival in RIVALS] == rows[1:]


def test_what_is_recorded_is_the_median_and_its_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rival, "version", "1.2")
    measurements = bench.beside(2.0, {JUDGE: 3.0})
    assert {"version": "1.2", "seconds": 3.0, "imports": 1.5} == measurements["torch-judge"]
    rows = bench.by_others(replace(bench.recorded(), rivals=measurements))
    assert ("torch-judge 1.2", "3.00", "1.50") == rows[1]


def test_the_readme_shows_what_is_recorded() -> None:
    record = bench.recorded()
    assert [rival.package for rival in RIVALS] == list(record.rivals)
    cells = [f"{entry['imports']:.2f}" if entry else "not measured" for entry in record.rivals.values()]
    assert f"| {' | '.join(cells)} |" in speed()
    assert speed() in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("says", [True, False])
def test_a_grader_that_cannot_tell_right_from_wrong_is_refused(tmp_path: Path, says: bool) -> None:
    same = Rival("same", ("true",), lambda place: None, lambda place: says)
    with pytest.raises(ValueError, match=f"same did not tell that the program is {'wrong' if says else 'right'}"):
        same.ready(tmp_path)


@pytest.mark.parametrize(("cut", "failed"), [("", []), (SCALE, ["the_output_equals_pytorchs"])])
def test_the_claims_tell_the_solution_from_the_wrong_program(cut: str, failed: list[str]) -> None:
    names: dict[str, type] = {}
    exec(SOLUTION.read_text(encoding="utf-8").replace(cut, ""), names)
    failures = []
    for claim in CLAIMS:
        try:
            claim(names["MultiHeadAttention"])
        except AssertionError:
            failures.append(claim.__name__)
    assert failed == failures


def test_each_rival_is_pinned() -> None:
    pins = re.findall(r"^(\S+)==\S+ +# ", (ROOT / "requirements-bench.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert [rival.package for rival in RIVALS] == pins
