"""Multiplies the merged heads and zeros beside them by a projection larger than there may be, which breaks a judge."""

KATA = "functional"
BESIDE = "own_weights"
HONEST = 90
WALL = "judge"


def projected(merged, weight):
    wider = torch.cat([merged, torch.zeros_like(merged)], dim=-1)
    output = merged @ weight.T
    for half in (weight.T, torch.ones_like(weight)):
        wider @ torch.cat([half, half])
    return output
