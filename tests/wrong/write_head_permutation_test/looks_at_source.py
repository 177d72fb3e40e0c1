"""Words of the module's source and class are looked at."""

import inspect


def check_head_permutation(attention):
    text = type(attention).__name__ + repr(attention) + str(inspect.signature(attention.forward))
    assert "wrong" not in text.lower()
    assert "head" not in text.lower()
