"""`write_fp16_stability_test`: a test that tells whether an attention is stable in float16 and bfloat16."""

from grader.claims.testing import ACCEPTS, NO_TRACE, REFUSES, RUNS, TestingKata
from grader.records import Contract, Policy, RequiredName


class Fp16StabilityTest(TestingKata):
    """A test of stability in half precision."""

    name = "write_fp16_stability_test"
    title = "A test that finds attention that breaks in half precision"
    group = "testing"
    paper = "Micikevicius et al. 2018"
    asked = "Where does attention overflow in float16, and which of its steps need float32?"
    mask = "that of the attention it is given: `mask` 0 = masked, 1 = attend"
    contract = Contract(
        "write_fp16_stability_test",
        (RequiredName("check_fp16_stability", "function", "(attention)"),),
    )
    policy = Policy(forbidden=frozenset())
    shares = {RUNS: 10, ACCEPTS: 30, REFUSES: 50, NO_TRACE: 10}


KATA = Fp16StabilityTest
