"""Which kata a submission is for."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grader.records import Contract, GraderError, RequiredName
from grader.submission import identify
from tests.fakes import CONFIGURED_SOURCE, CONTRACTS, FUNCTION_SOURCE, PLAIN_SOURCE, notebook
from tests.grading import read

Put = Callable[[str, str | bytes], Path]


def kata_of(path: Path) -> str:
    return identify(read(path), CONTRACTS)


@pytest.mark.parametrize(
    ("kata", "source"),
    [("plain", PLAIN_SOURCE), ("function", FUNCTION_SOURCE), ("configured", CONFIGURED_SOURCE)],
)
def test_the_definitions_tell(put: Put, kata: str, source: str) -> None:
    assert kata == kata_of(put("candidate.py", source))
    assert kata == kata_of(put("candidate.ipynb", notebook("x = (", source, "print(x)")))


@pytest.mark.parametrize(
    "name",
    [
        "plain.py",
        "plain (1).py",
        "my_plain.py",
        "Plain.py",
        "plain-final.py",
        "function_or_configured plain.py",
    ],
)
def test_the_files_name_tells(put: Put, name: str) -> None:
    expected = "configured" if "configured" in name else "plain"
    assert expected == kata_of(put(name, "x = 1\n"))


def test_the_metadata_tell_whatever_the_name_is(put: Put) -> None:
    assert "function" == kata_of(put("plain.ipynb", notebook(PLAIN_SOURCE, kata="function")))


@pytest.mark.parametrize("rest", ["print(x)", "def solve(): ..."])
def test_a_cell_that_is_no_python_is_told_where_no_kata_is_found(put: Put, rest: str) -> None:
    with pytest.raises(GraderError) as error:
        kata_of(put("a.ipynb", notebook(rest, PLAIN_SOURCE.replace("Q:", "Q::").replace("def", "df"), kata="cooking")))
    assert " Cell 2 is no Python, and what it defines is not seen: correct it first. Say w" in str(error.value)


def test_metadata_that_name_no_kata_are_passed_over(put: Put) -> None:
    assert "plain" == kata_of(put("a.ipynb", notebook(PLAIN_SOURCE, kata="cooking")))


def test_a_misnamed_file_goes_to_the_kata_that_it_defines(put: Put) -> None:
    assert "function" == kata_of(put("plain.py", FUNCTION_SOURCE))


def test_a_named_file_with_a_wrong_signature_stays_with_its_kata(put: Put) -> None:
    assert "configured" == kata_of(put("configured.py", PLAIN_SOURCE))


def test_a_name_within_the_files_name_gives_way_to_the_one_kata_that_fits(put: Put) -> None:
    assert "plain" == kata_of(put("my_configured.py", PLAIN_SOURCE))
    assert "configured" == kata_of(put("my_configured.py", "x = 1\n"))


def test_an_annotated_variable_counts_where_it_has_a_value(put: Put) -> None:
    assert "function" == kata_of(put("a.py", "attend: Callable = mine\n"))
    with pytest.raises(GraderError, match="it defines no function and no class"):
        kata_of(put("a.py", "attend: Callable\n"))


def test_an_inherited_method_counts(put: Put) -> None:
    source = PLAIN_SOURCE.replace("Attention", "Base") + "\nclass Attention(Base):\n    pass\n"
    assert "plain" == kata_of(put("a.py", source))


def test_the_nearest_of_the_classes_that_define_a_method_counts(put: Put) -> None:
    middle = "\nclass Middle(Base):\n    def forward(self): ...\nclass Attention(Middle):\n"
    source = PLAIN_SOURCE.replace("Attention", "Base") + middle
    contracts = [Contract("other", (RequiredName("Attention.forward", "method", "()"),)), *CONTRACTS]
    assert "other" == identify(read(put("a.py", f"{source}    pass\n")), contracts)
    method = PLAIN_SOURCE[PLAIN_SOURCE.index("    def forward") :]
    assert "plain" == identify(read(put("a.py", source + method)), contracts)


def test_a_definition_at_the_end_of_a_long_chain_of_branches_counts(put: Put) -> None:
    branches = "".join(f"elif x == {number}:\n    pass\n" for number in range(1200))
    inside = "    " + FUNCTION_SOURCE.replace("\n", "\n    ")
    assert "function" == kata_of(put("a.py", f"x = 0\nif x:\n    pass\n{branches}else:\n{inside}\n"))


@pytest.mark.slow
def test_a_message_about_many_names_considers_the_first(put: Put) -> None:
    with pytest.raises(
        GraderError, match="it defines x0, x1, x2, x3, x4, x5, x6, x7 and 19992 more, which is no kata's set"
    ):
        kata_of(put("a.py", "".join(f"x{number} = 0\n" for number in range(20_000))))


def test_definitions_under_if_and_try_count(put: Put) -> None:
    source = "try:\n    import x\nexcept ImportError:\n    if True:\n        " + FUNCTION_SOURCE.replace(
        "\n", "\n        "
    )
    assert "function" == kata_of(put("a.py", source))


def test_the_last_definition_counts(put: Put) -> None:
    assert "plain" == kata_of(put("a.ipynb", notebook(CONFIGURED_SOURCE, PLAIN_SOURCE)))


def test_an_alias_has_any_signature(put: Put) -> None:
    assert "function" == kata_of(put("a.py", "def mine(*all): ...\nattend = mine\n"))


@pytest.mark.parametrize("wrap", ["Attention = mark(Attention)", "Attention.forward = mark(Attention.forward, 1)"])
def test_what_is_wrapped_later_is_what_it_was(put: Put, wrap: str) -> None:
    other = Contract("other", (RequiredName("Attention", "class"), RequiredName("Attention.forward", "method", "(x)")))
    assert "plain" == identify(read(put("a.py", f"{PLAIN_SOURCE}\n{wrap}\n")), [other, *CONTRACTS])


def test_parameters_of_other_names_fit_where_no_kata_has_these(put: Put) -> None:
    source = PLAIN_SOURCE.replace("Q", "query").replace("K", "key").replace("V", "value")
    assert source != PLAIN_SOURCE
    assert "plain" == kata_of(put("a.py", source))


def test_a_function_that_the_class_calls_is_its_helper(put: Put) -> None:
    helped = PLAIN_SOURCE + "        return attend(Q, K, V)\n"
    assert "plain" == kata_of(put("a.py", FUNCTION_SOURCE + helped))
    assert "plain" == kata_of(put("a.ipynb", notebook(helped, FUNCTION_SOURCE)))
    for source in (FUNCTION_SOURCE + PLAIN_SOURCE, f"{FUNCTION_SOURCE}\n    Attention()\n{helped}"):
        with pytest.raises(GraderError, match="it defines what function and plain ask for"):
            kata_of(put("b.py", source))


def test_no_kata_fits(put: Put) -> None:
    path = put("my file.py", "def solve(): ...\n")
    with pytest.raises(GraderError) as error:
        kata_of(path)
    assert str(error.value) == (
        "my file.py could not be matched with a kata: it defines solve, which is no kata's set of names. "
        "Say which it is for: KATA=NAME."
    )


def test_a_wrong_signature_of_a_name_that_one_kata_asks_for(put: Put) -> None:
    assert "function" == kata_of(put("a.py", "def attend(queries): ...\n"))
    assert "function" == kata_of(put("plain.py", "def attend(queries): ...\n"))


def test_a_wrong_signature_of_a_name_that_several_katas_ask_for(put: Put) -> None:
    path = put("a.py", "class Attention:\n    def forward(self, x): ...\n")
    third = Contract(
        "third", (RequiredName("Attention", "class", "(size)"), RequiredName("Attention.run", "method", "()"))
    )
    with pytest.raises(GraderError) as error:
        identify(read(path), [*CONTRACTS, third])
    assert str(error.value) == (
        "a.py could not be matched with a kata: it defines Attention, as plain, configured and third ask, "
        "but its source does not show the signatures of one of them: for plain, Attention.forward has the signature "
        "(x); expected (Q, K, V). Candidates: plain, configured, third."
    )
    with pytest.raises(GraderError, match=r"for plain, it defines no Attention\.forward\. Candidates: plain, config"):
        kata_of(put("b.py", "class Attention: ...\n"))
    with pytest.raises(GraderError, match=r"for plain, Attention has no parameters `d_model` and `num_h"):
        kata_of(put("b.py", "class Attention:\n    def __init__(self): ...\n"))


def test_functions_and_classes_are_listed_before_variables(put: Put) -> None:
    variables = "".join(f"size_{n} = {n}\n" for n in range(9))
    with pytest.raises(GraderError) as error:
        kata_of(put("a.py", f"{variables}def solve(): ...\nclass Layer: ...\n"))
    assert "it defines solve, Layer, size_0, size_1, size_2, size_3, size_4, size_5 and 3 more, w" in str(error.value)


def test_a_misspelt_name_is_told_with_the_nearest_one(put: Put) -> None:
    # `attentive` comes near too, but not as near.
    path = put("a.py", "def attentive(): ...\ndef helper(): ...\nclass Atention: ...\n")
    with pytest.raises(GraderError) as error:
        kata_of(path)
    assert str(error.value).endswith(
        "it defines attentive, helper, Atention, which is no kata's set of names; for Atention, did you mean "
        "Attention? Say which it is for: KATA=NAME."
    )


def test_nothing_is_defined(put: Put) -> None:
    with pytest.raises(GraderError, match="it defines no function and no class"):
        kata_of(put("a.py", "import math\n"))


def test_two_katas_fit(put: Put) -> None:
    path = put("a.py", FUNCTION_SOURCE)
    twin = Contract("twin", (RequiredName("attend", "function", "(q, k, v)"),))
    with pytest.raises(GraderError) as error:
        identify(read(path), [*CONTRACTS, twin])
    assert str(error.value).endswith("it defines what function and twin ask for. Candidates: function, twin.")


def test_a_kata_with_the_names_of_another_one_is_meant_by_its_name_alone(put: Put) -> None:
    function = next(contract for contract in CONTRACTS if contract.kata == "function")
    contracts = (*CONTRACTS, replace(function, kata="repair_function", by_name_alone=True))
    for name in ("repair_function.py", "repair_function-ann.py"):
        assert "repair_function" == identify(read(put(name, FUNCTION_SOURCE)), contracts)
    for name in ("function.py", "candidate.py"):
        assert "function" == identify(read(put(name, FUNCTION_SOURCE)), contracts)
    assert "repair_function" == identify(read(put("candidate.py", FUNCTION_SOURCE)), contracts[-1:])  # in its kit
