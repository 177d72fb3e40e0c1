"""The command to run next, as a person would type it."""

import shlex

from grader.core.events import NextRun
from grader.formats.clean import in_one_line


def grade_command(run: NextRun) -> str:
    """Return `make grade KATA=scaffold SEED=7` for a run, quoted for the shell; what has no value is left out."""
    variables = {
        "KATA": run.kata,
        "SUBMISSION": run.submission,
        "TIER": ",".join(run.tiers),
        "ALLOW": ",".join(run.allow),
        "SEED": None if run.seed is None else str(run.seed),
    }
    # Cleaned before it is quoted: to take an escape sequence out may take a quote with it.
    given = [f"{name}={shlex.quote(in_one_line(value))}" for name, value in variables.items() if value]
    return " ".join(["make grade", *given])
