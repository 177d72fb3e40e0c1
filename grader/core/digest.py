"""A digest of all that decides a report besides the submission and the seed: checks, settings, and the code itself."""

import hashlib
import json
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from grader.core.place import ROOT
from grader.core.request import Request
from grader.formats.plain import to_plain
from grader.sandbox import Limits

if TYPE_CHECKING:
    from grader.checks.kata import Kata

DECIDING_NOTHING = ("batch", "cli", "core", "formats", "jupyter", "kit", "stubs", "watch")
"""Packages whose code changes no verdict."""


def digest(kata: "Kata", request: Request, limits: Limits) -> str:
    """Return the first 16 hex digits of the digest.

    Args:
        kata: the kata whose checks are run.
        request: how they are run; what is graded, and with which seed, is left out.
        limits: what a submission may take.
    """
    checks = [[check.tier.name, check.name, check.claim, check.points, check.visibility] for check in kata.checks]
    own = {"failed_call": False, "first": None, "as_they_end": False}
    settings = replace(request, path=None, cells=(), kata=kata.name, seed=None, **own)
    whole = [checks, to_plain(settings), to_plain(limits), _code()]
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()[:16]


@cache
def _code() -> str:
    """Return a digest of the files that decide verdicts and of PyTorch's version."""
    folder, digest = ROOT / "grader", hashlib.sha256(version("torch").encode())
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder)
        if name.parts[0] not in DECIDING_NOTHING:
            digest.update(f"{name.as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()
