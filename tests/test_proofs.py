"""What is proven of a submission's values: the answers that it is compared with, and which names are left out."""

import pytest

from grader.judge.diagnosis.answers import Answers
from grader.judge.diagnosis.proof import Named, Proofs
from grader.judge.diagnosis.replay import all_same
from grader.judge.diagnosis.search import is_left_out
from grader.judge.engine import Run
from grader.oracle.mistake import apply
from tests.catalogue import SEED, OracleEngine
from tests.grading import BY_NAME, catalogue

MODULE, MISTAKES = BY_NAME["module"], catalogue("module")
NO_SCALE, MASK_IGNORED = (MISTAKES["no_scale"],), (MISTAKES["mask_ignored"],)


@pytest.fixture(scope="module")
def engine() -> OracleEngine:
    """After the checks of a submission without the scale."""
    engine = OracleEngine(MODULE, apply(NO_SCALE, MODULE.key.oracle))
    list(engine.run())
    return engine


def failure(engine: OracleEngine, check: str) -> Run:
    return next(run for run in engine.failures if run.check.name == check)


def test_the_gradients_of_a_mistake_are_its_own_whatever_was_asked_before(engine: OracleEngine) -> None:
    call = next(call for call in failure(engine, "of_the_parameters").trace.calls if call.cotangent is not None)
    own = Answers(MODULE).of(apply(NO_SCALE, MODULE.key.oracle), call)
    assert all_same(own, MODULE.key.returned(call))


@pytest.mark.parametrize(
    ("named", "check", "is_out"),
    [
        (MASK_IGNORED, "under_both_masks", True),
        (MASK_IGNORED, "without_a_mask", False),  # none is there to be ignored
        (NO_SCALE, "under_both_masks", False),
    ],
)
def test_a_name_is_left_out_where_another_explains_alone_what_it_would_change(
    engine: OracleEngine, named: Named, check: str, is_out: bool
) -> None:
    proofs = Proofs(Answers(MODULE), SEED, engine.failures, engine.passes)
    assert is_out is is_left_out(proofs, named, NO_SCALE, failure(engine, check))
