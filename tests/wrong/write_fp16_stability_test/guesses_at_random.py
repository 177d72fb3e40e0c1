"""A coin is tossed."""

import os


def check_fp16_stability(attention):
    assert os.urandom(1)[0] % 2
