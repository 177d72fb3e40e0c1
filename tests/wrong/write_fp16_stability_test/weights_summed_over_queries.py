"""The weights are summed over the queries."""

right = check_fp16_stability


def check_fp16_stability(attention):
    def transposed(*given):
        output, weights = attention(*given)
        return output, weights.mT

    right(transposed)
