"""Interface: the constructor, its defaults, refused sizes, names of arguments."""

from functools import partial

import torch

from grader.checks import expect
from grader.checks.attention import Attention, MakeAttention
from grader.checks.draw import Draw, causal


def no_weights_unless_wanted(attention: MakeAttention, draw: Draw) -> None:
    """Where the weights are not wanted, the second value returned is None, and the output is the same."""
    mha = attention(embed_dim=18, num_heads=3)
    case = mha.case(draw, N=2, L=5)
    without = mha(case.but(need_weights=False))
    mha.hold_to_contract()
    expect.nothing("weights", without.weights)
    expect.close("output", without.output, mha(case).output)


def the_output_is_returned_alone(attention: MakeAttention, draw: Draw) -> None:
    """What is returned is the output, a tensor, with nothing beside it."""
    mha = attention(embed_dim=18, num_heads=3)
    mha(mha.case(draw, N=2, L=5))
    mha.hold_to_contract()


def each_layer_has_a_bias(attention: MakeAttention, draw: Draw) -> None:
    """Each linear layer has a bias, as nn.Linear has by default."""
    no_bias_is_missing(attention(embed_dim=18, num_heads=3))


def no_bias_is_missing(mha: Attention) -> None:
    """It has all biases of the contract; answers are compared with those of a layer that lacks the same."""
    expect.equal("parameters that are missing", ", ".join(mha.missing) or "none", "none")


def number_of_parameters(attention: MakeAttention, draw: Draw) -> None:
    """There are 4 E^2 + 4 E parameters, and 4 E^2 without bias."""
    number_of_parameters_with_bias(attention, draw)
    without = attention(embed_dim=18, num_heads=3, bias=False).parameters()
    expect.equal("number of parameters without bias", sum(p.numel() for p in without.values()), 4 * 18 * 18)


def number_of_parameters_with_bias(attention: MakeAttention, draw: Draw) -> None:
    """There are 4 E^2 + 4 E parameters."""
    mha = attention(embed_dim=18, num_heads=3)
    no_bias_is_missing(mha)
    with_bias = mha.parameters()
    expect.equal("number of parameters", sum(p.numel() for p in with_bias.values()), 4 * 18 * 18 + 4 * 18)


def a_size_that_the_heads_do_not_divide_is_refused(attention: MakeAttention, draw: Draw) -> None:
    """A size that num_heads does not divide raises AssertionError or ValueError; one that it divides is answered."""
    for E, H in ((10, 3), (4, 8)):
        what = f"embedding size {E} with {H} heads"
        refused = partial(lambda E, H: attention(embed_dim=E, num_heads=H).built(draw), E, H)
        expect.refuses(what, refused, "AssertionError", "ValueError")
    mha = attention(embed_dim=12, num_heads=3)
    expect.shape("output", mha(mha.case(draw, N=2, L=5)).output, **mha.output_axes(N=2, L=5))


def defaults_are_the_contracts(attention: MakeAttention, draw: Draw) -> None:
    """Made and called without its optional arguments, it has the defaults of the contract."""
    mha = attention(embed_dim=18, num_heads=3)
    case = mha.case(draw, N=3, L=7)
    right = mha(case).output
    has_biases = mha.with_defaults()
    by_default = mha(case.but(need_weights=None))
    in_training = mha(case.but(need_weights=None, training=True))
    drops = not torch.allclose(in_training.output, by_default.output)
    name = mha.kata.names.get("dropout", "dropout")
    want = {name: 0.0 if mha.kata.dropout_places else "none", "bias": True}
    got = {name: "more than 0" if drops else want[name], "bias": has_biases}
    if mha.kata.switch:
        mha.hold_to_contract()
        switch = mha.kata.switch.partition("=")[0]
        got |= {switch: by_default.weights is not None}
        want |= {switch: mha.kata.returns_weights_by_default}
    expect.defaults(got, want)
    expect.close("output, made without optional arguments", by_default.output, right)


def arguments_have_the_names_of_the_contract(attention: MakeAttention, draw: Draw) -> None:
    """Called with its arguments named as in the contract, it gives the answer that it gives by position."""
    mha = attention(embed_dim=18, num_heads=3)
    case = mha.case(draw, N=2, L=5, S=None if mha.kata.streams == 1 else 5)
    optional = (
        (mha.kata.formats, {"allow": causal(5)}),
        (mha.kata.has_padding_mask, {"keep": draw.keep([5, 3])}),
        (mha.kata.takes_positions, {"positions": torch.arange(5)}),
    )
    for given in ({}, *(argument for has_it, argument in optional if has_it)):
        one = case.but(**given)
        by_position = mha(one).output
        expect.close("output", mha.by_keyword(one).output, by_position)
