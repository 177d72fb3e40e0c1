"""`module`: the checks that a candidate is given."""

from grader.claims import construction, profile
from grader.katas.module.contract import KATA

CLAIMS = (*profile.public(KATA), *construction.XAVIER)
