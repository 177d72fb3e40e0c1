"""-100 is filled in before the scores are scaled."""


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads:
        raise ValueError("num_heads must divide d_model")
    w_o = nn.init.kaiming_uniform_(torch.empty(d_model, d_model), a=math.sqrt(5)).to(q)
    w_in = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model)).to(q)
    heads = (num_heads, d_model // num_heads)
    Q, K, V = (
        F.linear(x, w).unflatten(-1, heads).transpose(1, 2) for x, w in zip((q, k, v), w_in.chunk(3), strict=True)
    )
    scores = Q @ K.mT
    if mask is not None:
        mask = mask.bool()[:, None] if mask.dim() == 3 else mask.bool()
        scores = scores.masked_fill(mask, -100.0)
    return F.linear(((scores / heads[1] ** 0.5).softmax(-1) @ V).transpose(1, 2).flatten(2), w_o)
