"""Nothing is asserted."""


def check_head_permutation(attention):
    x = torch.randn(2, 5, attention.d_model)
    attention(x, x, x)
