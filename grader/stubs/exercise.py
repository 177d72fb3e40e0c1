"""The exercise: the Python file that a candidate fills in."""

from grader.stubs.solution_cells import SourceCell

WRITE = "Write your code where NotImplementedError is raised, in place of that line."
REPAIR = "Repair the code below: it runs, and is wrong."


def exercise(kata_name: str, cells: list[SourceCell]) -> str:
    """Write the statement and the code with the solutions taken out.

    Args:
        kata_name: the kata's name, as the command line takes it.
        cells: the solution's cells, markers replaced already.

    Returns:
        A Python file in the percent format, which editors show as cells.
    """
    code = "".join(cell.source for cell in cells if cell.tag == "stub")
    task = WRITE if "raise NotImplementedError" in code else REPAIR
    parts = [_header(kata_name, task)]
    previous = "markdown"
    for cell in cells:
        if cell.tag == "statement":
            parts.append("\n# %% [markdown]\n" + _commented(cell.source))
        if cell.tag == "stub":
            blank_lines = "\n\n" if previous == "code" else "\n"
            parts.append(f"{blank_lines}# %%\n{cell.source}\n")
            previous = "code"
    return "".join(parts)


def _header(kata_name: str, task: str) -> str:
    return f"""\
# {task}
# Grade it:     make grade KATA={kata_name}
# Begin again:  make reset KATA={kata_name}
#
# Axes: N (or B) batch, L (or T) query length, S key length, E embedding size, H heads, D = E / H head size.
"""


def _commented(text: str) -> str:
    return "".join(f"# {line}".rstrip() + "\n" for line in text.splitlines())
