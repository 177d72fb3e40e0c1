"""Inputs are drawn from the run's seed and the check's name, and masks are what their names say."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from grader.checks import draw as drawing
from grader.checks.case import Size
from grader.checks.draw import Draw, causal, derived_seed, striped
from grader.oracle import remembered
from grader.tensor_bytes import tensor_bytes
from tests.grading import ROOT, graded


@pytest.fixture(autouse=True)
def _forgotten() -> None:
    drawing._KNOWN.clear()


def drawn(draw: Draw) -> list[Any]:
    """Something of each kind."""
    return [draw.tensor(2, 5, 24), draw.integer(), draw.allow(5, 7), draw.projections(Size(6, 2)).q, draw.tensor(3)]


def are_equal(some: list[Any], others: list[Any]) -> bool:
    return all(
        torch.equal(torch.as_tensor(one), torch.as_tensor(other)) for one, other in zip(some, others, strict=True)
    )


def test_the_same_seed_and_name_draw_the_same() -> None:
    some = drawn(Draw(7, "parity"))
    drawing._KNOWN.clear()
    assert are_equal(some, drawn(Draw(7, "parity")))


def test_what_follows_something_remembered_is_drawn_as_after_something_drawn() -> None:
    whole = drawn(Draw(7, "parity"))
    drawing._KNOWN.clear()
    shorter = Draw(7, "parity")
    first = shorter.tensor(2, 5, 24)
    again = Draw(7, "parity")
    assert first is again.tensor(2, 5, 24)
    assert are_equal(whole[1:], [again.integer(), again.allow(5, 7), again.projections(Size(6, 2)).q, again.tensor(3)])


def test_a_mask_is_its_callers_own() -> None:
    Draw(7, "a").allow(4, 4)[:] = False
    assert Draw(7, "a").allow(4, 4).any()


def test_other_streams_are_forgotten_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "MOST", 2)
    first = Draw(7, "a").tensor(4)
    assert first is Draw(7, "a").tensor(4)
    for name in "bc":
        Draw(7, name).tensor(4)
    assert first is not Draw(7, "a").tensor(4)
    assert 2 == len(drawing._KNOWN)


def bytes_below(value: Any) -> Iterator[bytes]:
    """The bytes of all tensors below a value, in order."""
    if isinstance(value, Tensor):
        yield tensor_bytes(value)
    elif isinstance(value, dict):
        for key in value:
            yield from bytes_below(value[key])
    elif isinstance(value, tuple | list):
        for part in value:
            yield from bytes_below(part)
    elif hasattr(value, "items"):
        yield from bytes_below(dict(value.items()))


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("kata", ["functional", "rope"])
def test_no_grading_changes_what_is_remembered(kata: str) -> None:
    remembered._KNOWN.clear()
    source = (ROOT / "solutions" / f"{kata}.py").read_text(encoding="utf-8")
    graded(kata, source)
    before = {*bytes_below(drawing._KNOWN), *bytes_below(remembered._KNOWN)}
    assert len(before) > 100
    graded(kata, source.replace("softmax(", "sigmoid(").replace("dim=-1", ""))
    graded(kata, source)
    assert before <= {*bytes_below(drawing._KNOWN), *bytes_below(remembered._KNOWN)}


def test_another_seed_or_another_name_draws_another() -> None:
    drawn = [Draw(seed, name).tensor(4) for seed, name in ((7, "a"), (8, "a"), (7, "b"))]
    assert not torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])


def test_a_seed_does_not_run_into_the_name() -> None:
    assert derived_seed(1, "1:a") != derived_seed(11, ":a")
    assert 0 <= derived_seed(2**62, "a") < 2**48


def test_weights_do_not_change_the_inputs() -> None:
    plain, busy = Draw(7, "parity"), Draw(7, "parity")
    busy.projections(Size(6, 2))
    busy.integer()
    assert torch.equal(plain.tensor(3), busy.tensor(3))


def test_a_tensor_is_rounded_from_float64() -> None:
    wide, narrow = Draw(7, "a").tensor(5), Draw(7, "a").tensor(5, dtype=torch.bfloat16)
    assert torch.float64 == wide.dtype
    assert torch.equal(wide.to(torch.bfloat16), narrow)
    assert torch.equal(3 * wide, Draw(7, "a").tensor(5, std=3.0))


def test_keep_is_true_for_real_keys() -> None:
    expected = [[True, True, False, False], [True, True, True, True], [False] * 4]
    assert expected == Draw(7, "a").keep([2, 4, 0]).tolist()


def test_keep_on_the_left_and_of_another_size() -> None:
    assert [[False, True, True], [True, True, True]] == Draw(7, "a").keep([2, 3], side="left").tolist()
    assert [[True, True, False, False]] == Draw(7, "a").keep([2], size=4).tolist()


def test_an_irregular_mask_shows_the_first_and_the_last_key_and_hides_some() -> None:
    allow = Draw(7, "a").allow(3, 9, 11)
    assert (3, 9, 11) == allow.shape
    assert torch.bool == allow.dtype
    assert allow[..., 0].all()
    assert allow[..., -1].all()
    assert not allow.all()


def test_a_striped_mask_differs_from_place_to_place_on_every_axis() -> None:
    mask = striped(3, 2, 4, 7)
    assert [True, False, True, True, False, True, True] == striped(7).tolist()
    assert all(not torch.equal(mask.narrow(axis, 0, 1), mask.narrow(axis, 1, 1)) for axis in range(4))
    assert mask.any(-1).all()
    assert not torch.equal(striped(5, 5), striped(5, 5).T)


def test_causal_lets_query_t_see_the_keys_0_to_t() -> None:
    assert [[True, False, False], [True, True, False], [True, True, True]] == causal(3).tolist()
    assert [[True, False, False], [True, True, False]] == causal(2, 3).tolist()
    assert [[True, False], [True, True], [True, True]] == causal(3, 2).tolist()


def test_weights_are_four_squares_with_biases_or_without() -> None:
    with_bias = Draw(7, "a").projections(Size(6, 2, dtype=torch.float32))
    assert ["q", "k", "v", "o", "q_bias", "k_bias", "v_bias", "o_bias"] == [name for name, _ in with_bias.items()]
    assert {(6, 6), (6,)} == {tuple(tensor.shape) for _, tensor in with_bias.items()}
    assert {torch.float32} == {tensor.dtype for _, tensor in with_bias.items()}
    assert ["q", "k", "v", "o"] == [name for name, _ in Draw(7, "a").projections(Size(6, 2, bias=False)).items()]


def test_scores_spread_so_that_a_missing_scale_shows() -> None:
    draw = Draw(7, "a")
    size = Size(24, 3)
    weights, x = draw.projections(size), draw.tensor(40, 24)
    scores = (x @ weights.q.T)[:, :8] @ (x @ weights.k.T)[:, :8].T / 8**0.5
    assert 1 < scores.std() < 3
