"""A coin is tossed."""

import random

coin = random.Random(1)


def check_fp16_stability(attention):
    assert coin.random() < 0.5
