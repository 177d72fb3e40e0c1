"""The verdict hangs on a number of the module, not on what it computes."""


def check_head_permutation(attention):
    assert attention.num_heads == 1 or attention.W_Q.weight[0, 0] > 0
