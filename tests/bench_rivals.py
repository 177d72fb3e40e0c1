"""What people would use instead, for `make bench`: each grades the solution of `plain_class`.

Each is set up as its own pages say, with the six claims below; torch-judge has six of its own. One that is not
installed is not measured, and one that does not tell the solution from a wrong program ends the run.
"""

import inspect
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import nbformat
import torch
from nbformat.v4 import new_code_cell, new_notebook
from torch import nn

from tests.grading import ROOT

# Without compiled files each import would compile PyTorch's again; what a make above us says is not for this one.
LEFT_OUT = {"PYTHONDONTWRITEBYTECODE", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"}
PROGRAMS = Path(sys.executable).parent
SOLUTION = ROOT / "solutions" / "plain_class.py"
SCALE = " / math.sqrt(self.head_dim)"
"""What the wrong program lacks."""
IMPORTS = "import torch\nfrom torch import nn\n"


def the_output_has_the_shape_of_the_queries(MultiHeadAttention: Any) -> None:
    x = torch.randn(2, 6, 32)
    assert (2, 6, 32) == MultiHeadAttention(32, 4).forward(x, x, x).shape


def in_cross_attention_too(MultiHeadAttention: Any) -> None:
    memory = torch.randn(1, 7, 32)
    assert (1, 3, 32) == MultiHeadAttention(32, 4).forward(torch.randn(1, 3, 32), memory, memory).shape


def the_four_layers_are_linear(MultiHeadAttention: Any) -> None:
    ours = MultiHeadAttention(32, 4)
    for layer in (ours.W_q, ours.W_k, ours.W_v, ours.W_o):
        assert isinstance(layer, nn.Linear)
        assert (32, 32) == layer.weight.shape


def the_output_equals_pytorchs(MultiHeadAttention: Any) -> None:
    ours, theirs = MultiHeadAttention(16, 2), nn.MultiheadAttention(16, 2, batch_first=True)
    inputs = (ours.W_q, ours.W_k, ours.W_v)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([layer.weight for layer in inputs]))
        theirs.in_proj_bias.copy_(torch.cat([layer.bias for layer in inputs]))
        theirs.out_proj.load_state_dict(ours.W_o.state_dict())
    q, k, v = torch.randn(2, 3, 16), torch.randn(2, 5, 16), torch.randn(2, 5, 16)
    assert torch.allclose(theirs(q, k, v)[0], ours.forward(q, k, v), atol=1e-5)


def gradients_reach_the_input_and_all_layers(MultiHeadAttention: Any) -> None:
    ours, x = MultiHeadAttention(16, 2), torch.randn(1, 4, 16, requires_grad=True)
    ours.forward(x, x, x).sum().backward()
    for each in (x, ours.W_q.weight, ours.W_k.weight, ours.W_v.weight, ours.W_o.weight):
        assert each.grad is not None


def sizes_that_do_not_fit_are_refused(MultiHeadAttention: Any) -> None:
    try:
        MultiHeadAttention(10, 3)
    except (ValueError, AssertionError):
        return
    raise AssertionError("10 features were split into 3 heads")


CLAIMS = (
    the_output_has_the_shape_of_the_queries,
    in_cross_attention_too,
    the_four_layers_are_linear,
    the_output_equals_pytorchs,
    gradients_reach_the_input_and_all_layers,
    sizes_that_do_not_fit_are_refused,
)
SOURCES = {claim.__name__: inspect.getsource(claim).replace(": Any", "") for claim in CLAIMS}


@dataclass(frozen=True, slots=True)
class Rival:
    """A way to have the file `plain_class.py` of a folder graded by something else."""

    package: str
    command: tuple[str | Path, ...]
    """What a person types in that folder."""
    set_up: Callable[[Path], None]
    """Writes what is needed beside the file."""
    passed: Callable[[Path], bool]
    """Whether what the command left there says that all is right."""

    @property
    def version(self) -> str | None:
        """None where it is not installed."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None

    def ready(self, folder: Path) -> Path:
        """A folder in which the command grades the solution.

        Raises:
            ValueError: the solution does not pass, a wrong program does, or nothing was graded.
        """
        source = SOLUTION.read_text(encoding="utf-8")
        for name, handed_in in (("wrong", source.replace(SCALE, "")), ("right", source)):
            place = folder / self.package / name
            place.mkdir(parents=True)
            (place / SOLUTION.name).write_text(handed_in, encoding="utf-8")
            self.set_up(place)
            done = ran(self.command, place)
            try:
                verdict = self.passed(place)
            except FileNotFoundError:
                verdict = None
            if verdict != (name == "right"):
                raise ValueError(f"{self.package} did not tell that the program is {name}:\n{done.stdout}{done.stderr}")
        return place


def ran(command: Sequence[str | Path], folder: Path) -> subprocess.CompletedProcess[str]:
    """A command, run as where this Python's environment is activated."""
    environment = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    environment["PATH"] = f"{PROGRAMS}{os.pathsep}{environment['PATH']}"
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def torch_judge(place: Path) -> None:
    """Nothing: it takes the class from whoever calls it."""


def nbgrader(place: Path) -> None:
    """A course with one assignment: the solution in a cell, each claim in a cell of a point."""

    def cell(source: str, name: str, points: int = 0) -> Any:
        marks = {"grade": bool(points), "locked": bool(points), "solution": not points, "task": False, "points": points}
        return new_code_cell(source, metadata={"nbgrader": {"grade_id": name, "schema_version": 3, **marks}})

    claims = [cell(f"{IMPORTS}{text}\n{name}(MultiHeadAttention)", name, 1) for name, text in SOURCES.items()]
    for folder, source in (("source", SOLUTION), ("submitted/one", place / SOLUTION.name)):
        (place / folder / "mha").mkdir(parents=True)
        cells = [cell(source.read_text(encoding="utf-8"), "solution"), *claims]
        nbformat.write(new_notebook(cells=cells), place / folder / "mha" / "mha.ipynb")
    ran((PROGRAMS / "nbgrader", "generate_assignment", "mha"), place)


def otter(place: Path) -> None:
    """What `otter run` takes: a zip file with a configuration and a test for each claim."""
    head = f"from otter.test_files import test_case\n{IMPORTS}OK_FORMAT = False\npoints = 1\n"
    with zipfile.ZipFile(place / "autograder.zip", "w") as archive:
        archive.writestr("otter_config.json", '{"pdf": false}')
        for name, text in SOURCES.items():
            archive.writestr(f"tests/{name}.py", f"{head}name = {name!r}\n\n@test_case()\n{text}")


def check50(place: Path) -> None:
    """A folder with its settings and a check for each claim."""
    load = f"check50.py.import_({SOLUTION.name!r}).MultiHeadAttention"
    checks = [f"{text}\n@check50.check()\ndef check_{name}():\n    {name}({load})\n" for name, text in SOURCES.items()]
    (place / "checks").mkdir()
    (place / "checks" / "__init__.py").write_text("import check50\nimport check50.py\n" + IMPORTS + "".join(checks))
    settings = f"check50:\n  files:\n    - !exclude '*'\n    - !require {SOLUTION.name}\n"
    (place / "checks" / ".cs50.yml").write_text(settings)


def left(place: Path, name: str) -> Any:
    """What a JSON file or a notebook holds."""
    return json.loads((place / name).read_text(encoding="utf-8"))


def judge_passed(place: Path) -> bool:
    return left(place, "data/progress.json")["mha"]["status"] == "solved"


def nbgrader_passed(place: Path) -> bool:
    cells = left(place, "autograded/one/mha/mha.ipynb")["cells"]
    return all(output["output_type"] != "error" for cell in cells for output in cell["outputs"])


def otter_passed(place: Path) -> bool:
    _, *tests = left(place, "results.json")["tests"]  # the first is a summary
    return all(test["score"] == test["max_score"] for test in tests)


def check50_passed(place: Path) -> bool:
    return all(result["passed"] for result in left(place, "results.json")["results"])


JUDGE = "from plain_class import MultiHeadAttention; from torch_judge import check; check('mha')"
CHECK50 = ("--dev", "checks", "--output", "json", "--output-file", "results.json")
RIVALS = (
    Rival("torch-judge", (sys.executable, "-c", JUDGE), torch_judge, judge_passed),
    Rival("nbgrader", (PROGRAMS / "nbgrader", "autograde", "mha", "--force"), nbgrader, nbgrader_passed),
    Rival("otter-grader", (PROGRAMS / "otter", "run", SOLUTION.name), otter, otter_passed),
    Rival("check50", (PROGRAMS / "check50", *CHECK50), check50, check50_passed),
)
