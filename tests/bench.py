"""`make bench`: how long gradings take beside the import of PyTorch, which none can do without, and by other graders.

A benchmark and not a test: it prints, writes tests/bench.json for the pages, and fails only where a command does.
"""

import datetime
import gc
import json
import os
import platform
import shlex
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from statistics import median
from typing import Any
from unittest import mock

import torch

from grader import Grader, Request, judge
from grader.core.jobs import processors
from grader.formats.lines import Line, plain
from grader.katas.write_memory_benchmark.hidden.attentions import IN_BLOCKS
from grader.katas.write_memory_benchmark.hidden.benchmark import inputs
from grader.sandbox import Sandbox
from grader.watch.loop import Loop
from grader.watch.state import State
from grader.worker.observe import Observer
from tests import bench_rivals
from tests.bench_rivals import RIVALS, Rival, ran
from tests.grading import ROOT
from tests.grading import graded as graded_source
from tests.programs import programs

RECORD = Path(__file__).with_name("bench.json")
SOLUTION = ROOT / "solutions" / "scaffold.py"
RUNS = 7
STACKS = (16, 48)
"""Submissions in two stacks: what the second takes more is the time of those that it has more."""

DEPTH = 3
"""Of the processes below this one: the zygote, its workers, what they start."""

IMPORT = (sys.executable, "-c", "import torch")
GRADE, GRADE_PLAIN = (
    ("make", "grade", f"KATA={path.stem}", f"SUBMISSION={path.relative_to(ROOT)}")
    for path in (SOLUTION, bench_rivals.SOLUTION)
)
MISTAKE = "likely mistake: the scores were not divided"
COUNTED = 1024
"""Tokens of a call whose memory is counted, and of one whose is not."""
NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Bench:
    """Medians in seconds, of one run of this file."""

    machine: str
    processors: int
    date: str
    import_s: float
    cold_s: float
    warm_s: float
    stack_s: float
    """For one more submission of a stack."""
    watch_first_s: float
    """From a save to the first failing tier on the screen of `make watch`."""
    watch_all_s: float
    """To the whole verdict: all checks and the score."""
    watch_named_s: float
    """To the names of the mistakes below it."""
    plain_s: float
    """For a first grading of what the rivals grade."""
    round_trips: int
    """Messages to the worker and back in one grading."""
    naming: float
    """Of wrong programs, the processor time in which mistakes are named by that of the checks before: a median."""
    naming_most: float
    """The largest."""
    counting: float
    """How many times as long a call takes whose memory is counted."""
    rivals: dict[str, dict[str, Any] | None]
    """By name its version, and the median in seconds and in imports; None for one that is not installed."""


def seconds(command: Sequence[str | Path], folder: Path = ROOT) -> float:
    """The wall time of one run.

    Raises:
        RuntimeError: the command failed; its words are in the message.
    """
    started = time.perf_counter()
    done = ran(command, folder)
    took = time.perf_counter() - started
    if done.returncode:
        raise RuntimeError(f"{shlex.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return took


def graded(grader: Grader, path: Path) -> float:
    """The wall time of a request of the core, with all points."""
    started = time.perf_counter()
    for report in grader.reports(Request(path=path, seed=1)):
        assert report.score == report.max_score, report.message
    return time.perf_counter() - started


def stack(folder: Path, count: int) -> float:
    """The wall time of a stack of so many right submissions, no two the same."""
    folder.mkdir(exist_ok=True)
    for number in range(count):
        (folder / f"{number}.py").write_text(f"{SOLUTION.read_text()}# {number}\n")
    with Grader(jobs=processors()) as grader:
        return graded(grader, folder)


class Watch:
    """`make watch` on a copy of the scaffold's solution without its scale, on a terminal that nobody sees."""

    size = (110, 40)

    def __init__(self, folder: Path) -> None:
        self._path = folder / SOLUTION.name
        self._screens: SimpleQueue[str] = SimpleQueue()
        self._keys: SimpleQueue[str] = SimpleQueue()
        self._saves = 0
        folder.mkdir(exist_ok=True)
        self._write()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self._until(MISTAKE)

    def saved(self) -> tuple[float, float, float]:
        """Seconds from a save to the first failing tier, to the whole verdict, and to the mistake's name."""
        started = time.perf_counter()
        self._write()
        self._until("points so far")
        shown = [self._until(text) for text in ("FAIL  parity      ", "\nscore ", MISTAKE)]
        first, whole, named = (time - started for time in shown)
        return first, whole, named

    def close(self) -> None:
        """Quits."""
        self._keys.put("q")
        self._thread.join()

    def read_keys(self) -> Iterator[str]:
        yield self._keys.get()

    def on_resize(self, callback: Callable[[], None]) -> None:
        """It has none."""

    def draw(self, lines: list[Line]) -> None:
        self._screens.put(plain(lines))

    def _run(self) -> None:
        kata = SOLUTION.stem
        with Loop(State((kata,), kata, stays=True, seed=1), self._path.parent) as loop:
            loop.run(self)

    def _write(self) -> None:
        self._saves += 1
        wrong = SOLUTION.read_text().replace(" / math.sqrt(self.head_dim)", "")
        self._path.write_text(f"{wrong}# {self._saves}\n")

    def _until(self, text: str) -> float:
        while text not in self._screens.get():
            pass
        return time.perf_counter()


def round_trips(grader: Grader) -> int:
    """Of one grading."""
    from grader.judge import session

    sessions: list[Any] = []
    close = session.Session.close
    with (
        mock.patch("grader.core.jobs.processors", return_value=1),  # a copy of the judge tells nobody of its own
        mock.patch.object(session.Session, "close", lambda self: (sessions.append(self), close(self))[1]),
    ):
        graded(grader, SOLUTION)
    return sum(each.round_trips for each in {id(each): each for each in sessions}.values())  # some are closed twice


def naming() -> list[float]:
    """Of each wrong program, the processor time in which mistakes are named by that of its grading before, in order."""
    shares: list[float] = []
    began = 0.0
    real = judge._diagnosed

    def timed(*args: Any) -> Any:
        before = processor_time() - began
        result = real(*args)
        shares.append((processor_time() - began - before) / before)
        return result

    with mock.patch.object(judge, "_diagnosed", timed), Sandbox() as sandbox:
        graded_source("plain_class", SOLUTION.read_text(encoding="utf-8"), box=sandbox)  # waits for the imports
        for kata, source in wrong_programs():
            began = processor_time()
            graded_source(kata, source, box=sandbox)
    return sorted(shares)


def counting() -> float:
    """How many times as long an attention in blocks takes whose memory is counted, at 1024 tokens."""
    function, given = IN_BLOCKS.made(IN_BLOCKS.numbers[0]).define(), inputs(COUNTED)

    def took(observer: Observer | None) -> float:
        began = time.perf_counter()
        with torch.no_grad(), observer or nullcontext():
            function(*given)
        return time.perf_counter() - began

    plain_s, counted_s = zip(*((took(None), took(Observer(frozenset({"operators"})))) for _ in range(50)), strict=True)
    return median(counted_s) / median(plain_s)


def processor_time() -> float:
    """Of this process and all below it, in seconds: a worker is reaped by its zygote."""
    parents, ticks = dict[str, str](), dict[str, int]()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
            parents[path.parent.name], ticks[path.parent.name] = fields[1], sum(map(int, fields[11:15]))
    below = {str(os.getpid())}
    for _ in range(DEPTH):
        below |= {number for number, parent in parents.items() if parent in below}
    others = sum(ticks[number] for number in below - {str(os.getpid())})
    return time.process_time() + others / os.sysconf("SC_CLK_TCK")


def wrong_programs() -> list[tuple[str, str]]:
    """A kata and a source each: what beginners hand in, and every tenth program of tests/wrong/."""
    beginners = [
        (folder.name.partition("-")[0], (folder / "submission.py").read_text(encoding="utf-8"))
        for folder in sorted((ROOT / "tests" / "golden" / "beginners").iterdir())
    ]
    wrong = [(each.kata, each.source) for each in programs() if each.part == "wrong"]
    return [*beginners, *wrong[::10]]


def measured() -> Bench:
    """All in turn, so that a busy moment falls on each; one of each first, not counted."""
    small, large = STACKS
    rows = []
    with Grader() as grader, tempfile.TemporaryDirectory() as folder, closing(Watch(Path(folder, "watch"))) as watch:
        rivals = {rival: rival.ready(Path(folder)) for rival in RIVALS if rival.version}
        for run in range(RUNS + 1):
            imported, cold, warm = seconds(IMPORT), seconds(GRADE), graded(grader, SOLUTION)
            # Long, so measured in three of the rounds.
            more = run % 3 == 1 and stack(Path(folder, "large"), large) - stack(Path(folder, "small"), small)
            saved = watch.saved()
            others = [seconds(GRADE_PLAIN), *(seconds(rival.command, place) for rival, place in rivals.items())]
            if run:
                rows.append((imported, cold, warm, more / (large - small) if more else None, *saved, *others))
        trips = round_trips(grader)
    by_naming = naming()
    medians = [round(median(time for time in column if time is not None), 3) for column in zip(*rows, strict=True)]
    ours = len(medians) - len(rivals)
    shares = {"naming": median(by_naming), "naming_most": by_naming[-1], "counting": counting()}
    return Bench(
        processor(),
        processors(),
        datetime.date.today().isoformat(),
        *medians[:ours],
        round_trips=trips,
        **{name: round(share, 2) for name, share in shares.items()},
        rivals=beside(medians[0], dict(zip(rivals, medians[ours:], strict=True))),
    )


def beside(import_s: float, measured: Mapping[Rival, float]) -> dict[str, dict[str, Any] | None]:
    """What is written of the rivals."""
    return {
        rival.package: {
            "version": rival.version,
            "seconds": measured[rival],
            "imports": round(measured[rival] / import_s, 2),
        }
        if rival in measured
        else None
        for rival in RIVALS
    }


def processor() -> str:
    """Its name, as the system tells it, without what is no name."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
        return name.replace("(R)", "").replace("(TM)", "").replace(" Processor", "")
    return platform.machine()


def recorded() -> Bench:
    """What `make bench` last wrote."""
    return Bench(**json.loads(RECORD.read_text()))


def rows(bench: Bench) -> list[tuple[str, str, str]]:
    """A table: what was timed, seconds, and in imports."""
    timed = (
        ('`python -c "import torch"`', bench.import_s),
        ("`make grade` of the scaffold's solution", bench.cold_s),
        ("graded again in the same process", bench.warm_s),
        (f"one more in a stack, {bench.processors} processors", bench.stack_s),
        ("`make watch`: from a save to the first failing tier", bench.watch_first_s),
        ("to the score, with all checks judged", bench.watch_all_s),
        ("to the mistake's name", bench.watch_named_s),
    )
    return [(what, f"{time:.2f}", f"{time / bench.import_s:.2f}") for what, time in timed]


def sentence(bench: Bench) -> str:
    """For a page, not folded."""
    ours = (bench.cold_s, bench.warm_s, bench.stack_s, bench.watch_first_s, bench.watch_all_s, bench.watch_named_s)
    cold, warm, more, first, whole, named = (f"{time / bench.import_s:.2f}" for time in ours)
    return (
        f"In units of a bare `import torch` ({bench.import_s:.1f} s on {bench.machine}, {bench.processors} cores, "
        f"{bench.date}): to grade the scaffold's solution takes {cold} at first, then {warm}, {more} for one more in a "
        f"stack. `make watch` shows the first failing tier {first} after a save, the score {whole}, the mistake "
        f"{named}. To find the names of mistakes takes {bench.naming:.2f} of the time of the checks, "
        f"{bench.naming_most:.2f} of it in the slowest program."
    )


def by_others(bench: Bench) -> list[tuple[str, str, str]]:
    """A table: who grades the solution of `plain_class` for the first time, seconds, and in imports."""
    ours = ("`make grade`", f"{bench.plain_s:.2f}", f"{bench.plain_s / bench.import_s:.2f}")
    theirs = [
        (f"{name} {entry['version']}", f"{entry['seconds']:.2f}", f"{entry['imports']:.2f}")
        if entry
        else (name, "-", NOT_MEASURED)
        for name, entry in bench.rivals.items()
    ]
    return [ours, *theirs]


def main() -> None:
    """Measures, prints and writes."""
    gc.disable()  # until the judge is imported, as `python -m grader` does
    bench = measured()
    RECORD.write_text(json.dumps(asdict(bench), indent=1) + "\n")
    head, others = ("", "seconds", "imports"), ("the solution of plain_class by", "", "")
    for what, time_s, imports in (head, *rows(bench), others, *by_others(bench)):
        print(f"{what.replace('`', ''):58}{time_s:>8}{imports:>14}")
    print(f"mistakes named, in gradings: {bench.naming:.2f}, at most {bench.naming_most:.2f}")
    print(f"a call whose memory is counted: {bench.counting:.1f} times as long")
    print(f"{bench.round_trips} round trips in a grading; medians of {RUNS}, the stack's of 3; {bench.machine}")


if __name__ == "__main__":
    main()
