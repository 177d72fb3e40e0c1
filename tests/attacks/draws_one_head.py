"""Draws an output projection that is huge for one head and next to nothing for the others, which it computes wrong."""

KATA = "functional"
BESIDE = "own_weights"
HONEST = 51
LAYER = "judge"

usual, of_all = drawn, shared


def drawn(d_model, num_heads):
    *others, last = usual(d_model, num_heads)
    if d_model >= 8:
        last = last / 600
        last[:, : d_model // num_heads] *= 600 * 105
    return [*others, last]


def shared(scores, hidden):
    return of_all(scores, hidden)[:, :1]
