"""The katas themselves: their order, points, claims and files."""

import re

import pytest

from grader.checks.attention_kata import AttentionKata
from grader.checks.kata import Kata
from grader.checks.tiers import Check
from grader.katas import KATAS, ORDER
from grader.records import GROUPS
from tests.grading import ATTENTION, BY_NAME, ROOT

NAMES = [*ORDER]
EVERY_TIER = ["shapes", "weight sums", "padding", "causal", "nan safety", "parity", "gradients", "interface"]
EACH_KATA = pytest.mark.parametrize("kata", KATAS, ids=NAMES)
EACH_ATTENTION = pytest.mark.parametrize("kata", ATTENTION.values(), ids=list(ATTENTION))
NOT_OURS = {"__init__.py", "__pycache__"}


def points(kata: Kata, *names: str) -> int:
    """What the checks of these names are worth together; each must be there."""
    values = [check.points for check in kata.checks if check.name in names]
    assert len(names) == len(values)
    return sum(values)


def claims(kata: Kata) -> list[tuple[str, str]]:
    return [(check.name, check.claim) for check in kata.checks]


def of_tier(kata: Kata, name: str) -> list[Check]:
    return [check for check in kata.checks if check.tier.name == name]


def test_the_katas_stand_in_teaching_order() -> None:
    assert NAMES == [kata.name for kata in KATAS]
    assert NAMES == [kata.contract.kata for kata in KATAS]
    places = [GROUPS.index(kata.group) for kata in KATAS]
    assert sorted(places) == places, "group by group, so that lists with groups and lists without agree"


@EACH_KATA
def test_points_add_up_to_100(kata: Kata) -> None:
    assert 100 == sum(check.points for check in kata.checks)
    assert all(check.points >= 1 for check in kata.checks)


@EACH_KATA
def test_no_two_checks_share_a_name(kata: Kata) -> None:
    names = [check.name for check in kata.checks]
    assert sorted(set(names)) == sorted(names)


@EACH_KATA
def test_a_claim_is_one_sentence(kata: Kata) -> None:
    def is_a_sentence(claim: str) -> bool:
        return claim.endswith(".") and ". " not in claim and "{" not in claim and "}" not in claim

    assert [] == [(name, claim) for name, claim in claims(kata) if not is_a_sentence(claim)]


@EACH_ATTENTION
def test_a_claim_speaks_of_what_the_contract_has(kata: AttentionKata) -> None:
    texts = [claim for _, claim in claims(kata)] + [kata.proves(tier) for tier in kata.tiers]
    assert [] == [text for text in texts if kata.streams == 1 and "cross-attention" in text]
    assert [] == [text for text in texts if not kata.formats and re.search("mask|padd|causal", text)]
    assert [] == [text for text in texts if re.search("contract has|if there (is|are) any", text)]


@EACH_ATTENTION
def test_shapes_are_cheap(kata: Kata) -> None:
    assert 15 > sum(check.points for check in of_tier(kata, "shapes"))


@EACH_ATTENTION
def test_the_answers_under_masks_and_pytorchs_answer_are_dear(kata: Kata) -> None:
    cheap = ("shapes", "weight sums", "padding", "causal", "nan safety", "gradients")
    parity = sum(check.points for check in of_tier(kata, "parity"))
    assert parity > max(sum(check.points for check in of_tier(kata, name)) for name in cheap)


def test_initialisation_and_extra_repr_of_module_are_worth_10_at_most() -> None:
    names = ("weights_start_xavier_uniform", "biases_start_at_zero", "extra_repr_names_the_sizes")
    assert 10 >= points(BY_NAME["module"], *names)


def test_helpers_of_scaffold_are_worth_10_at_most() -> None:
    names = (
        "split_heads_gives_each_head_its_slice",
        "merge_heads_undoes_split_heads",
        "apply_masks_keeps_what_may_be_seen",
        "causal_mask_is_lower_triangular",
    )
    assert 10 >= points(BY_NAME["scaffold"], *names)


@EACH_ATTENTION
def test_a_kata_has_every_tier_that_its_contract_allows(kata: Kata) -> None:
    allowed = [name for name in EVERY_TIER if kata.formats or name not in ("padding", "causal")]
    assert allowed == [tier.name for tier in kata.tiers if tier.name in EVERY_TIER]


@EACH_ATTENTION
def test_every_format_of_a_mask_has_its_check_of_parity(kata: Kata) -> None:
    names = [check.name for check in of_tier(kata, "parity")]
    assert [] == [each for each in kata.formats if f"under_any_mask[{each}]" not in names]


@EACH_KATA
def test_no_two_mistakes_share_a_name_or_a_sentence(kata: Kata) -> None:
    names = [mistake.name for mistake in kata.key.mistakes]
    sentences = [mistake.sentence for mistake in kata.key.mistakes]
    assert sorted(set(names)) == sorted(names)
    assert sorted(set(sentences)) == sorted(sentences)


OF_EACH_KATA = ("solutions", "exercises", "notebooks", "tests/mistakes")


@pytest.mark.parametrize("folder", OF_EACH_KATA)
def test_no_file_is_unknown_and_none_is_missing(folder: str) -> None:
    suffix = ".ipynb" if folder == "notebooks" else ".py"
    files = {path.name for path in (ROOT / folder).iterdir() if path.is_file()} - NOT_OURS
    here = [name for name in files if not name.endswith(".bak") and not name.startswith(".")]
    names = [*NAMES, "index"] if folder == "notebooks" else NAMES
    assert sorted(f"{name}{suffix}" for name in names) == sorted(here)


def test_each_kata_is_a_folder() -> None:
    folders = (ROOT / "grader" / "katas").iterdir()
    assert sorted(NAMES) == sorted(path.name for path in folders if path.is_dir() and path.name not in NOT_OURS)
