"""The default dtype is float64 afterwards."""

right = check_fp16_stability


def check_fp16_stability(attention):
    right(attention)
    torch.set_default_dtype(torch.float64)
