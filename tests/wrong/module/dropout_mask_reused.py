"""What the first training call of a shape drops is dropped in all later ones."""


class MultiHeadAttention(MultiHeadAttention):
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        _, weights = super()._scaled_dot_product_attention(Q, K, V, mask)
        if not self.training:
            return weights @ V, weights
        p = next(layer.p for layer in self.modules() if isinstance(layer, nn.Dropout))
        scores = Q @ K.mT / math.sqrt(self.head_dim)
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else (mask == 0).expand_as(scores)
        weights = scores.masked_fill(hidden, -math.inf).softmax(-1).masked_fill(hidden, 0.0)
        dropped = self.__dict__.setdefault("dropped", {})
        if weights.shape not in dropped:
            dropped[weights.shape] = nn.functional.dropout(torch.ones_like(weights), p)
        return (weights * dropped[weights.shape]) @ V, weights
