"""Reads what was handed in, without running any of it: `.py` files, notebooks, folders and zip files of both."""

from grader.submission.identify import identify
from grader.submission.reader import SUFFIXES, decoded, limit_of, read, reading
from grader.submission.signature import nearest, signature_problem, unknown

__all__ = ["SUFFIXES", "decoded", "identify", "limit_of", "nearest", "read", "reading", "signature_problem", "unknown"]
