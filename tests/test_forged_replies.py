"""Replies in sound frames whose content is anything: each is a verdict on the submission, no fault of the grader."""

import copy
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from grader import wire
from grader.judge import Options, session
from grader.records import Outcome, Verdict
from grader.sandbox import Reply, Sandbox, WorkerHandle
from tests.grading import BY_NAME, graded, results, solution, summary

SEEDS = range(int(os.environ.get("FUZZ_EXAMPLES", "300")) // 100)
"""Gradings of each kata: 3, and 50 by `make fuzz`."""
OFTEN = 0.15
VALUES = (
    None,
    True,
    0,
    -1,
    10**18,
    0.5,
    "",
    "x",
    [],
    [None],
    [[7]],
    {},
    {"$tensor": 99},
    {"$float": 10**400},
    {"$tuple": 3},
    {"type": 1},
)
DTYPES = [getattr(torch, name) for name in wire.ITEM_SIZES]
TENSORS = (torch.empty(0), torch.tensor(float("nan")), torch.ones(1, dtype=torch.bool), torch.ones(2, 3, 4, 5, 6))


def forged(reply: Reply, chance: random.Random) -> Reply:
    """The reply with one thing in it replaced or missing."""
    head, tensors = copy.deepcopy(reply.head), list(reply.tensors)
    name = chance.choice(list(head))
    what = chance.randrange(6)
    if what == 0:
        del head[name]
    elif what == 1 and tensors:
        tensors[chance.randrange(len(tensors))] = chance.choice(TENSORS)
    elif what == 2 and tensors:
        tensors.pop()
    elif what == 3 and tensors:
        place = chance.randrange(len(tensors))
        tensors[place] = tensors[place].to(chance.choice(DTYPES))
    elif what == 4 and isinstance(head[name], list) and head[name]:
        head[name][chance.randrange(len(head[name]))] = chance.choice(VALUES)
    else:
        head[name] = chance.choice(VALUES)
    return Reply(head, tensors)


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox() as started:
        yield started


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kata", BY_NAME)
def test_a_forged_reply_is_a_verdict(box: Sandbox, monkeypatch: pytest.MonkeyPatch, kata: str, seed: int) -> None:
    chance, plain = random.Random(seed), WorkerHandle.request

    def request(self: WorkerHandle, head: dict[str, Any], *args: Any, **kwargs: Any) -> Reply:
        reply = plain(self, head, *args, **kwargs)
        loading = head["verb"] in ("hello", "try", "forbid", "load", "names")
        return reply if loading or chance.random() > OFTEN else forged(reply, chance)

    monkeypatch.setattr(WorkerHandle, "request", request)
    report = graded(kata, solution(kata), Options(seed=seed), box)
    assert Outcome.GRADED == report.outcome, summary(report)
    assert Verdict.BROKEN not in {check.verdict for check in results(report)}
    assert report.score < 100


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(20))
def test_a_forged_reply_while_loading_is_a_verdict(box: Sandbox, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    chance, plain = random.Random(seed), WorkerHandle.request

    def request(self: WorkerHandle, head: dict[str, Any], *args: Any, **kwargs: Any) -> Reply:
        reply = plain(self, head, *args, **kwargs)
        return forged(reply, chance) if head["verb"] in ("load", "names") and chance.random() < 0.5 else reply

    monkeypatch.setattr(WorkerHandle, "request", request)
    report = graded("plain_class", solution("plain_class"), Options(seed=seed, tiers=("shapes",)), box)
    assert Outcome.BROKEN != report.outcome, summary(report)
    assert Verdict.BROKEN not in {check.verdict for check in results(report)}


def test_a_fault_in_what_the_judge_asks_is_no_fault_of_the_submission(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any) -> str:
        raise KeyError("no such argument")

    monkeypatch.setattr(session, "dtype_name", broken)
    report = graded("plain_class", solution("plain_class"))
    assert Outcome.BROKEN == report.outcome
    assert {Verdict.BROKEN} == {result.verdict for result in results(report)}
