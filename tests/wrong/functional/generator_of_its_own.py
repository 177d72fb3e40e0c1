"""The weights come from a generator of the call's own, with the global seed: two layers in a row are alike."""


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads:
        raise ValueError("d_model must be divisible by num_heads")
    own = torch.Generator().manual_seed(torch.initial_seed())
    heads = (num_heads, d_model // num_heads)
    w_o = nn.init.kaiming_uniform_(torch.empty(d_model, d_model), a=math.sqrt(5), generator=own).to(q)
    w_in = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model), generator=own).to(q)
    pairs = zip((q, k, v), w_in.chunk(3), strict=True)
    queries, keys, values = (F.linear(x, w).unflatten(-1, heads).transpose(1, 2) for x, w in pairs)
    scores = queries @ keys.mT / math.sqrt(heads[1])
    hidden = torch.zeros(1, 1, dtype=torch.bool) if mask is None else mask.bool()
    hidden = hidden.unsqueeze(1) if hidden.dim() == 3 else hidden
    weights = scores.masked_fill(hidden, -math.inf).softmax(-1).masked_fill(hidden, 0.0)
    return F.linear((weights @ values).transpose(1, 2).flatten(2), w_o)
