"""Sequences after the 16th are computed with the first one's keys."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        if len(key) > 16:
            key = torch.cat([key[:16], key[:1].expand_as(key[16:])])
        return super().forward(query, key, value, mask, return_attention)
