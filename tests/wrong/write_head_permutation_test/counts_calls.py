"""Right and wrong ones are taken to come by turns."""

calls = []


def check_head_permutation(attention):
    calls.append(attention)
    assert len(calls) % 2
