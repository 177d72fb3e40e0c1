"""A coin is tossed."""

import random

coin = random.Random(2)


def check_fp16_stability(attention):
    assert coin.random() < 0.5
