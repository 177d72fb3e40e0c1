"""Left out of a kit: attentions that a test is given, a right test, mistakes and claims."""

from grader.katas.write_fp16_stability_test.hidden.claims import CLAIMS
from grader.katas.write_fp16_stability_test.hidden.key import KEY

__all__ = ["CLAIMS", "KEY"]
