"""Left out of a kit: modules that a test is given, a right test, mistakes and claims."""

from grader.katas.write_head_permutation_test.hidden.claims import CLAIMS
from grader.katas.write_head_permutation_test.hidden.key import KEY

__all__ = ["CLAIMS", "KEY"]
