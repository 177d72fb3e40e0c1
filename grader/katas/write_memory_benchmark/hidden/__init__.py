"""Left out of a kit: attentions that are measured, a right benchmark, mistakes and claims."""

from grader.katas.write_memory_benchmark.hidden.claims import CLAIMS
from grader.katas.write_memory_benchmark.hidden.key import KEY

__all__ = ["CLAIMS", "KEY"]
