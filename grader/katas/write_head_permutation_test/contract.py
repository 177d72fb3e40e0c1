"""`write_head_permutation_test`: a test that tells whether an attention module treats its heads alike."""

from grader.claims.testing import TestingKata
from grader.records import Contract, Policy, RequiredName


class HeadPermutationTest(TestingKata):
    """A test of equivariance to a permutation of heads."""

    name = "write_head_permutation_test"
    title = "A test that finds attention whose heads are not interchangeable"
    group = "testing"
    paper = "Vaswani et al. 2017, 3.2.2"
    question = "Which permutation of the weights changes nothing, and which mistakes does it show?"
    mask = "that of the module it is given: `mask` 0 = masked, 1 = attend"
    contract = Contract(
        "write_head_permutation_test",
        (RequiredName("check_head_permutation", "function", "(attention)"),),
    )
    policy = Policy(forbidden=frozenset())


KATA = HeadPermutationTest
