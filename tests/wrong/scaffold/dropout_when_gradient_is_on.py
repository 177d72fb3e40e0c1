"""Dropout follows torch.is_grad_enabled in place of the layer's mode."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        training = self.dropout.training
        self.dropout.train(torch.is_grad_enabled())
        answer = super().forward(
            x, kv, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=need_weights
        )
        self.dropout.train(training)
        return answer
