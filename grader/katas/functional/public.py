"""`functional`: the checks that a candidate is given."""

from grader.claims import profile
from grader.katas.functional.contract import KATA

CLAIMS = profile.public(KATA)
