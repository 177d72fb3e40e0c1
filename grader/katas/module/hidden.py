"""`module`: the checks that a kit does not show, the oracle and the mistakes."""

from grader.claims.hidden import profile
from grader.katas.module.contract import KATA
from grader.oracle import catalogue, pipeline
from grader.oracle.attention_key import AttentionKey

CLAIMS = profile.hidden(KATA)
KEY = AttentionKey(
    oracle=pipeline.PER_HEAD.but(drop_output=pipeline.dropout),
    mistakes=catalogue.of(KATA),
)
