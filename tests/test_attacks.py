"""No attack earns a point more than its honest part, reads or leaves anything, or harms the next submission.

Each attack is graded as any submission is. One that a layer of the kernel refuses is also loaded behind that layer
alone, where it must be refused with that layer's error, behind all but that layer, where it must succeed if no other
refuses it, and behind none, where it must succeed: a refusal that would come without the layer proves nothing.
"""

import os
import platform
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest

from grader.judge import Options, report_of
from grader.records import CheckResult, Outcome, Report, Verdict
from grader.sandbox import SANDBOX_LAYERS, Sandbox
from tests import attack_table
from tests.attack_tools import (
    HANDED_IN,
    IS_ROOT,
    KERNEL_LAYERS,
    LIMITS,
    OTHER_LAYERS,
    SEED,
    Attack,
    Surroundings,
    attack,
    attacks,
    control,
    everything,
    graded,
    loaded,
    module,
    new_surroundings,
    own_words,
    shown,
    without,
    written,
)
from tests.grading import BY_NAME, ROOT
from tests.leftovers import nothing_left

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the layers are Linux's")

ATTACKS = [each for each in attacks() if each.MACHINE in ("", platform.machine())]
BARE = [each for each in ATTACKS if not (each.REFUSAL or each.BRIEF or each.leaves_a_core)]
"""Those that need no layer of the kernel: they are tried without any."""
BRIEFLY = Options(seed=SEED, tiers=("shapes",))
EFFECTS = [each for each in ATTACKS if each.says_what_it_got and not each.REFUSAL]
LAYERED = [each for each in ATTACKS if each.REFUSAL]
BANNED = [each for each in ATTACKS if each.LAYER == "policy"]


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    """One for all: that the next submission is graded right is part of what is tested."""
    with Sandbox(LIMITS) as started:
        yield started


@pytest.fixture(scope="module")
def controlled() -> set[str]:
    """Layers after an attack on which the next submission was seen to be graded right: once for each."""
    return set()


@pytest.fixture
def around(box: Sandbox) -> Iterator[Surroundings]:
    with new_surroundings() as made:
        yield made


@pytest.fixture
def leaves_nothing() -> Iterator[None]:
    """Also where no layer stands: what an attack writes is in its own folder, what it starts ends with its worker."""
    with nothing_left():
        yield


def parameters(of: list[Attack]) -> list[object]:
    """The attacks by name; one that is known to gain something is expected to, so that its repair shows."""
    marks = {each.name: [pytest.mark.xfail(reason=each.OPEN, strict=True)] if each.OPEN else [] for each in of}
    return [pytest.param(each, id=each.name, marks=marks[each.name]) for each in of]


@pytest.fixture(scope="module")
def unprotected() -> Iterator[Sandbox]:
    """As on a system that has none of the kernel's layers."""
    with Sandbox(LIMITS, without=SANDBOX_LAYERS) as started:
        yield started


def gains_nothing(tried: Attack, report: Report) -> None:
    """It has the points of its honest part and the verdicts that it says."""
    assert tried.honest == report.score
    assert tried.OUTCOME == report.outcome
    verdicts = {str(check.verdict) for tier in report.tiers for check in tier.checks}
    assert set(tried.VERDICTS) == verdicts - {"pass", "fail", "skip"}


def ended(report: Report) -> list[CheckResult]:
    """The checks in which the submission was stopped or refused."""
    verdicts = (Verdict.TIMEOUT, Verdict.MEMORY, Verdict.CRASH, Verdict.POLICY)
    checks = [check for tier in report.tiers for check in tier.checks if check.verdict in verdicts]
    return [check for check in checks if not str(check.got).startswith(("not run", "not tried"))]


def next_is_graded(box: Sandbox) -> None:
    control = attack("control_right")
    report = report_of(written(control), BY_NAME[control.KATA], BRIEFLY, box)
    assert report.score == report.max_score


def control_is_graded_right(box: Sandbox, name: str) -> None:
    control = attack(f"control_{name}")
    report = graded(control, box)
    assert (control.HONEST, Outcome.GRADED, ()) == (report.score, report.outcome, report.notes)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["right", "wrong", "own_weights"])
def test_a_control_gets_what_it_is_worth(box: Sandbox, name: str) -> None:
    control_is_graded_right(box, name)


def test_every_layer_stands(box: Sandbox) -> None:
    assert dict.fromkeys(("process", *KERNEL_LAYERS), True) == box.protections()


@pytest.mark.sample(1, by=lambda of: of["tried"].LAYER)
@pytest.mark.parametrize("tried", parameters(ATTACKS))
def test_an_attack_gains_nothing(box: Sandbox, around: Surroundings, controlled: set[str], tried: Attack) -> None:
    with nothing_left(around.folder):
        report = graded(tried, box, around)
    gains_nothing(tried, report)
    assert tried.SAYS in everything(report)
    assert [] == [c for c in shown(report) if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    reasons, there = own_words(report)
    assert reasons == there
    assert [] == [check.name for check in ended(report) if "(" not in str(check.what)]  # the sizes of its input
    if tried.LAYER not in controlled:
        controlled.add(tried.LAYER)
        next_is_graded(box)


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize("tried", parameters(BARE))
def test_an_attack_gains_nothing_where_no_layer_of_the_kernel_stands(unprotected: Sandbox, tried: Attack) -> None:
    """What forges a score is stopped by the processes being two, not by the kernel: so also elsewhere than on Linux."""
    with new_surroundings() as around:
        with nothing_left():
            report = graded(tried, unprotected, around)
        gains_nothing(tried, report)


@pytest.mark.sample(3)
@pytest.mark.parametrize("tried", EFFECTS, ids=[each.name for each in EFFECTS])
def test_an_attack_takes_effect_in_its_own_process_alone(box: Sandbox, around: Surroundings, tried: Attack) -> None:
    assert tried.FINDS_NOTHING == (loaded(tried, box, around).got is None)
    if tried.FINDS_NOTHING:
        assert loaded(tried, box, around, KERNEL_LAYERS).got is None


@pytest.mark.sample(1, by=lambda of: of["tried"].LAYER)
@pytest.mark.usefixtures("leaves_nothing")
@pytest.mark.parametrize("tried", parameters(LAYERED))
def test_a_layer_refuses_what_works_without_it(box: Sandbox, tried: Attack) -> None:
    def behind(*layers: str) -> tuple[str | None, str]:
        with new_surroundings() as fresh:
            return loaded(tried, box, fresh, set(KERNEL_LAYERS) - set(layers))

    assert behind(*KERNEL_LAYERS)[0] is None
    for layer, words in tried.refusers.items():
        got, problem = behind(layer)
        assert (None, True) == (got, words in problem), f"behind {layer} alone: {got} {problem}"
        refused = len(tried.refusers) > 1 or bool(tried.TOGETHER)
        if not tried.AS_ROOT or IS_ROOT:
            assert refused == (without(layer, tried, box).got is None), f"with {layer} alone switched off"
    if tried.TOGETHER:
        assert behind(*tried.TOGETHER)[0] is None
        assert not IS_ROOT or all(behind(layer)[0] is not None for layer in tried.TOGETHER)
    if not tried.AS_ROOT or IS_ROOT:
        got, problem = behind()
        assert (True, "") == (got is not None, problem if got is None else ""), "without layers"


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("tried", BANNED, ids=[each.name for each in BANNED])
def test_what_the_policy_stops_gains_points_without_it(box: Sandbox, tried: Attack) -> None:
    assert "points" == without("policy", tried, box).got


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", HANDED_IN)
def test_what_is_handed_in_harms_nobody(
    box: Sandbox, tmp_path: Path, controlled: set[str], name: str, request: pytest.FixtureRequest
) -> None:
    if hasattr(module(name), "OPEN"):
        request.applymarker(pytest.mark.xfail(reason=module(name).OPEN, strict=True))
    [said] = [row for row in attack_table.handed_in() if row.attack == name.replace("_", " ")]
    try:
        with nothing_left():
            assert (said, []) == attack_table.seen_handed_in(said, tmp_path, box)
    except PermissionError:
        pytest.skip("only root can make that kind of file")
    if "reader" not in controlled:
        controlled.add("reader")
        next_is_graded(box)


@pytest.mark.slow
def test_make_attacks_tries_what_is_handed_in_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(attack_table, "attacks", list)
    two = [row for row in attack_table.handed_in() if row.attack in ("pipe", "zip bomb")]
    monkeypatch.setattr(attack_table, "handed_in", lambda: two)
    assert 0 == attack_table.main()
    assert ["pipe", "zip bomb", ""] == [line.split(" | ")[0] for line in capsys.readouterr().out.splitlines()[1:4]]
    monkeypatch.setattr(attack_table, "_read", lambda path: written(attack("control_wrong")))
    assert 1 == attack_table.main()
    assert capsys.readouterr().out.endswith("\nOther than declared: pipe, zip bomb.\n")


@pytest.mark.deep
def test_a_stack_with_all_of_them_is_graded_to_its_end(tmp_path: Path) -> None:
    """By the command line: files beside the submissions are not run, and the control in the last place is graded."""
    for name in HANDED_IN:
        each = module(name)
        if not hasattr(each, "OPEN") and (hasattr(each, "REFUSED") or name.endswith("_beside")):
            (tmp_path / name).mkdir()
            with suppress(PermissionError) if not IS_ROOT else nullcontext():  # only root can make a device
                each.make(tmp_path / name, attack("control_wrong").source)
    (tmp_path / "zz.py").write_text(attack("control_right").source)
    command = [sys.executable, "-m", "grader", "grade", str(tmp_path), "--kata", "scaled_dot_product", "--seed", "1"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert 1 == ended.returncode, ended.stderr
    last = next(line for line in ended.stdout.splitlines()[::-1] if "zz.py" in line)
    assert "100" in last
    assert [] == list(tmp_path.rglob("ran"))


@pytest.mark.deep
def test_the_next_submission_is_graded_right(box: Sandbox) -> None:
    """After all of the above in this sandbox, and once more after the worst of it."""
    control_is_graded_right(box, "right")
    for name in ("end_os_exit_at_import", "loop_that_catches_all", "wire_garbage", "flood_of_output", "memory_bomb"):
        with new_surroundings() as around:
            graded(attack(name), box, around)
        control_is_graded_right(box, "right")
        control_is_graded_right(box, "wrong")


def test_there_are_enough_attacks_and_each_says_what_it_is() -> None:
    assert len(attacks()) + len(HANDED_IN) >= 60
    for each in attacks():
        assert each.tries.endswith("."), each.name
        assert each.LAYER in (*KERNEL_LAYERS, *OTHER_LAYERS), each.name
        assert (each.LAYER in KERNEL_LAYERS) == (each.LAYER in each.REFUSAL), each.name
        assert each.BESIDE or each.HONEST is not None, each.name
        shows_in_report = each.SAYS or each.VERDICTS or each.HONEST is not None
        assert each.REFUSAL or each.says_what_it_got or shows_in_report, each.name


# Where the grader is started in the folder of what is handed in


BESIDE = [name for name in HANDED_IN if name.endswith("_beside")]


def laid(name: str, folder: Path) -> tuple[Path, int]:
    """The submission with what lies beside it, and what it is worth."""
    return module(name).make(folder, control(name).source), control(name).honest


def run(folder: Path, path: Path, *arguments: str) -> str:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(path)}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    ).stdout


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("name", BESIDE)
def test_a_grader_started_beside_it_does_not_run_it(tmp_path: Path, name: str) -> None:
    path, worth = laid(name, tmp_path)
    text = run(tmp_path, ROOT, "-P", "-m", "grader", "grade", path.name, "--kata", "scaled_dot_product", "--seed", "1")
    assert f"\nscore {worth} of 100" in text
    assert not (tmp_path / "ran").exists()
