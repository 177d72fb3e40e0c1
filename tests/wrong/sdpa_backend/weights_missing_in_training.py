"""In train mode no weights are returned."""

right = FlashMultiHeadAttention


class FlashMultiHeadAttention(right):
    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        wanted = return_attention and not self.training
        return super().forward(query, key, value, mask, is_causal, wanted)
