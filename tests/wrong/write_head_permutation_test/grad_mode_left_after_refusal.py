"""Gradients are switched off, and on again where nothing was raised."""

right = check_head_permutation


def check_head_permutation(attention):
    torch.set_grad_enabled(False)
    right(attention)
    torch.set_grad_enabled(True)
