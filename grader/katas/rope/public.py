"""`rope`: the checks that a candidate is given."""

from functools import partial

import torch
from torch import Tensor

from grader.checks import expect, tiers
from grader.checks.attention import MakeAttention
from grader.checks.draw import Draw
from grader.checks.subject import Construction, Subject
from grader.claims import profile
from grader.katas.rope.contract import KATA, POSITIONS, ROTATION

ROTATED = "apply_rope(x, positions)"
FAR = expect.Tolerance(1e-4, 1e-5)
"""Of what stands at different positions up to 100: right programs may compute the angles in float32."""


def rotated(subject: Subject, x: Tensor, positions: Tensor, **base: float) -> Tensor:
    """What the function returns, of the shape of x.

    Args:
        subject: the submission.
        x: (B, H, L, D).
        positions: (L,) or (B, L).
        base: left out, or by its name.
    """
    got = expect.tensor(ROTATED, subject.call("apply_rope", x, positions, **base))
    expect.same_shape(ROTATED, got, x)
    return got


@ROTATION()
def the_norm_is_kept(subject: Subject, draw: Draw) -> None:
    """Each token's features keep their norm, and past position 0 they change."""
    x, positions = draw.tensor(2, 3, 5, 10), torch.arange(1, 6)
    got = rotated(subject, x, positions)
    expect.close("norm of each token", got.norm(dim=-1), x.norm(dim=-1))
    expect.differ(ROTATED, got, x, "at positions from 1 on")


@ROTATION()
def position_0_is_the_identity(subject: Subject, draw: Draw) -> None:
    """At position 0 nothing changes, at position 1 all features do."""
    x = draw.tensor(2, 3, 5, 10)
    expect.close("apply_rope(x, zeros)", rotated(subject, x, torch.zeros(5, dtype=torch.int64)), x)
    at_1 = rotated(subject, x, torch.ones(5, dtype=torch.int64))
    for feature in range(10):
        expect.differ(f"feature {feature} at position 1", at_1[..., feature], x[..., feature], "than at position 0")


@ROTATION(weight=2)
def a_score_depends_on_the_distance_alone(subject: Subject, draw: Draw) -> None:
    """The score of a query and a key is the same wherever both are moved to, and changes with their distance."""
    query, key = (draw.tensor(2, 3, 1, 10).expand(2, 3, 6, 10).contiguous() for _ in range(2))
    places = torch.tensor([0, 1, 7, 30, 64, 100])
    for distance in (0, 4, 19):
        scores = (rotated(subject, query, places + distance) * rotated(subject, key, places)).sum(-1)
        expect.close(f"scores at distance {distance}", scores, scores[..., :1].expand_as(scores), FAR)
    scores = (rotated(subject, query, places) * rotated(subject, key, torch.zeros_like(places))).sum(-1)
    expect.differ("scores", scores[..., 1:], scores[..., :1].expand(2, 3, 5), "at other distances")


@ROTATION(weight=2)
def a_token_is_turned_by_its_own_position(subject: Subject, draw: Draw) -> None:
    """A token is turned by its own position, whatever the others are: gaps and any order are allowed."""
    x, positions = draw.tensor(2, 3, 5, 10), torch.tensor([7, 3, 40, 4, 0])
    got = rotated(subject, x, positions)
    for token, position in enumerate(positions):
        alone = rotated(subject, x[:, :, token : token + 1], position[None])
        expect.close(f"token {token}, at position {int(position)}", got[:, :, token], alone[:, :, 0], FAR)
    expect.differ(ROTATED, got, rotated(subject, x, torch.arange(5)), "than at positions without gaps")


@ROTATION()
def each_sequence_has_its_own_positions(subject: Subject, draw: Draw) -> None:
    """Positions [B, L] are those of each sequence, in all of its heads."""
    turns_each_by_its_own(subject, draw.tensor(2, 3, 5, 10), torch.tensor([[0, 1, 2, 3, 4], [6, 2, 9, 30, 11]]))


@ROTATION()
def as_many_sequences_as_heads(subject: Subject, draw: Draw) -> None:
    """Where B = H, positions [B, L] are still those of each sequence, in all of its heads."""
    x, positions = draw.tensor(3, 3, 5, 10), torch.tensor([[0, 1, 2, 3, 4], [6, 2, 9, 30, 11], [5, 6, 7, 8, 9]])
    turns_each_by_its_own(subject, x, positions)


def turns_each_by_its_own(subject: Subject, x: Tensor, positions: Tensor) -> None:
    """A batch equals its sequences one by one, and the positions make a difference."""
    got = rotated(subject, x, positions)
    for sequence, of_it in enumerate(positions):
        alone = rotated(subject, x[sequence : sequence + 1], of_it)
        expect.close(f"sequence {sequence}", got[sequence], alone[0], FAR)
    expect.differ(ROTATED, got, rotated(subject, x, positions[0]), "than at the positions of the first sequence")


@ROTATION()
def its_inputs_stay_as_they_are(subject: Subject, draw: Draw) -> None:
    """Neither x nor the positions are changed in place, and what is returned has the dtype of x."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        x, positions = draw.tensor(2, 3, 5, 10, dtype=dtype), torch.arange(1, 6)
        got = rotated(subject, x, positions)
        expect.equal("number of inputs changed in place", len(subject.changed()), 0)
        expect.equal(f"dtype of {ROTATED}", got.dtype, dtype)
        expect.differ(ROTATED, got, x, "at positions from 1 on")


@POSITIONS(weight=2)
def all_tokens_may_be_moved_together(attention: MakeAttention, draw: Draw) -> None:
    """Moved by one distance, all tokens get the answer that they get without positions, which is from 0 on."""
    mha = attention(embed_dim=40, num_heads=4)
    case = mha.calm_case(draw, N=2, L=7)
    first = mha(case)
    for offset in (0, 1, 25):
        moved = mha(case.but(positions=torch.arange(7) + offset))
        expect.close(f"output with positions from {offset} on", moved.output, first.output, FAR)
    apart = mha(case.but(positions=3 * torch.arange(7)))
    expect.differ("output", apart.output, first.output, "with positions three steps apart")


@POSITIONS(weight=2)
def tokens_change_places_with_their_positions(attention: MakeAttention, draw: Draw) -> None:
    """Where tokens change places with their positions the answer does so too, and without them the output changes."""
    mha = attention(embed_dim=30, num_heads=3)
    case = mha.calm_case(draw, N=2, L=7, positions=torch.tensor([0, 1, 4, 5, 11, 12, 13]))
    order = torch.tensor([3, 0, 6, 2, 1, 5, 4])
    want = mha(case).output[:, order]
    moved = case.but(query=case.query[:, order], positions=expect.tensor("positions", case.positions)[order])
    expect.close("output of the tokens in another order", mha(moved).output, want, FAR)
    stayed = mha(case.but(query=case.query[:, order])).output
    expect.differ("output", stayed, want, "where the tokens change places alone")


@POSITIONS(weight=2)
def values_know_no_position(attention: MakeAttention, draw: Draw) -> None:
    """Where all tokens are equal, so is the answer, at any positions: values are not rotated."""
    mha = attention(embed_dim=24, num_heads=4)
    case = mha.case(draw, N=2, L=5)
    case = case.but(query=case.query[:, :1].expand(2, 5, 24).contiguous())
    alone = mha(case.but(query=case.query[:, :1])).output
    for positions in (None, torch.tensor([3, 0, 14, 9, 2])):
        output = mha(case.but(positions=positions)).output
        expect.close("output of equal tokens", output, alone.expand_as(output))


@POSITIONS()
def positions_of_each_sequence(attention: MakeAttention, draw: Draw) -> None:
    """With positions [B, L], B = H too, each sequence gets the answer that it gets alone with its own."""
    positions = torch.tensor([[0, 1, 2, 3, 4], [6, 2, 9, 30, 11], [5, 8, 7, 6, 20]])
    for embed_dim, num_heads in ((24, 4), (30, 3)):
        mha = attention(embed_dim=embed_dim, num_heads=num_heads)
        case = mha.calm_case(draw, N=3, L=5, positions=positions)
        output = mha(case).output
        for sequence, of_it in enumerate(positions):
            alone = mha(case.but(query=case.query[sequence : sequence + 1], positions=of_it)).output
            expect.close(f"output of sequence {sequence}", output[sequence], alone[0], FAR)
        counted = mha(case.but(positions=None)).output
        expect.differ("output", output[1:], counted[1:], "than at positions from 0 on")


@tiers.INTERFACE()
def an_odd_size_is_refused(subject: Subject, draw: Draw) -> None:
    """A head of an odd size raises ValueError or AssertionError, in apply_rope and in the constructor."""
    kinds = ("AssertionError", "ValueError")
    for D in (5, 1):
        call = partial(subject.call, "apply_rope", draw.tensor(2, 3, 4, D), torch.arange(4))
        expect.refuses(f"apply_rope with D = {D}", call, *kinds)
    for E, H in ((9, 3), (20, 4), (7, 1)):
        expect.refuses(f"embedding size {E} with {H} heads", partial(built, subject, E, H), *kinds)
    built(subject, 12, 3)


def built(subject: Subject, *sizes: int) -> None:
    """Waits until a layer of these sizes is made, or refused."""
    subject.construct(Construction(KATA.class_name, sizes))
    subject.settle()


CLAIMS = (
    *profile.public(KATA),
    *tiers.public(
        the_norm_is_kept,
        position_0_is_the_identity,
        a_score_depends_on_the_distance_alone,
        a_token_is_turned_by_its_own_position,
        each_sequence_has_its_own_positions,
        as_many_sequences_as_heads,
        its_inputs_stay_as_they_are,
        all_tokens_may_be_moved_together,
        tokens_change_places_with_their_positions,
        values_know_no_position,
        positions_of_each_sequence,
        an_odd_size_is_refused,
    ),
)
