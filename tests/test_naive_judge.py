"""What no wall with a switch stops would gain points elsewhere: it fools a judge that runs it in its own process.

That our judge gives it none (tests/test_hostile.py) proves nothing where nobody would have given it any.
"""

import sys

import pytest

from tests.hostile_tools import trick, tricks
from tests.leftovers import nothing_left
from tests.naive_tools import NO_SWITCH, REASONS, WAYS, claims, fooled, judged, reason

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it forks once torch is imported")

CONTROLS = [trick("control_right"), trick("control_wrong")]
TRIED = [each for each in tricks() if claims(each)]


@pytest.fixture(scope="module")
def shares() -> dict[str, dict[str, float]]:
    """All of them in one run, each in a fork of its own."""
    with nothing_left():
        return judged([*CONTROLS, *TRIED])


def test_the_naive_judge_gives_right_code_all_points_and_wrong_code_none(shares: dict[str, dict[str, float]]) -> None:
    worth = {way: float(way != "search") for way in WAYS}
    assert worth == shares["control_right"]
    assert dict.fromkeys(WAYS, 0.0) == shares["control_wrong"]


@pytest.mark.parametrize("name", [each.name for each in TRIED if each.FOOLS])
def test_a_trick_fools_the_naive_judge_where_it_says(shares: dict[str, dict[str, float]], name: str) -> None:
    assert trick(name).FOOLS in fooled(trick(name), shares[name])


@pytest.mark.parametrize("name", [each.name for each in TRIED if not each.FOOLS])
def test_one_that_says_nothing_fools_nothing(shares: dict[str, dict[str, float]], name: str) -> None:
    assert [] == fooled(trick(name), shares[name])


def test_each_that_no_switch_stops_says_what_it_fools_or_has_a_reason() -> None:
    unsaid = [each.name for each in tricks() if each.WALL in NO_SWITCH and not each.FOOLS and not reason(each)]
    assert [] == unsaid
    assert [] == [each.name for each in tricks() if each.FOOLS and each.WALL not in NO_SWITCH]
    assert set(WAYS) == {each.FOOLS for each in tricks()} - {""}
    assert set(REASONS.values()) == {reason(each) for each in tricks()} - {""}
