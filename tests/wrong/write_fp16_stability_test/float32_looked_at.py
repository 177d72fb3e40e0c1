"""Everything is asked in float32."""

right = check_fp16_stability


def check_fp16_stability(attention):
    def raised(q, k, v, mask=None):
        output, weights = attention(q.float(), k.float(), v.float(), mask)
        return output.to(q.dtype), weights.to(q.dtype)

    right(raised)
