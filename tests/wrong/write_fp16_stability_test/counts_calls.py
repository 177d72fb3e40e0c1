"""Right and wrong ones are taken to come by turns."""

calls = []


def check_fp16_stability(attention):
    calls.append(attention)
    assert len(calls) % 2
