"""Stand-ins for tests of the front: contracts, katas, a judge that loads nothing, and ready reports."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple

from grader.records import (
    CheckBegan,
    CheckEnded,
    CheckResult,
    Contract,
    Outcome,
    Report,
    RequiredName,
    Submission,
    TierResult,
    Verdict,
    Visibility,
)
from grader.sandbox import Limits, require_isolation

PLAIN = Contract(
    "plain",
    (
        RequiredName("Attention", "class", "(d_model, num_heads)"),
        RequiredName("Attention.__init__", "method", "(d_model, num_heads)"),
        RequiredName("Attention.forward", "method", "(Q, K, V)"),
    ),
)
FUNCTION = Contract("function", (RequiredName("attend", "function", "(q, k, v, mask=None)"),))
CONFIGURED = Contract(
    "configured",
    (
        RequiredName("Config", "class", "(embed_dim, num_heads)", supplied="class Config: ...\n"),
        RequiredName("Attention", "class", "(cfg)"),
        RequiredName("Attention.forward", "method", "(x, kv=None, *, attn_mask=None, need_weights=False)"),
    ),
)
CONTRACTS = (FUNCTION, PLAIN, CONFIGURED)

PLAIN_SOURCE = """
class Attention:
    def __init__(self, d_model, num_heads):
        self.heads = num_heads

    def forward(self, Q, K, V):
        return Q
"""
FUNCTION_SOURCE = "def attend(q, k, v, mask=None):\n    return q\n"
CONFIGURED_SOURCE = """
class Attention:
    def __init__(self, cfg):
        self.cfg = cfg

    def forward(self, x, kv=None, *, attn_mask=None, need_weights=False):
        return x, None
"""


def notebook(*cells: str, **metadata: Any) -> str:
    """A notebook of version 4.5 with these code cells."""
    code = [
        {
            "cell_type": "code",
            "id": f"c{n}",
            "source": text,
            "metadata": {},
            "outputs": [],
            "execution_count": n,
        }
        for n, text in enumerate(cells)
    ]
    return json.dumps({"cells": code, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def check(name: str, verdict: Verdict = Verdict.PASS, max_points: int = 10, **texts: Any) -> CheckResult:
    """A result whose claim is its name in words."""
    points = max_points if verdict is Verdict.PASS else 0
    claim = name.replace("_", " ").capitalize() + "."
    return CheckResult(name, claim, verdict, points, max_points, **texts)


def report(*tiers: TierResult, outcome: Outcome = Outcome.GRADED, **fields: Any) -> Report:
    """A report on `candidate.py` for the kata `plain`, seed 7."""
    given: dict[str, Any] = {
        "kata": "plain",
        "submission": "candidate.py",
        "sha256": "ab" * 32,
        "seed": 7,
        "device": "cpu",
        "duration_s": 0.25,
        "protections": {"process": True, "landlock": False},
    }
    return Report(outcome=outcome, tiers=tiers, **(given | fields))


@dataclass
class FakeJudge:
    """By what a source says: `# score 40` out of 100, `# todo`, `# broken`, `# raise`, `# unconfined` or `# ctrl-c`."""

    seen: list[Any] = field(default_factory=list)
    protections: dict[str, bool] = field(default_factory=dict)
    """Those of the fake sandbox that are not on."""

    def grade(
        self, submission: Submission, kata: Any, options: Any, sandbox: Any
    ) -> Iterator[CheckBegan | CheckEnded | Report]:
        self.seen.append(options)
        result = self.report(submission, kata, options, sandbox)
        for tier in result.tiers:
            for each in tier.checks:
                yield CheckBegan(tier.name, each.name, each.claim)
                yield CheckEnded(tier.name, each)
        yield result

    def report(self, submission: Submission, kata: Any, options: Any, sandbox: Any) -> Report:
        source = "\n".join(cell.source for cell in submission.cells)
        if "# raise" in source:
            raise ZeroDivisionError("a fault of the grader")
        if "# ctrl-c" in source:
            raise KeyboardInterrupt
        if "# unconfined" in source:
            require_isolation({"limits": False})
        given = {"kata": kata.name, "submission": submission.path.name, "sha256": submission.sha256}
        given |= {"seed": options.seed, "device": options.device}
        given |= {"protections": sandbox.protections()}
        if "# prints" in source:
            given |= {"output": "printed by it\x1b[2J", "worth_reading": "worth reading: ctypes"}
        if "# broken" in source:
            return report(outcome=Outcome.BROKEN, message="the oracle is gone", **given)
        if "# unloadable" in source:
            return report(outcome=Outcome.UNLOADABLE, message="attend is missing", **given)
        if "# todo" in source:
            todo = check("values_agree", Verdict.TODO, 100, got="attend is not written yet")
            return report(TierResult("shapes", "shapes are right", (todo,)), **given)
        score = int(source.split("# score ")[1].split()[0]) if "# score " in source else 100
        good = check("shapes_agree", max_points=score)
        bad = check("values_agree", Verdict.FAIL, 100 - score, what="output", expected="1", got="2")
        tiers = [TierResult("shapes", "shapes are right", (good,))]
        if score < 100:
            tiers.append(TierResult("weight sums", "weights add up", (bad,)))
        return report(*tiers, **given)


def skipped(kata: Any, tiers: Any) -> tuple[TierResult, ...]:
    """All tiers of a fake kata, with nothing run."""
    results = [CheckResult(each.name, each.claim, Verdict.SKIP, 0, each.points) for each in kata.checks]
    of_tiers = zip(kata.checks, results, strict=True)
    return tuple(TierResult(each.tier.name, each.tier.proves, (result,)) for each, result in of_tiers)


class FakeSandbox:
    """One in which nothing is started."""

    def __init__(self, judge: FakeJudge) -> None:
        self.judge, self.limits, self.forks = judge, Limits(), True

    def protections(self) -> dict[str, bool]:
        on = dict.fromkeys(("process", "landlock", "seccomp", "limits", "privileges"), True)
        return on | self.judge.protections

    def close(self) -> None:
        """Nothing to end."""


def fake_kata(contract: Contract) -> Any:
    """What the command line asks of a kata."""
    tiers = [SimpleNamespace(name=name, proves=f"{name} are right") for name in ("shapes", "weight sums")]
    said = {"claim": "It holds.", "visibility": Visibility.PUBLIC}
    checks = [
        SimpleNamespace(tier=tier, name=f"{tier.name}_hold", points=points, **said)
        for tier, points in zip(tiers, (40, 60), strict=True)
    ]
    shown = {"title": f"The {contract.kata} kata", "group": "foundations", "question": "", "paper": "A paper, 2017"}
    return SimpleNamespace(name=contract.kata, contract=contract, checks=checks, **shown)


class CommandResult(NamedTuple):
    """What one run of the command line came to."""

    status: int
    out: str
    err: str
