"""Reads what was handed in, without running any of it: `.py` files, notebooks, folders and zip files of both."""

from grader.submission.beside import among
from grader.submission.identify import identify
from grader.submission.names import nearest, unknown
from grader.submission.reader import ARCHIVES, SUFFIXES, check_kind, decoded, is_folder, limit_of, read, reading
from grader.submission.signature import Renaming, renaming, signature_problem

__all__ = [
    "ARCHIVES",
    "SUFFIXES",
    "Renaming",
    "among",
    "check_kind",
    "decoded",
    "identify",
    "is_folder",
    "limit_of",
    "nearest",
    "read",
    "reading",
    "renaming",
    "signature_problem",
    "unknown",
]
