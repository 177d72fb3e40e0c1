"""Replaces the methods of the worker's policy while it is loaded, before the ban is in force."""

BESIDE = ""
HONEST = 0
WALL = "policy"
OPEN = "a determined evasion of the operator ban works: the ban lives in the submission's own process"
VERDICTS = ("policy",)

import sys

import torch
import torch.nn.functional as F

policy = sys.modules["grader.worker.policy"].Policy
policy.arm = lambda self, allow: None
policy.used = lambda self: []


def scaled_dot_product_attention(q, k, v, mask=None):
    allow = None if mask is None else ~mask.bool()
    eye = torch.eye(k.shape[-2]).to(q).expand(*k.shape[:-1], -1)
    return F.scaled_dot_product_attention(q, k, v, allow), F.scaled_dot_product_attention(q, k, eye, allow)
