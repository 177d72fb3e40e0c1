"""Interface: what a layer of four projections is when it is made: start values, and what it says of itself."""

from itertools import combinations, product

from grader.checks import expect, tiers
from grader.checks.attention import MakeAttention
from grader.checks.draw import Draw

LAYERS = ("W_Q.weight", "W_K.weight", "W_V.weight", "W_O.weight")


def weights_start_xavier_uniform(attention: MakeAttention, draw: Draw) -> None:
    """At construction, with bias and without, the weights fill the Xavier-uniform range, each drawn by itself."""
    initial = attention(embed_dim=54, num_heads=3).initial_values(draw)
    bare = attention(embed_dim=54, num_heads=3, dropout=0.3, bias=False)
    without = bare.initial_values(draw, answers=False)  # its answer is for the check of layers without bias
    bound = (6 / (54 + 54)) ** 0.5
    for values, path in product((initial, without), LAYERS):
        weight = expect.tensor(path, values.get(path))
        expect.shape(path, weight, E=54, E_=54)
        expect.at_least(f"Xavier's bound {bound:.4f} minus abs({path})", bound - weight.abs(), -1e-6)
        # Uniform on +-bound has the standard deviation bound / sqrt(3); 2916 draws spread it by 1 %.
        spread = expect.Tolerance(0.1 * bound, 0.0)
        expect.close(f"standard deviation of {path}", weight.std(), bound / 3**0.5, spread)
        # The largest of 2916 draws falls short of 99 % of the bound once in 10^10 times.
        expect.close(f"largest of abs({path})", weight.abs().max(), bound, expect.Tolerance(0.01 * bound, 0.0))
    for first, second in combinations(LAYERS, 2):
        expect.differ(second, initial[second], initial[first], f"than {first}")
    second_layer = attention(embed_dim=54, num_heads=3).initial_values(draw)
    expect.differ(LAYERS[0], second_layer[LAYERS[0]], initial[LAYERS[0]], "in a second layer")


def biases_start_at_zero(attention: MakeAttention, draw: Draw) -> None:
    """At construction the biases are zero."""
    initial = attention(embed_dim=18, num_heads=3).initial_values(draw)
    for path in ("W_Q.bias", "W_K.bias", "W_V.bias", "W_O.bias"):
        expect.shape(path, initial.get(path), E=18)
        expect.zero(path, initial[path])


def extra_repr_names_the_sizes(attention: MakeAttention, draw: Draw) -> None:
    """extra_repr names d_model, num_heads, dropout and bias with their values."""
    for dropout_p, bias in ((0.25, False), (0.0, True)):
        mha = attention(embed_dim=18, num_heads=3, dropout=dropout_p, bias=bias)
        said = expect.text("extra_repr()", mha.helper("extra_repr"))
        parts = said.replace(" ", "").split(",")
        for part in ("d_model=18", "num_heads=3", f"dropout={dropout_p}", f"bias={bias}"):
            expect.equal(f"{part} in extra_repr", part if part in parts else said or "an empty string", part)


XAVIER = tiers.public(
    tiers.INTERFACE(weight=2)(weights_start_xavier_uniform),
    tiers.INTERFACE()(biases_start_at_zero),
    tiers.INTERFACE()(extra_repr_names_the_sizes),
)
"""Of a contract with W_Q, W_K, W_V, W_O that start Xavier-uniform, biases at zero, and an `extra_repr`."""
