"""A sweep meets every kind of program, in every kata, in as many seeds as it says."""

from collections import Counter

import pytest

from tests.grading import BY_NAME, not_installed
from tests.strength_cases import cases
from tests.strength_record import SOLUTIONS, STYLES, WRONG, sweep_line
from tests.sweep import PARTS, STYLE_SEEDS, counted, flaky, met_by, programs


def test_a_sweep_knows_every_program_once() -> None:
    for kind, parts in PARTS.items():
        there = [(kata, each) for kata in BY_NAME for part in parts for each in cases(kata, part)]
        here = [(kata, each) for kata, each in there if not not_installed(each.source)]
        assert Counter(here) == Counter((met.kata, met.case) for met in programs(kind))


def test_a_wrong_program_is_met_once_in_as_many_seeds_as_the_share() -> None:
    met = Counter(each for seed in range(7, 12) for each in met_by(seed, 5, share=5))
    assert {1} == {met[each] for each in programs(WRONG)}
    assert {5} == {met[each] for each in (*programs(STYLES), *programs(SOLUTIONS))}


@pytest.mark.parametrize("seeds", [20, 39, 40, 200, 250])
def test_a_right_program_is_met_by_20_seeds_at_least(seeds: int) -> None:
    met = counted(range(3, 3 + seeds), share=1000)
    assert STYLE_SEEDS <= met[STYLES]["fewest"]
    assert {"programs": len(BY_NAME), "gradings": len(BY_NAME) * seeds, "fewest": seeds, "most": seeds} == met[
        SOLUTIONS
    ]


def test_few_seeds_and_a_large_share_meet_every_kind_in_every_kata() -> None:
    """By the order of the files, a share of 1000 had left out all mistakes and wrong programs of four katas."""
    met = {(each.kata, each.case) for seed in range(30) for each in met_by(seed, 30, share=1000)}
    kinds = {(kata, part): cases(kata, part) for kata in BY_NAME for part in PARTS[WRONG]}
    assert [] == [kind for kind, known in kinds.items() if not met & {(kind[0], each) for each in known}]


def test_a_sweep_tells_what_was_met_how_often() -> None:
    graded = {
        "solutions": {"programs": 6, "gradings": 1200, "fewest": 200, "most": 200},
        "wrong programs": {"programs": 9, "gradings": 5, "fewest": 0, "most": 1},
    }
    expected = (
        "Swept with 200 seeds: 1200 gradings of 6 solutions with 200 each, 5 gradings of 9 wrong programs with 0 to 1 "
        "each. Verdicts that differ by seed: 1."
    )
    assert expected == sweep_line({"sweep": {"seeds": 200, "graded": graded, "differ": ["one"]}})
    assert "No sweep over seeds is recorded." == sweep_line({})


def test_a_verdict_that_differs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.sweep.met_by", lambda *_: iter([right._replace(case=wanted)]))
    assert [f"seed 4, {right.kata}: the solution was not rejected"] == flaky(4, 1, 1)


right = programs(SOLUTIONS)[0]
wanted = right.case._replace(wanted=frozenset({"accepted", "rejected"}))
