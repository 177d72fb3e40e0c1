"""`fused_qkv`: the checks that a candidate is given."""

from grader.claims import profile
from grader.katas.fused_qkv.contract import KATA

CLAIMS = profile.public(KATA)
