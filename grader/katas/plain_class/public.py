"""`plain_class`: the checks that a candidate is given."""

from grader.claims import profile
from grader.katas.plain_class.contract import KATA

CLAIMS = profile.public(KATA)
