"""Reads what was handed in, without running any of it: `.py` files, notebooks, folders and zip files of both."""

from grader.submission.identify import has_names, identify, stand_in
from grader.submission.paths import most_bytes
from grader.submission.signature import Renaming, other_defaults, renaming, signature_problem
from grader.submission.stack import Stack, read_exercises, read_path
from grader.submission.submitted_file import SubmittedFile
from grader.submission.suggestion import nearest, unknown

__all__ = [
    "Renaming",
    "Stack",
    "SubmittedFile",
    "has_names",
    "identify",
    "most_bytes",
    "nearest",
    "other_defaults",
    "read_exercises",
    "read_path",
    "renaming",
    "signature_problem",
    "stand_in",
    "unknown",
]
