"""A call sets the default dtype to float32, whatever it was."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        torch.set_default_dtype(torch.float32)
        return super().forward(query, key, value, mask, return_attention)
