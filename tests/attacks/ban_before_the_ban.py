"""Computes by the forbidden function while it is loaded, to keep a traced copy and the kernel itself for later."""

BESIDE = ""
HONEST = 0
LAYER = "policy"
VERDICTS = ("error",)
SAYS = "NameError"

import torch
import torch.nn.functional as F

traced = torch.jit.trace(lambda q, k, v: F.scaled_dot_product_attention(q, k, v), [torch.rand(2, 3, 4)] * 3)
kernel = torch.library.get_kernel("aten::_scaled_dot_product_flash_attention_for_cpu", "CPU")


def scaled_dot_product_attention(q, k, v, mask=None):
    eye = torch.eye(k.shape[-2]).to(q).expand(*k.shape[:-1], -1)
    return traced(q, k, v), traced(q, k, eye)
