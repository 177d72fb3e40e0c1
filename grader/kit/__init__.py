"""Builds the kit that a candidate is given, and says which of its files came back changed."""

from grader.kit.builder import build, build_archive
from grader.kit.returned import remarks

__all__ = ["build", "build_archive", "remarks"]
