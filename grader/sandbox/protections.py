"""Which sandbox layers stand around a worker, as the kernel tells it: the worker's own word proves nothing."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from grader.records import GraderError

SANDBOX_LAYERS = ("privileges", "limits", "landlock", "seccomp")
"""The layers that a worker puts up (grader/worker/confine.py), in this order."""


class NotIsolated(GraderError):
    """A protection that was required is not on: the machine's fault, not a submission's."""


def require_isolation(protections: Mapping[str, bool]) -> None:
    """Does nothing where all protections are on.

    Raises:
        NotIsolated: one is not; the sentence names it.
    """
    missing = [name for name, on in protections.items() if not on]
    if missing:
        raise NotIsolated(
            f"Not graded: not enforced on this machine: {', '.join(missing)}. make doctor says what to do about it; or "
            "leave --require-isolation out, and grade only code that you trust."
        )


def read_layers(pid: int, zygote: int) -> dict[str, bool]:
    """The sandbox layers that /proc shows of a worker; all False where it shows nothing.

    No file of /proc shows Landlock: only a try proves it.

    Args:
        pid: of the worker.
        zygote: of the process that it was forked from, which may be under a container's own seccomp filter.
    """
    try:
        status, before, limits = _status(pid), _status(zygote), _limits(pid)
    except OSError:
        return {"privileges": False, "limits": False, "seccomp": False}
    filters = [int(of.get("Seccomp_filters", "0")) for of in (before, status)]
    return {
        "privileges": status.get("NoNewPrivs") == "1"
        and int(status.get("CapEff", "1"), 16) == 0
        and "0" not in status.get("Uid", "0").split(),
        "limits": limits["Max address space"] != "unlimited"
        and limits["Max cpu time"] != "unlimited"
        and all(limits[name] == "0" for name in ("Max file size", "Max processes", "Max core file size")),
        "seccomp": status.get("Seccomp") == "2" and filters[1] > filters[0],
    }


def _status(pid: int) -> dict[str, str]:
    lines = _proc(pid, "status").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _limits(pid: int) -> dict[str, str]:
    """The hard limits: a column each for name, soft, hard and unit."""
    lines = _proc(pid, "limits").splitlines()[1:]
    return {line[:26].strip(): line[26:].split()[1] for line in lines}


def _proc(pid: int, name: str) -> str:
    if not sys.platform.startswith("linux"):
        raise OSError(f"no /proc on {sys.platform}")
    return Path(f"/proc/{pid}/{name}").read_text()
