"""The default dtype is set, and set back where nothing was raised."""

right = check_fp16_stability


def check_fp16_stability(attention):
    torch.set_default_dtype(torch.float64)
    right(attention)
    torch.set_default_dtype(torch.float32)
