"""nn.MultiheadAttention's function, which calls SDPA: it is forbidden."""


class FlashMultiHeadAttention(FlashMultiHeadAttention):
    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        allowed = self._allowed(mask, is_causal, query.shape[1], key.shape[1])
        if allowed is not None:
            allowed = ~allowed.expand(len(query), self.num_heads, query.shape[1], key.shape[1]).flatten(0, 1)
        output, weights = F.multi_head_attention_forward(
            *(x.transpose(0, 1) for x in (query, key, value)),
            query.shape[-1],
            self.num_heads,
            torch.cat([self.W_Q.weight, self.W_K.weight, self.W_V.weight]),
            None if self.W_Q.bias is None else torch.cat([self.W_Q.bias, self.W_K.bias, self.W_V.bias]),
            None,
            None,
            False,
            self.dropout,
            self.W_O.weight,
            self.W_O.bias,
            training=self.training,
            attn_mask=allowed,
            need_weights=return_attention,
            average_attn_weights=False,
        )
        return output.transpose(0, 1), weights
