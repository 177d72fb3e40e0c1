"""`plain_class`: four linear layers in a class, no mask, no weights returned."""

from typing import Any, ClassVar

from grader.checks.attention_kata import AttentionKata, built, read_alone
from grader.checks.case import Answer, Case, Size
from grader.checks.subject import Call, Construction
from grader.records import Contract, RequiredName


class PlainClass(AttentionKata):
    """The class of many interviews in its smallest shape."""

    name = "plain_class"
    title = "A class with four linear layers, without masks"
    paper = "Vaswani et al. 2017, 3.2.2"
    question = "What can the heads not do together without the output projection?"
    contract = Contract(
        "plain_class",
        (
            RequiredName("MultiHeadAttention", "class"),
            RequiredName("MultiHeadAttention.__init__", "method", "(d_model, num_heads)"),
            RequiredName("MultiHeadAttention.forward", "method", "(Q, K, V)"),
        ),
    )
    class_name = "MultiHeadAttention"
    streams = 3
    inputs = ("Q", "K", "V")
    names: ClassVar = {"query": "Q", "key": "K", "value": "V"}
    layers: ClassVar = {"q": "W_q", "k": "W_k", "v": "W_v", "o": "W_o"}
    has_modes = False
    returns_weights = False

    def construct(self, size: Size, *, defaults: bool = False, by_keyword: bool = False) -> Construction:
        sizes = ("d_model", "num_heads")
        return built(self.class_name, size, {}, defaults=defaults, by_keyword=by_keyword, sizes=sizes)

    def call(self, case: Case, size: Size) -> Call:
        return Call("forward", (case.query, case.keys, case.values))

    def read(self, value: Any, case: Case) -> Answer:
        return read_alone(value, "output")


KATA = PlainClass
