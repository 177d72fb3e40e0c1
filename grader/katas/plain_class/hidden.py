"""`plain_class`: the checks that a kit does not show, the oracle and the mistakes."""

from grader.checks import tiers
from grader.claims.hidden import profile
from grader.katas.plain_class.contract import KATA
from grader.oracle import catalogue, pipeline
from grader.oracle.attention_key import AttentionKey

CLAIMS = profile.hidden(KATA)
KEY = AttentionKey(
    oracle=pipeline.PER_HEAD.but(give=pipeline.give_nothing),
    mistakes=catalogue.of(KATA),
    questions={
        tiers.NAN_SAFETY.name: "What does exp make of a score of 10000 in float32, and what keeps the softmax finite?"
    },
)
