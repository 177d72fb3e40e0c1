"""`doctor`: tries out what this machine enforces against a submission, and says what to do about the rest."""

import argparse
import platform
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TextIO

from grader.formats.lines import Line, Span, printing, show, width_for, wrapped
from grader.formats.text import NOT_ISOLATED
from grader.sandbox import SANDBOX_LAYERS, Sandbox
from grader.worker.canary import ALLOWED

HELP = "what this machine enforces against a submission, tried out"
ENFORCED, MISSING = 0, 1
"""Exit statuses."""

PURPOSES = {
    "process": "A submission runs in a process of its own, which is ended with all that it started.",
    "privileges": "The process has no capability, is not root, and gains nothing by running a program.",
    "limits": "Memory, processor time, files and processes are limited.",
    "landlock": "No file can be opened by its path.",
    "seccomp": "Only the system calls that computing needs are let through.",
}
REPAIRS = {
    "privileges": "Grade on Linux as an ordinary user; in a container that knows root alone, give it the user and the "
    "group 65534 too.",
    "limits": "Grade on Linux; in a container, see that /proc is mounted.",
    "landlock": "Grade on Linux 5.13 or newer that has Landlock switched on (landlock in the kernel's option lsm=); "
    "in a container, allow the system calls landlock_create_ruleset and landlock_restrict_self.",
    "seccomp": "Grade on Linux 5.9 or newer on x86_64 or aarch64; in a container, allow the system call seccomp.",
}
FENCED = "seccomp"
"""The sandbox layer that a fence in Python replaces where it is off."""
FENCE = "a fence in Python refuses: {}; code below Python passes it"


class Findings(NamedTuple):
    """The protections, and the outcomes of actions that were tried: `allowed` or the name of an errno for each."""

    protections: Mapping[str, bool]
    with_none: Mapping[str, str]
    with_one: Mapping[str, Mapping[str, str]]
    """The outcomes by sandbox layer, where that layer alone is put up."""
    with_all: Mapping[str, str]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add no options: the command has none."""


def run(options: argparse.Namespace) -> int:
    """Print what this machine enforces, and return the exit status."""
    return run_doctor(sys.stdout)


def run_doctor(stream: TextIO) -> int:
    """Tries everything out and says what was seen.

    Returns:
        The exit status: `ENFORCED`, or `MISSING` where a protection is off or a forbidden action was allowed.

    Raises:
        SandboxError: no worker can be started.
    """
    with Sandbox() as sandbox:
        findings = Findings(
            sandbox.protections(),
            sandbox.attempt(()),
            {layer: sandbox.attempt((layer,)) for layer in SANDBOX_LAYERS},
            sandbox.attempt(),
        )
    with printing(stream):
        show(describe(findings, width_for(stream)), stream)
    return ENFORCED if all(findings.protections.values()) and not let_through(findings) else MISSING


def describe(findings: Findings, width: int) -> list[Line]:
    """The findings as lines: each protection, then all of them together."""
    lines: list[Line] = [[Span(f"{platform.system()} {platform.release()} on {platform.machine()}", "bold")], []]
    for name, purpose in PURPOSES.items():
        on = findings.protections[name]
        left = [Span("  on   " if on else "  off  ", "green" if on else "bold red"), Span(f"{name:<12}")]
        lines += wrapped(purpose if on else f"{purpose} {REPAIRS[name]}", width, left)
        refused = refusals(findings.with_none, findings.with_one.get(name, {}))
        if refused:
            fenced = name == FENCED and not on
            text = FENCE.format(", ".join(refused)) if fenced else f"alone it refuses: {', '.join(refused)}"
            lines += wrapped(text, width, [Span(" " * 19)], "dim")
    fenced = by_the_fence_alone(findings)
    refused = [name for name, outcome in findings.with_all.items() if outcome != ALLOWED and name not in fenced]
    count = f"tried in a locked worker: {len(refused)} of {len(findings.with_all)} things were refused"
    rest = f", {len(fenced)} more by the fence in Python alone" if fenced else ""
    lines += [[], [Span(count + rest, "bold")]]
    through = let_through(findings)
    if through:
        lines += wrapped(", ".join(through), width, [Span("  let through: ")])
    if through or not all(findings.protections.values()):
        lines.append([Span(f"  {NOT_ISOLATED}", "bold red")])
    return lines


def refusals(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return the actions that were allowed before and are refused after: what was refused all along proves nothing."""
    return [name for name, outcome in after.items() if outcome != ALLOWED == before[name]]


def by_the_fence_alone(findings: Findings) -> list[str]:
    """Return the actions that only the fence refuses, which replaces a missing layer (grader/worker/fence.py)."""
    on = [outcomes for layer, outcomes in findings.with_one.items() if findings.protections[layer]]
    fenced = [] if findings.protections[FENCED] else refusals(findings.with_none, findings.with_one[FENCED])
    alone = [name for name in findings.with_all if name in fenced and all(outcomes[name] == ALLOWED for outcomes in on)]
    return [name for name in alone if findings.with_all[name] != ALLOWED]


def let_through(findings: Findings) -> Sequence[str]:
    """Return the actions that a locked worker could do nevertheless."""
    return [name for name, outcome in findings.with_all.items() if outcome == ALLOWED]
