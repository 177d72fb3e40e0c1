"""A solution is a submission that scores 100, as a file and as a notebook; an untouched stub scores 0."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
import pytest

from grader.judge import Options
from grader.records import Outcome, Submission, Verdict
from grader.stubs.markers import IN_THE_STUB
from grader.stubs.writer import notebook
from tests.grading import BY_NAME, ROOT, graded, read, results, solution, summary

SEEDS = range(10)
TO_REPAIR = [kata for kata in BY_NAME if IN_THE_STUB in solution(kata)]
EACH_KATA = pytest.mark.parametrize("kata", BY_NAME)


@cache
def solved_notebook(kata: str) -> Submission:
    """The kata's notebook with the solution pasted in, as it would be handed in."""
    with TemporaryDirectory() as folder:
        path = Path(folder, f"{kata}.ipynb")
        path.write_text(nbformat.writes(notebook(kata, ROOT, solved=True)), encoding="utf-8")
        return read(path)


@pytest.mark.sample(1, by=lambda of: of["kata"])
@pytest.mark.parametrize("seed", SEEDS)
@EACH_KATA
def test_a_solution_scores_100(kata: str, seed: int) -> None:
    report = graded(kata, read(ROOT / "solutions" / f"{kata}.py"), Options(seed))
    assert 100 == report.score, summary(report)
    assert BY_NAME[kata].tiers[-1].name == report.reached
    assert () == report.notes


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", SEEDS)
@EACH_KATA
def test_a_solution_in_its_notebook_scores_100(kata: str, seed: int) -> None:
    report = graded(kata, solved_notebook(kata), Options(seed))
    assert 100 == report.score, summary(report)
    assert () == report.notes


@pytest.mark.sample(3, by=lambda of: of["file"])
@pytest.mark.parametrize("file", ["exercises/{}.py", "notebooks/{}.ipynb"])
@EACH_KATA
def test_an_untouched_stub_is_not_written_yet(kata: str, file: str) -> None:
    report = graded(kata, read(ROOT / file.format(kata)))
    assert Outcome.GRADED == report.outcome, report.message
    if kata in TO_REPAIR:
        assert not report.tiers[0].passed
        assert 20 >= report.score
    else:
        assert {Verdict.TODO} == {check.verdict for check in results(report)}, summary(report)
        assert 0 == report.score
