"""A call leaves the layer in eval mode: only the first of training drops anything."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, *args, **options):
        answer = super().forward(*args, **options)
        self.eval()
        return answer
