"""The folder that a stack is graded into: reports, and a journal that says which there are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path, PurePosixPath

from grader.batch.row import Key, Row
from grader.formats import FORMATS
from grader.formats import json as report_json
from grader.formats.files import write_whole
from grader.formats.plain import from_plain, to_plain
from grader.listing import listed
from grader.records import GraderError, Outcome, Report

JOURNAL = "graded.jsonl"
"""The journal: a line with the run's seed and top, then one for each complete report, written after that report."""
REPORTS = "reports"
LONGEST = 200
"""The most bytes of a folder's name."""
SCORES, JUNIT, OVERVIEW = "scores.csv", "junit.xml", "index.html"
WRITTEN = (REPORTS, SCORES, JUNIT, OVERVIEW)
"""What is written into the folder beside the journal: where that is missing, these are somebody else's."""
EACH = ("json", "html")
"""The formats, of those in `FORMATS`, in which each submission has a report."""


class OutFolder:
    """The output folder: reads what is in it, and writes reports into it.

    Args:
        path: the folder, which is made where it is missing.

    Attributes:
        seed: the seed of the earlier run that is continued; None: there is none.
        top: the folder that all submissions of that run had in common, below the stack's own.
        rows: the rows of the reports that are there, by their keys.

    Raises:
        GraderError: it cannot be made or read, or holds files or folders of these names that are not ours.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seed: int | None = None
        self.top = ""
        self.rows: dict[Key, Row] = {}
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._refuse_others()
            self._read()
        except OSError as error:
            raise GraderError(f"{path} cannot be written to ({error.strerror}): choose another place.") from error

    def begin(self, seed: int, top: str) -> None:
        """Begins a run with this seed and top; a journal of a run with others is begun anew.

        Raises:
            GraderError: the journal cannot be written.
        """
        if (seed, top) != (self.seed, self.top):
            self.rows, self.seed, self.top = {}, seed, top
        lines = [json.dumps({"seed": seed, "top": top}), *(json.dumps(to_plain(row)) for row in self.rows.values())]
        write_whole(self.path / JOURNAL, "".join(f"{line}\n" for line in lines).encode())

    def put(self, report: Report, row: Row) -> None:
        """Writes the reports of a submission, then its line in the journal.

        Raises:
            GraderError: a report cannot be written.
        """
        at = self.place(row)
        try:
            at.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise GraderError(f"{at} cannot be made ({error.strerror}): choose another place.") from error
        for name in EACH:
            write_whole(at / f"report.{name}", FORMATS[name].dumps([report], many=False))
        with (self.path / JOURNAL).open("a", encoding="utf-8") as journal:
            journal.write(json.dumps(to_plain(row)) + "\n")

    def place(self, row: Row) -> Path:
        """The folder of a submission's reports."""
        return self.path / REPORTS / Path(*(_short(part) for part in PurePosixPath(row.submission).parts))

    def reports(self, rows: Iterable[Row]) -> Iterator[Report]:
        """Yields the reports on these submissions, read back one by one.

        Raises:
            GraderError: a report was changed or taken away.
        """
        for row in rows:
            path = self.place(row) / "report.json"
            try:
                yield from report_json.read(path.read_bytes(), str(path))
            except OSError as error:
                raise GraderError(f"{path} cannot be read ({error.strerror}): grade the stack again.") from error

    def read_reports(self, stack: Path) -> Iterator[Report]:
        """Yields, for the grader, a report on each submission that has one here, with only what identifies it.

        Args:
            stack: the stack's own path.
        """
        empty = Report("", "", "", 0, "cpu", Outcome.GRADED, 0.0, {})
        for row in self.rows.values():
            given = {"seed": row.seed, "digest": row.digest, "sha256": row.sha256}
            yield replace(empty, submission=str(stack / self.top / row.submission), kata=row.kata, **given)

    def _refuse_others(self) -> None:
        there = [name for name in WRITTEN if (self.path / name).exists()]
        if there and not (self.path / JOURNAL).exists():
            raise GraderError(
                f"{self.path} holds {listed(there)} and no {JOURNAL}, so a stack was not graded into it: "
                "choose a new folder."
            )

    def _read(self) -> None:
        try:
            lines = (self.path / JOURNAL).read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return
        for line in lines:
            try:
                value = json.loads(line)
                if "top" in value:
                    self.seed, self.top = int(value["seed"]), str(value["top"])
                    continue
                row = from_plain(Row, value, "row")
            except (ValueError, TypeError):  # the line was being written when the run was ended
                continue
            if all((self.place(row) / f"report.{name}").is_file() for name in EACH):
                self.rows[row.key] = row


def _short(part: str) -> str:
    """Return a name that any system takes; of one that is too long only the beginning and a digest are kept."""
    data = part.encode("utf-8", "replace")
    return part if len(data) <= LONGEST else f"{part[:30]}-{sha256(data).hexdigest()[:16]}"
