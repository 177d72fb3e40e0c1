"""Reads what was handed in, without running any of it: `.py` files, notebooks, folders of both."""

from grader.submission.identify import identify
from grader.submission.reader import find, read
from grader.submission.signature import nearest, signature_problem, unknown

__all__ = ["find", "identify", "nearest", "read", "signature_problem", "unknown"]
