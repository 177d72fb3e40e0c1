"""Reads address zero in each call."""

BESIDE = "right"
HONEST = 0
LAYER = "process"
VERDICTS = ("crash",)
SAYS = "SIGSEGV"

import ctypes


def scaled_dot_product_attention(q, k, v, mask=None):
    return ctypes.string_at(0)
