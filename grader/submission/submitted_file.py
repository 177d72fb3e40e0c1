"""One file that was handed in: read, or the sentence that says why not."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from grader.records import GraderError, Submission
from grader.submission.beside import IsThere, find_beside, in_folder, look_among
from grader.submission.kit_json import ReturnedKit
from grader.submission.paths import limit_of, read_bytes
from grader.submission.reading_process import ReadingProcess
from grader.submission.tree import Folder, Tree


class SubmittedFile(NamedTuple):
    """A file that was handed in: read, or the sentence that says why not."""

    path: Path
    submission: Submission | None
    problem: str | None
    """What is wrong with it, and the repair."""
    kata: str | None = None
    """The kata that it is for; None: to be identified from the submission."""
    kit: ReturnedKit | None = None
    """The kit that it came back in."""
    failure: Exception | None = None
    """What went wrong in the grader itself while it was read."""
    sha256: str = ""
    """The SHA-256 of its bytes; empty: they could not be read."""


class Reader(NamedTuple):
    """How files are read."""

    process: ReadingProcess
    limits: Mapping[str, int]
    """The most bytes of a file, by its suffix."""
    kata: str | None
    """The kata that was named, if any."""

    def for_kata(self, kata: str) -> "Reader":
        """A reader that takes files for this kata where none was named."""
        return self._replace(kata=self.kata or kata)

    def file(self, path: Path) -> SubmittedFile:
        """What a file on the disk holds."""
        try:
            data = read_bytes(path, self.limits)
        except GraderError as error:
            return self.problem(path, error)
        return self.data(path, data)

    def member(self, tree: Tree, name: str) -> SubmittedFile:
        """What a file of a tree holds."""
        path = tree.path / name
        if isinstance(tree, Folder):
            return self.file(path)
        try:
            data = tree.data(name, limit_of(path, self.limits))
        except GraderError as error:
            return self.problem(path, error)
        return self._decoded(path, data, look_among(tree.there, name))

    def data(self, path: Path, data: bytes) -> SubmittedFile:
        """What these bytes hold, which were to be saved at a path."""
        return self._decoded(path, data, in_folder(path))

    def problem(self, path: Path, error: GraderError) -> SubmittedFile:
        """A file that could not be read, with the error's sentence."""
        return SubmittedFile(path, None, str(error), self.kata)

    def _decoded(self, path: Path, data: bytes, is_there: IsThere) -> SubmittedFile:
        submission, problem, failure = self.process.decode(path, data, self.limits)
        if submission:
            submission = replace(submission, beside=find_beside(path, submission.imports, is_there))
        digest = hashlib.sha256(data).hexdigest()
        return SubmittedFile(path, submission, problem, self.kata, failure=failure, sha256=digest)
