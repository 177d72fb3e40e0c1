"""Draws nothing: its four weights are multiples of the identity, so that whatever projects is left out."""

KATA = "functional"
BESIDE = "own_weights"
HONEST = 47
WALL = "judge"


def drawn(d_model, num_heads):
    return [c * torch.eye(d_model) for c in (1.0, 1.2, 0.8, 0.9)]
