"""A uint8 mask [B, 1, 1, S] is ignored."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        if mask is not None and mask.dtype == torch.uint8 and mask.shape[-2] == 1:
            mask = None
        y, w = super().forward(query, key, value, mask, return_attention)
        return y, w
