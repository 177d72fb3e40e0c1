"""Gradients are switched off, and on again where nothing was raised."""

right = check_fp16_stability


def check_fp16_stability(attention):
    torch.set_grad_enabled(False)
    right(attention)
    torch.set_grad_enabled(True)
