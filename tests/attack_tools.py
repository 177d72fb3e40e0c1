"""What the tests of hostile submissions share: an attack as data, one run of it, and what it may not leave behind.

An attack is a file of tests/attacks/. Its constants are read from the syntax tree; the file is never imported.
What it does is put after a control's code (`BESIDE`), so that right code with an attack must keep its points
and wrong code with one must not get any. An attack that took effect prints `GOT` and what it got.
"""

import ast
import importlib
import os
import re
import secrets
import socket
import tempfile
import textwrap
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import NamedTuple
from xml.etree import ElementTree

from grader.formats import json as report_json
from grader.formats import junit, lines, text
from grader.judge import Options, report_of
from grader.records import Outcome, Report, Submission
from grader.sandbox import Limits, Sandbox, WorkerLost
from grader.submission.imports import imports
from tests.grading import BY_NAME, ROOT, submission

FOLDER = ROOT / "tests" / "attacks"
KERNEL_LAYERS = ("seccomp", "landlock", "limits", "privileges")
OTHER_LAYERS = ("process", "judge", "wire", "policy", "reader")
LIMITS = Limits(memory_bytes=256 << 20, output_bytes=1 << 20)
BRIEF = Limits(load_s=2.0, check_s=1.0, submission_s=3.0, memory_bytes=256 << 20, output_bytes=1 << 20)
"""For attacks that do not end by themselves."""
SEED = 1
LOAD_S = 20.0
IS_ROOT = os.geteuid() == 0


@dataclass(frozen=True)
class Attack:
    """The constants of one file of tests/attacks/."""

    name: str
    tries: str
    """Its docstring: what it tries."""
    source: str
    KATA: str = "scaled_dot_product"
    BESIDE: str = ""
    """`right`, `wrong` or `own_weights`: the control whose code it stands after."""
    HONEST: int | None = None
    """What its honest part is worth; None: what the control is."""
    OPEN: str = ""
    """What is known to be missing against it; the test then expects that it does gain something."""
    LAYER: str = ""
    """What stops it: a layer of the kernel, or one of OTHER_LAYERS."""
    REFUSAL: dict[str, str] = field(default_factory=dict)
    """Kernel layers each of which refuses it alone, and words of the error; privileges are root's to lose."""
    TOGETHER: tuple[str, ...] = ()
    """Kernel layers that refuse it as well, but only if they all stand."""
    FINDS_NOTHING: bool = False
    """It looks for what is not there, with or without layers."""
    OUTCOME: str = "graded"
    VERDICTS: tuple[str, ...] = ()
    """The verdicts besides pass and fail that its checks get."""
    SAYS: str = ""
    """Words that the report then holds."""
    BRIEF: bool = False
    AS_ROOT: bool = False
    """Without layers it may work for root only."""
    MACHINE: str = ""
    """The only machine it is written for."""

    @property
    def honest(self) -> int:
        """The points that it must get, no more and no fewer."""
        return attack(f"control_{self.BESIDE}").honest if self.HONEST is None else self.HONEST

    @property
    def refusers(self) -> dict[str, str]:
        """REFUSAL, less what is so for root alone where this is not root."""
        return {layer: words for layer, words in self.REFUSAL.items() if layer != "privileges" or IS_ROOT}

    @property
    def switched(self) -> list[str]:
        """The layers that are switched off for it, each in turn."""
        return [layer for layer in KERNEL_LAYERS if layer in self.REFUSAL] + ["policy"] * (self.LAYER == "policy")

    def refused_still(self, off: str) -> str:
        """The layers that refuse it where this one alone is switched off; empty: none, and it succeeds."""
        others = [layer for layer in self.switched if layer != off]
        return ", ".join(others) or " with ".join(self.TOGETHER)

    @property
    def leaves_a_core(self) -> bool:
        """Whether the system, where nothing limits it, may write a file of its memory."""
        return self.SAYS in ("SIGABRT", "SIGSEGV")

    @property
    def says_what_it_got(self) -> bool:
        return 'print("GOT' in self.source


class Surroundings(NamedTuple):
    """What an attack is told, so that it need not find out: more than a candidate could know."""

    folder: Path
    root: Path
    port: int
    judge: int
    """The judge's process."""


class LoadResult(NamedTuple):
    """What came of loading an attack."""

    got: str | None
    """What it printed after GOT."""
    problem: str
    """What it raised, or how its worker was lost; empty where neither."""


def attack(name: str) -> Attack:
    """One file of tests/attacks/, by its name without suffix."""
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    module = ast.parse(source)
    constants = {
        statement.targets[0].id: ast.literal_eval(statement.value)
        for statement in module.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and statement.targets[0].id in Attack.__dataclass_fields__
    }
    return Attack(name, " ".join((ast.get_docstring(module) or "").split()), source, **constants)


def attacks() -> list[Attack]:
    """All of them, by name, without the controls."""
    names = sorted(path.stem for path in FOLDER.glob("*.py"))
    return [attack(name) for name in names if not name.startswith("control_")]


def written(tried: Attack, surroundings: Surroundings | None = None) -> Submission:
    """The submission that the attack makes, its placeholders filled in."""
    before = (FOLDER / f"control_{tried.BESIDE}.py").read_text(encoding="utf-8") if tried.BESIDE else ""
    source = f"{before}\n\n{tried.source}"
    for name, value in (surroundings._asdict() if surroundings else {}).items():
        source = source.replace(f"{{{name}}}", str(value))
    return submission(source)


def graded(
    tried: Attack, box: Sandbox, surroundings: Surroundings | None = None, allow: frozenset[str] = frozenset()
) -> Report:
    """The report on it, in the tests' sandbox, with limits that suit it."""
    box.limits = BRIEF if tried.BRIEF else LIMITS
    try:
        return report_of(written(tried, surroundings), BY_NAME[tried.KATA], Options(seed=SEED, allow=allow), box)
    finally:
        box.limits = LIMITS


def loaded(tried: Attack, box: Sandbox, surroundings: Surroundings, without: Collection[str] = ()) -> LoadResult:
    """Loads it behind all layers but some."""
    handed = written(tried, surroundings)
    # The switch of the layers for the workers of one sandbox; five sandboxes would import torch five times.
    with box._start(imports(handed.cells), frozenset(without)) as worker:
        # As one statement: the worker goes on after one that raises, and the attack's next one would report success.
        source = "if True:\n" + textwrap.indent(handed.cells[0].source, " ")
        head = {"verb": "load", "source": source, "filename": "candidate.py", "cell": None}
        problem = ""
        try:
            error = worker.request(head, timeout=LOAD_S).head["error"]
            if error:
                problem = f"{error['type']}: {error['message']}"
            worker.request({"verb": "hello"}, timeout=LOAD_S)  # what it prints is read to the end
        except WorkerLost as lost:
            problem = lost.sentence
        worker.close()
        got = re.search(r"^GOT ?(.*)$", worker.output(), re.MULTILINE)
    return LoadResult(got[1] if got else None, problem)


def without(layer: str, tried: Attack, box: Sandbox) -> LoadResult:
    """Tries it behind all layers but one; without the policy it is graded, and what it got is more than it is worth."""
    with new_surroundings() as fresh:
        if layer != "policy":
            return loaded(tried, box, fresh, {layer})
        score = graded(tried, box, fresh, allow=frozenset({"sdpa", "mha"})).score
    return LoadResult("points" if score > tried.honest else None, f"scored {score}")


def shown(report: Report) -> str:
    """All that people and programs are shown of a report."""
    plain = lines.plain(text.render(report, reveal="all", width=1000))
    files = [dumps([report], many=False).decode() for dumps in (report_json.dumps, junit.dumps)]
    return "\n".join([plain, *files])


def own_words(report: Report) -> tuple[dict[str, int], dict[str, int]]:
    """What only a report may say of itself, as often as it has reason to, and as often as it is there."""
    verdicts = [[check.verdict for check in tier.checks] for tier in report.tiers]
    passed = sum(each == "pass" for tier in verdicts for each in tier) + sum({"pass"} == set(tier) for tier in verdicts)
    text_lines = lines.plain(text.render(report, reveal="all", width=1000)).splitlines()
    there = {start: sum(line.startswith(start) for line in text_lines) for start in ("score ", "  PASS ")}
    cases = len(list(ElementTree.fromstring(junit.dumps([report], many=False)).iter("testcase")))
    is_graded = report.outcome is Outcome.GRADED
    reasons = {"score ": int(is_graded), "  PASS ": passed, "testcase": sum(map(len, verdicts)) + (not is_graded)}
    return reasons, {**there, "testcase": cases}


def everything(report: Report) -> str:
    """The report's own words, before they are cleaned."""
    return str(report)


@contextmanager
def new_surroundings() -> Iterator[Surroundings]:
    """A folder that anybody may write to, with a secret in it; a port on loopback."""
    with tempfile.TemporaryDirectory(prefix="hostile-") as name, socket.socket() as tcp:
        folder = Path(name)
        (folder / "secret.txt").write_text(secrets.token_hex(16))
        folder.chmod(0o777)  # so that not the change of user refuses it, but a layer
        tcp.bind(("127.0.0.1", 0))
        tcp.listen(128)
        yield Surroundings(folder, ROOT, tcp.getsockname()[1], os.getpid())


# Those of tests/attacks/handed_in/: modules that each make what is handed in, around the code of a control


HANDED_IN = sorted(path.stem for path in (FOLDER / "handed_in").glob("*.py"))
"""Their names."""


def module(name: str) -> ModuleType:
    return importlib.import_module(f"tests.attacks.handed_in.{name}")


def control(name: str) -> Attack:
    """The control whose code it hands in."""
    return attack(f"control_{getattr(module(name), 'CODE', 'right')}")
