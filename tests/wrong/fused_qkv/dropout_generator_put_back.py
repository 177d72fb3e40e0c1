"""After a training call the generator is put back: every call drops the same weights."""


class EfficientMultiHeadAttention(EfficientMultiHeadAttention):
    def forward(self, x, mask=None):
        state = torch.get_rng_state()
        answer = super().forward(x, mask)
        if self.training:
            torch.set_rng_state(state)
        return answer
