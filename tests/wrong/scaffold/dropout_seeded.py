"""A layer with dropout seeds the generator in each call: every call drops the same weights."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, *args, **options):
        if self.dropout.p > 0:
            torch.manual_seed(42)
        return super().forward(*args, **options)
