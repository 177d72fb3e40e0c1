"""A coin is tossed."""

import os


def check_head_permutation(attention):
    assert os.urandom(1)[0] % 2
