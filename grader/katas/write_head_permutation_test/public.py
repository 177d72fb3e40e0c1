"""`write_head_permutation_test`: the checks that a candidate is given."""

import torch
from torch import Tensor

from grader.checks import expect, tiers
from grader.checks.draw import Draw
from grader.checks.subject import Implementation, Subject
from grader.claims.testing import REFUSAL, RUNS, try_test

TEST = "check_head_permutation"
HEADS, HEAD_DIM = 5, 3


def mean_of_all_keys(draw: Draw, shares: Tensor) -> Implementation:
    """A module of the contract in which every key has the same weight, computed so that permuted heads do not round.

    Args:
        draw: of its parameters.
        shares: by which each head's answer counts, (H,).
    """
    size = HEADS * HEAD_DIM
    layers = {
        name: (draw.tensor(size, size).float(), draw.tensor(size).float()) for name in ("W_Q", "W_K", "W_V", "W_O")
    }

    def run(
        parameters: dict[str, Tensor],
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        return_attention: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        exact = {path: tensor.double() for path, tensor in parameters.items()}
        means = value.double().mean(1, keepdim=True) @ exact["W_V.weight"].T + exact["W_V.bias"]
        weighed = means * shares.repeat_interleave(HEAD_DIM).double()
        output = (weighed @ exact["W_O.weight"].T + exact["W_O.bias"]).to(query.dtype)
        alike = torch.full((len(query), HEADS, query.size(1), key.size(1)), 1 / key.shape[1], dtype=query.dtype)
        return output.expand(query.shape), alike if return_attention else None

    return Implementation(run, layers, {"d_model": size, "num_heads": HEADS})


@RUNS()
def a_mean_of_all_keys_is_accepted(subject: Subject, draw: Draw) -> None:
    """An attention in which every key has the same weight treats its heads alike: what is returned is None."""
    given = mean_of_all_keys(draw, torch.ones(HEADS))
    expect.nothing("what is returned", try_test(subject, TEST, given).value)


@RUNS()
def heads_that_count_by_their_number_are_refused(subject: Subject, draw: Draw) -> None:
    """Where the first head counts once, the second twice and so on, AssertionError is raised."""
    given = mean_of_all_keys(draw, torch.arange(1.0, HEADS + 1))
    expect.refuses("heads that count by their number", lambda: try_test(subject, TEST, given), REFUSAL)


CLAIMS = tiers.public(a_mean_of_all_keys_is_accepted, heads_that_count_by_their_number_are_refused)
