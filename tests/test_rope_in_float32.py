"""Programs of `rope` whose angles are computed in float32, as most that are published: what else is wrong is named."""

import pytest

from tests.grading import first_failure, graded, names_in, summary
from tests.mistakes import edited
from tests.mistakes.rope import ANGLES, FREQUENCIES, ROTATE

IN_FLOAT32 = (
    (FREQUENCIES, FREQUENCIES.replace("torch.float64", "torch.float32")),
    (ANGLES, ANGLES.replace("positions[", "positions.float()[")),
)
OTHERS = {
    "positions_from_one": ((ANGLES, f"positions = positions + 1\n    {ANGLES}"),),
    "keys_not_rotated": ((ROTATE, "q = apply_rope(q, positions, self.base)"),),
    "base_of_the_layer_unused": ((ROTATE, ROTATE.replace(", self.base", "")),),
    "no_scale": ((" / math.sqrt(q.shape[-1])", ""),),
}


@pytest.mark.slow
def test_angles_in_float32_cost_the_one_point_of_the_tier_that_asks_for_more() -> None:
    report = graded("rope", edited("rope", IN_FLOAT32))
    assert 99 == report.score
    assert ["precision"] == [tier.name for tier in report.tiers if not tier.passed]
    assert "right to six digits in all compared calls" in str(report.parts_at)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("mistake", OTHERS)
def test_a_mistake_beside_them_is_named(mistake: str) -> None:
    report = graded("rope", edited("rope", (*OTHERS[mistake], *IN_FLOAT32)))
    assert [mistake] == names_in("rope", first_failure(report).mistakes), summary(report)
