"""The katas, in teaching order."""

from grader.checks.kata import Kata
from grader.katas.functional import Functional
from grader.katas.fused_qkv import FusedQKV
from grader.katas.module import Module
from grader.katas.plain_class import PlainClass
from grader.katas.scaffold import Scaffold
from grader.katas.scaled_dot_product import ScaledDotProduct

KATAS: tuple[Kata, ...] = (
    ScaledDotProduct(),
    PlainClass(),
    Functional(),
    Scaffold(),
    Module(),
    FusedQKV(),
)
