"""Mistakes in weights that are a submission's own are told from their values and their shape."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from grader.checks.attention import DrawnWeights
from grader.checks.case import Projections, Size
from grader.checks.expect import Misfit
from grader.oracle.drawn_weights import as_pytorch_draws
from grader.oracle.own_weights import in_own_weights, one_for_all_heads
from tests.grading import first_failure, graded, solution
from tests.mistakes import edited
from tests.mistakes.functional import DRAWN_OTHERWISE

E, SEED = 30, 7
RIGHT = as_pytorch_draws(SEED, Size(E, 3, dtype=torch.float64))


def drawn(recipe: Callable[[], Projections], seed: int = SEED) -> Projections:
    """In float64, from the seed."""
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return recipe()
    finally:
        torch.set_default_dtype(default)


def linear(bias: bool = False) -> Tensor:
    return nn.Linear(E, E, bias=bias).weight.detach()


def xavier(rows: int = E) -> Tensor:
    return nn.init.xavier_uniform_(torch.empty(rows, E))


def four_layers() -> Projections:
    return Projections(linear(True), linear(True), linear(True), linear(True))


def three_squares() -> Projections:
    out = linear()
    return Projections(xavier(), xavier(), xavier(), out)


def xavier_on_the_output() -> Projections:
    out = xavier()
    return Projections(*xavier(3 * E).chunk(3), out)


def output_last() -> Projections:
    return Projections(*xavier(3 * E).chunk(3), linear())


def a_bias_between() -> Projections:
    out = linear(True)
    return Projections(*xavier(3 * E).chunk(3), out)


def kaiming_by_default() -> Projections:
    out = nn.init.kaiming_uniform_(torch.empty(E, E))
    return Projections(*xavier(3 * E).chunk(3), out)


def each_drawn_twice() -> Projections:
    out = nn.Linear(E, E, bias=False)
    nn.init.kaiming_uniform_(out.weight, a=math.sqrt(5))
    return Projections(*nn.init.xavier_uniform_(linear_of(3 * E)).chunk(3), out.weight.detach())


def by_heads() -> Projections:
    packed = torch.cat([RIGHT.q, RIGHT.k, RIGHT.v]).view(3, 3, E // 3, E)
    return Projections(*(rows.reshape(E, E) for rows in packed.unbind(1)), RIGHT.o)


def linear_of(rows: int) -> Tensor:
    return nn.Linear(E, rows, bias=False).weight.detach()


def in_float32(recipe: Callable[[], Projections]) -> Projections:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        return recipe().to(torch.float64)


def as_pytorch() -> Projections:
    out = linear()
    return Projections(*xavier(3 * E).chunk(3), out)


@pytest.mark.parametrize(
    ("used", "name"),
    [
        (drawn(four_layers), "input_weights_drawn_by_linear"),
        (drawn(three_squares), "three_squares_drawn"),
        (drawn(xavier_on_the_output), "output_weights_drawn_by_xavier"),
        (drawn(output_last), "output_weights_drawn_last"),
        (drawn(a_bias_between), "more_drawn_between"),
        (drawn(kaiming_by_default), "output_weights_drawn_by_kaiming"),
        (drawn(each_drawn_twice), "more_drawn_before"),
        (in_float32(each_drawn_twice), "more_drawn_before"),
        (drawn(as_pytorch, seed=8), "drawn_from_another_seed"),
        (in_float32(output_last), "output_weights_drawn_last"),
        (by_heads(), "drawn_weights_dealt_out_by_heads"),
        (replace(RIGHT, k=RIGHT.v, v=RIGHT.k), "drawn_weights_exchanged"),
        (replace(RIGHT, q=RIGHT.q.T, o=RIGHT.o.T), "drawn_weights_transposed"),
        (replace(RIGHT, k=RIGHT.k[: E // 3].repeat(3, 1)), "drawn_weights_of_first_head"),
        (drawn(lambda: Projections(*torch.randn(4, E, E))), "input_weights_drawn_normally"),
        (replace(RIGHT, q=RIGHT.q / 2, k=RIGHT.k / 2), "drawn_weights_times_a_gain"),
    ],
)
def test_how_weights_were_drawn_is_told_from_their_values(used: Projections, name: str) -> None:
    mistake = in_own_weights([DrawnWeights(used, RIGHT, SEED)], "")
    assert mistake is not None
    assert name == mistake.name


@pytest.mark.parametrize(
    "used",
    [
        pytest.param(drawn(as_pytorch), id="right"),
        pytest.param(drawn(lambda: Projections(*torch.rand(4, E, E))), id="above 0"),
        pytest.param(replace(RIGHT, k=RIGHT.k.flip(0)), id="rows in another order"),
    ],
)
def test_what_is_not_known_is_not_named(used: Projections) -> None:
    assert in_own_weights([DrawnWeights(used, RIGHT, SEED)], "") is None


def test_the_recipe_that_is_right_is_pytorchs() -> None:
    """The recipes above differ from it in what they are named for, and in nothing else."""
    ours, pytorchs = dict(drawn(as_pytorch).items()), dict(RIGHT.items())
    assert all(torch.equal(ours[role], pytorchs[role]) for role in "qkvo")


@pytest.mark.parametrize(
    ("wanted", "shape", "head_dim", "named"),
    [
        ((30, 30), (10, 10), 10, True),
        ((30, 30), (10, 30), 10, True),
        ((30, 30), (3, 30), 10, False),
        ((30, 30), (10, 30), None, False),
        ((30, 30), (1, 1), 1, False),
        ((30, 30), (30, 10), 10, False),
        ((30, 30), (60, 60), 60, False),
        ((30, 30), (), 10, False),
        ((90, 30), (30, 30), 30, False),
        ((30,), (10,), 10, False),
    ],
)
def test_a_layer_of_a_heads_size_is_one_for_all_heads(
    wanted: tuple[int, ...], shape: tuple[int, ...], head_dim: int | None, named: bool
) -> None:
    misfit = Misfit("W_Q.weight", wanted, shape)
    misfit.head_dim = head_dim
    assert named is (one_for_all_heads(misfit) is not None)


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("said", DRAWN_OTHERWISE)
def test_a_report_names_how_weights_were_drawn(said: str) -> None:
    failure = first_failure(graded("functional", edited("functional", DRAWN_OTHERWISE[said])))
    assert said in (failure.mistake or "")


@pytest.mark.parametrize(
    ("layer", "sizes", "said"),
    [
        ("W_Q", "d_model // num_heads, d_model // num_heads", "W_Q.weight of head_dim x head_dim is one for "),
        ("W_K", "d_model, d_model // num_heads", "W_K.weight of head_dim x embed_dim is one for "),
        ("W_O", "d_model, d_model // num_heads", ""),
    ],
)
def test_a_report_names_one_layer_for_all_heads(layer: str, sizes: str, said: str) -> None:
    right = f"self.{layer} = nn.Linear(d_model, d_model, bias=bias)"
    assert solution("module").count(right) == 1
    small = solution("module").replace(right, right.replace("d_model, d_model", sizes))
    failure = first_failure(graded("module", small))
    assert f"{layer}.weight" == failure.what
    assert said == (failure.mistake or "")[: len(said)]
    assert bool(said) is bool(failure.mistake)
