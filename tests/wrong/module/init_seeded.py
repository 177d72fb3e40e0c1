"""Every layer starts alike: the generator is seeded."""


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        with torch.random.fork_rng():
            torch.manual_seed(0)
            super().__init__(d_model, num_heads, dropout, bias)
