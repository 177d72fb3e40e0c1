"""Calls the forbidden function by its address in torch's library, past the dispatcher in which the ban lives."""

BESIDE = ""
HONEST = 0
WALL = "policy"
OPEN = "a determined evasion of the operator ban works: the code of torch's libraries can be called by its address"
VERDICTS = ("policy",)
MACHINE = "x86_64"

import ctypes

import torch


class Maybe(ctypes.Structure):
    """std::optional of a tensor or of a double, empty."""

    _fields_ = [("value", ctypes.c_double), ("there", ctypes.c_bool)]


def reference(tensor):
    return ctypes.byref(ctypes.c_void_p(tensor._cdata))


capsule = ctypes.pythonapi.PyCapsule_New
capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def take(pair, place):
    return torch._C._aoti.alloc_tensor_by_stealing_from_void_ptr(capsule(ctypes.addressof(pair) + place, None, None))


symbol = "_ZN2at25compositeimplicitautograd34_scaled_dot_product_attention_mathE"
symbol += "RKNS_6TensorES3_S3_RKSt8optionalIS1_EdbS7_S4_IdEb"
call = getattr(ctypes.CDLL("libtorch_cpu.so"), symbol)  # it is loaded: no file is opened
nothing = ctypes.byref(Maybe())


def scaled_dot_product_attention(q, k, v, mask=None):
    k, v = k.to(q), v.to(q)
    there = nothing
    if mask is not None:
        scores = torch.zeros(*q.shape[:-1], k.shape[-2]).to(q).masked_fill(mask.bool(), float("-inf"))
        there = ctypes.byref((ctypes.c_void_p * 2)(scores._cdata, 1))
    pair = (ctypes.c_void_p * 2)()  # std::tuple, the second first
    tensors = [reference(each) for each in (q, k, v)]
    call.restype = None
    call(pair, *tensors, there, ctypes.c_double(0), False, nothing, Maybe(), False)
    return take(pair, 8), take(pair, 0)
