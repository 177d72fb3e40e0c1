"""How long a cold run takes beside the import of PyTorch, which it cannot do without: `make bench`.

A benchmark and not a test: it prints, and fails only where a command does.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
RUNS = 5
TARGET = 1.6
"""How much longer than the import a cold run may take."""

IMPORT = (sys.executable, "-c", "import torch")
GRADE = ("make", "grade", "KATA=scaffold", "SUBMISSION=solutions/scaffold.py")
# Without compiled files each import would compile PyTorch's again; what a make above us says is not for this one.
LEFT_OUT = {"PYTHONDONTWRITEBYTECODE", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"}


def seconds(command: Sequence[str]) -> float:
    """The wall time of one run.

    Raises:
        CalledProcessError: the command failed; its words are on standard error.
    """
    environment = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    started = time.perf_counter()
    subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def cold() -> tuple[list[float], list[float]]:
    """The import and the run by turns, so that a busy moment falls on both; one of each first, not counted."""
    seconds(IMPORT)
    seconds(GRADE)
    pairs = [(seconds(IMPORT), seconds(GRADE)) for _ in range(RUNS)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def warm() -> list[float]:
    """The same solution graded again and again in one process, as a stack is; the first is not counted."""
    from grader.judge import Options, grade
    from grader.sandbox import Sandbox
    from tests.grading import BY_NAME, read

    submission = read(ROOT / "solutions" / "scaffold.py")
    with Sandbox() as sandbox:
        times = [grade(submission, BY_NAME["scaffold"], Options(seed), sandbox).duration_s for seed in range(RUNS + 1)]
    return times[1:]


def shown(times: Sequence[float]) -> str:
    """`1.23 s  (1.20 to 1.31)`: the median and the range."""
    return f"{median(times):.2f} s  ({min(times):.2f} to {max(times):.2f})"


def main() -> None:
    """Measures and prints."""
    print(f"median of {RUNS}, and the range")
    imports, runs = cold()
    print(f'  python -c "import torch"                {shown(imports)}')
    print(f"  make grade of the scaffold's solution   {shown(runs)}")
    print(f"  ratio                                   {median(runs) / median(imports):.2f}  (target: at most {TARGET})")
    print(f"  graded again in the same process        {shown(warm())}")


if __name__ == "__main__":
    main()
