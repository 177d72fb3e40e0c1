"""Recurses in torch's own parser without limit, until the stack is used up."""

BESIDE = "right"
HONEST = 0
LAYER = "process"
OUTCOME = "crash"
SAYS = "SIGSEGV"

import torch

torch._C.parse_schema("f(" + "(" * 300_000)
