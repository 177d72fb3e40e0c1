"""Names where something stands beside the mistake: another helper, dropped weights, one that costs a single check."""

import pytest

from grader.formats.lines import plain
from grader.formats.text import render
from grader.judge import Options
from grader.records import Report, Verdict
from tests.grading import ROOT, first_failure, graded, names_in, result, results, solution
from tests.mistakes import edited, made
from tests.operators import pairs

DROPPED = (
    "return self.dropout(weights) @ V, weights",
    "weights = torch.dropout(weights, self.dropout.p, True)\n        return weights @ V, weights",
)


DROPPED_HEAD = "nn.functional.dropout(weights, self.p, self.training)"
RETURN = "attention_weights = largest(attention_weights)\n    return attention_weights @ v"


def shown(report: Report) -> str:
    return " ".join(plain(render(report)).split())


HELPER = """
MASKS = MultiHeadAttention._apply_masks

class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        attn_logits = MASKS(self, attn_logits, attn_mask, None)
        if key_padding_mask is None:
            return attn_logits
        return attn_logits.masked_fill(key_padding_mask[:, None, None, :], torch.finfo(attn_logits.dtype).min)
"""
"""It hides what padding keeps, by the lowest number of the dtype, which hides as -infinity does."""


@pytest.mark.slow
def test_a_helper_that_forward_does_not_use_is_named_whatever_hides() -> None:
    source = solution("scaffold").replace("self._apply_masks(attn_logits", "MASKS(self, attn_logits")
    report = graded("scaffold", source + HELPER)
    assert ["padding_mask_inverted"] == names_in("scaffold", first_failure(report).mistakes)
    assert "only in calls of the helper on its own" in shown(report)


@pytest.mark.slow
def test_dropout_in_eval_is_named_where_the_dropped_weights_are_returned() -> None:
    first = first_failure(graded("module", edited("module", (DROPPED,))))
    assert ["dropout_in_eval"] == names_in("module", first.mistakes)


STRAIGHT_THROUGH = """
import torch

def largest(weights):
    whole = torch.zeros_like(weights).scatter(-1, weights.argmax(-1, keepdim=True), 1.0) * (weights > 0)
    return whole - weights.detach() + weights

"""


@pytest.mark.slow
def test_what_gives_the_values_is_named_however_gradients_flow_through_it() -> None:
    source = solution("scaled_dot_product").replace("return attention_weights @ v", RETURN)
    first = first_failure(graded("scaled_dot_product", STRAIGHT_THROUGH + source))
    assert ["largest_score_alone"] == names_in("scaled_dot_product", first.mistakes)


UNSTABLE = (
    ("attn_logits.masked_fill(~attn_mask, -math.inf)", "attn_logits + ~attn_mask * -1e9"),
    ("attn_logits.masked_fill(~key_padding_mask[:, None, None, :], -math.inf)", "attn_logits + PADDING"),
    (
        "weights = torch.softmax(attn_logits, dim=-1).masked_fill(attn_logits == -math.inf, 0.0)",
        "weights = attn_logits.exp() / attn_logits.exp().sum(dim=-1, keepdim=True)",
    ),
)


@pytest.mark.slow
def test_a_softmax_that_overflows_is_named_where_hidden_scores_are_finite() -> None:
    """Its NaN is that of others, and only the gradients tell how scores were hidden."""
    source = edited("scaffold", UNSTABLE).replace("PADDING", "~key_padding_mask[:, None, None, :] * -1e9")
    report = graded("scaffold", source)
    mistakes = {name for check in results(report) for name in names_in("scaffold", check.mistakes)}
    assert "unstable_softmax" in mistakes
    assert not {name for name in mistakes if "largest" in name}


def test_what_float32_rounds_keeps_no_name_away() -> None:
    """Heads one by one, and a factor for a divisor, round otherwise than the oracle does: with this seed by much."""
    rounding = (
        ("scores = q @", "q, k = (nn.functional.normalize(x, dim=-1) for x in (q, k))\n        scores = q @"),
        (" / math.sqrt(self.head_dim)", " * self.head_dim**-0.5"),
        (
            "torch.softmax(scores, dim=-1) @ v",
            "torch.stack([a.softmax(-1) @ b for a, b in zip(scores.unbind(1), v.unbind(1))], 1)",
        ),
    )
    report = graded("plain_class", edited("plain_class", rounding), Options(13))
    assert ["cosines_as_scores"] == names_in("plain_class", first_failure(report).mistakes)


@pytest.mark.slow
def test_a_mistake_that_costs_more_is_told_below_the_one_that_fails_first() -> None:
    source = edited("module", (("masked_fill(hidden, -math.inf)", "masked_fill(hidden, -10000.0)"),))
    source = source.replace("softmax(scores, dim=-1).masked_fill(hidden, 0.0)", "softmax(scores, dim=-1)")
    source = source.replace("self.W_V(value)", "self.W_V(key)")
    report = graded("module", source)
    assert ["hidden_scores_ten_thousand"] == names_in("module", first_failure(report).mistakes)
    assert "also the values were projected from the keys' input, with the values' weights, in" in shown(report)


def test_what_raises_is_named_by_the_mistake_that_values_prove_elsewhere() -> None:
    """Keys of the queries' input do not fit the values of another length: with as many they show in the values."""
    report = graded("scaffold", solution("scaffold").replace("self.k_proj(kv)", "self.k_proj(x)"))
    first = first_failure(report)
    assert first.verdict is Verdict.ERROR
    assert ["keys_from_queries_input"] == names_in("scaffold", first.mistakes)


def test_no_place_is_said_where_a_call_changes_what_it_is_given() -> None:
    before = "        if attn_mask is not None and attn_mask.dtype == torch.bool:"
    changed = "attn_mask.masked_fill_(attn_mask < -1e30, -1e30)"
    line = f"        if attn_mask is not None and attn_mask.is_floating_point():\n            {changed}\n"
    report = graded("scaffold", solution("scaffold").replace(before, line + before))
    assert "inputs changed in place" == first_failure(report).what
    assert report.parts_at is None


@pytest.mark.slow
def test_a_mistake_that_another_hides_elsewhere_is_seen_in_some_calls_and_not_only_there() -> None:
    both = made("scaled_dot_product", "softmax_over_queries", "mask_inverted")
    first = first_failure(graded("scaled_dot_product", both))
    assert str(first.mistake).endswith("; seen in calls without a mask"), first.mistake


KEPT = """

class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=True):
        if mask is not None:
            kept = self.__dict__.setdefault("kept", {})
            mask = kept.setdefault(mask.shape, mask == 0) == 0
        return super().forward(query, key, value, mask, need_weights)
"""


@pytest.mark.slow
def test_a_mask_kept_from_the_call_before_is_not_that_of_another_sequence() -> None:
    """In a single call it has the same values as a mask that was used for the whole batch."""
    report = graded("need_weights", solution("need_weights") + KEPT)
    assert named_in(report) == {"the mask of an earlier call was used again: the answer is right for that"}


KEPT_KEYS = """

class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=True):
        key, value = self.__dict__.setdefault("kept", (key, value))
        return super().forward(query, key, value, mask, need_weights)
"""


@pytest.mark.slow
def test_keys_kept_from_the_first_call_are_named() -> None:
    report = graded("need_weights", solution("need_weights") + KEPT_KEYS)
    assert named_in(report) == {"the keys and values of an earlier call were used again: the answer is right for those"}


@pytest.mark.slow
def test_a_mask_read_along_other_axes_is_not_that_of_an_earlier_call() -> None:
    """A mask [H, L, L] is laid over the sequences; the same numbers were a mask [B, 1, L, L] before."""
    by_sequence = ("hidden = mask == 0", "hidden = (mask[:, None] if mask.dim() == 3 else mask) == 0")
    report = graded("fused_qkv", edited("fused_qkv", (by_sequence,)))
    assert named_in(report) == {"a mask (H, L, S) was taken for one of each sequence, (N, L, S), where N equals H"}


def named_in(report: Report) -> set[str]:
    return {mistake for check in results(report) for mistake in check.mistakes}


TABLE = """
TABLES = {}

def apply_rope(x, positions, base=10000.0):
    size = x.shape[-1]
    if size % 2 == 1:
        raise ValueError("odd")
    key = (positions.shape[-1], size, base)
    if key not in TABLES:
        frequencies = base ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
        TABLES[key] = positions[..., None, :, None] * frequencies
    cos, sin = TABLES[key].cos().to(x.dtype), TABLES[key].sin().to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
"""


@pytest.mark.slow
def test_a_table_kept_by_the_length_is_not_called_positions_ignored() -> None:
    """In many checks the first positions of a length are 0 to L - 1; in one they are not, and were looked at."""
    report = graded("rope", solution("rope") + TABLE)
    named = {name for check in results(report) for name in names_in("rope", check.mistakes)}
    assert report.score < report.max_score
    assert not {name for name in named if name.startswith("positions")}, named


@pytest.mark.slow
def test_a_triangle_is_named_where_output_and_weights_hide_each_in_its_own_way() -> None:
    strict = ("dtype=torch.bool).tril()\n        return", "dtype=torch.bool).tril(-1)\n        return")
    always = ('{"is_causal": is_causal} if mask is None', "{} if allowed is None")
    opened = ('"attn_mask": allowed}', '"attn_mask": allowed | ~allowed.any(-1, keepdim=True)}')
    finite = ("scores = scores.masked_fill(~allowed, -math.inf)", "scores = scores.masked_fill(~allowed, -1e9)")
    uniform = ("torch.softmax(scores, dim=-1).masked_fill(~allowed, 0.0)", "torch.softmax(scores, dim=-1)")
    report = graded("sdpa_backend", edited("sdpa_backend", (strict, always, opened, finite, uniform)))
    assert ["is_causal_without_diagonal"] == names_in("sdpa_backend", first_failure(report).mistakes)


IN_A_LOOP = (
    ("F.dropout(weights, self.p)", "dropout_in_eval"),
    ("weights * (nn.functional.dropout(weights, self.p, self.training) > 0)", "dropout_not_rescaled"),
)


@pytest.mark.slow
@pytest.mark.parametrize(("dropout", "mistake"), IN_A_LOOP)
def test_a_dropout_is_named_that_is_drawn_for_one_head_after_the_other(dropout: str, mistake: str) -> None:
    source = (ROOT / "tests" / "correct" / "module" / "loop_over_heads.py").read_text(encoding="utf-8")
    assert 1 == source.count(DROPPED_HEAD)
    report = graded("module", source.replace(DROPPED_HEAD, dropout.replace("F.", "nn.functional.")))
    assert [mistake] == names_in("module", first_failure(report).mistakes)


@pytest.mark.slow
def test_nan_is_named_that_fully_masked_rows_have_without_the_weights_alone() -> None:
    """No call with the weights can contradict it by its values, which are a matter of style there."""
    path = ROOT / "tests" / "wrong" / "need_weights" / "nan_without_weights.py"
    (name,) = named_in(graded("need_weights", solution("need_weights") + path.read_text(encoding="utf-8")))
    assert name.startswith("the weights of a fully masked row are NaN")
    assert name.endswith("only in calls that want no weights")


EXCHANGED = """

class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, return_attention=True):
        if key is not value or key is query:
            return super().forward(query, key, value, mask, return_attention)
        self.W_K, self.W_V = self.W_V, self.W_K
        try:
            return super().forward(query, key, value, mask, return_attention)
        finally:
            self.W_K, self.W_V = self.W_V, self.W_K
"""


@pytest.mark.slow
def test_what_is_wrong_where_keys_and_values_are_one_tensor_is_said_to_be() -> None:
    (name,) = named_in(graded("module", solution("module") + EXCHANGED))
    assert name == "the keys' and the values' weights were swapped; only in calls with one tensor as keys and values"


@pytest.mark.slow
def test_a_dropout_that_keeps_p_is_named_where_0_drops_nothing() -> None:
    keeps = ("self.dropout if self.training", "1 - self.dropout if self.training and self.dropout")
    report = graded("sdpa_backend", edited("sdpa_backend", (keeps,)))
    assert "only in calls in which dropout drops" in str(first_failure(report).mistake)
    keeps = ("= nn.Dropout(cfg.dropout_p)", "= nn.Dropout(1 - cfg.dropout_p if cfg.dropout_p else 0.0)")
    returned = ("self.dropout(weights) @ v", "(weights := self.dropout(weights)) @ v")
    report = graded("scaffold", edited("scaffold", (keeps, returned)))
    assert "only in calls in which dropout drops" in str(first_failure(report).mistake)


FLOAT_MASK = "(attn_logits + attn_mask).masked_fill(attn_mask == -math.inf, -math.inf)"
CLEARED = "torch.softmax(attn_logits, dim=-1).masked_fill(attn_logits == -math.inf, 0.0)"


@pytest.mark.slow
def test_a_softmax_in_float32_beside_nan_rows_is_named_and_nothing_else() -> None:
    """Digits that large scores lose contradict no name, and -inf that is added leaves NaN gradients in other places."""
    in_float32 = (CLEARED, "torch.softmax(attn_logits, dim=-1, dtype=torch.float32).to(attn_logits.dtype)")
    added = (FLOAT_MASK, "attn_logits + attn_mask")
    report = graded("scaffold", edited("scaffold", (in_float32, added)))
    assert ["nan_rows"] == names_in("scaffold", first_failure(report).mistakes)
    assert {"nan_rows", "softmax_in_float32"} == set(names_in("scaffold", named_in(report)))


@pytest.mark.slow
def test_a_number_that_takes_all_the_weight_is_not_told() -> None:
    subtracted = (FLOAT_MASK, "(attn_logits - attn_mask).clamp(-1e9, 1e9)")
    named = named_in(graded("scaffold", edited("scaffold", (subtracted,))))
    assert any(name.startswith("hidden scores became larger than all others") for name in named)
    assert not any(name.startswith("hidden scores became 7") for name in named)


@pytest.mark.slow
def test_a_mask_of_one_shape_that_is_ignored_is_named_in_the_helper_too() -> None:
    ignored = "attn_mask = None if attn_mask is not None and attn_mask.dim() == 4 else attn_mask"
    begins = "if attn_mask is not None and attn_mask.dtype == torch.bool:"
    report = graded("scaffold", edited("scaffold", ((begins, f"{ignored}\n        {begins}"),)))
    (name,) = named_in(report)
    assert name.startswith("the attention mask was ignored")
    assert name.endswith("in calls with a mask [B, 1, T, S]")
    assert {name} == set(result(report, "apply_masks_takes_a_float_mask_or_none").mistakes)


@pytest.mark.slow
def test_queries_in_place_of_the_keys_are_named_where_other_numbers_of_keys_raise() -> None:
    report = graded("scaffold", edited("scaffold", (("self._split_heads(self.k_proj(kv))", "q"),)))
    by_values = [check.mistake for check in results(report) if check.verdict is Verdict.FAIL and check.mistake]
    assert {"the queries stood in place of the keys in the scores"} == set(by_values)


IN_BLOCKS = (
    (
        "query_chunks",
        "mask[:, :, i : i + self.CHUNK]",
        "mask[:, :, : s.size(-2)]",
        "in blocks of 3 queries each block got the first rows of the mask, not its own",
    ),
    (
        "forgets_before_it_returns",
        "acc = fade * acc",
        "acc = acc",
        "in blocks of 4 keys the answer so far was not rescaled where the largest score grew; the weights returned are "
        "right",
    ),
)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(("style", "before", "after", "sentence"), IN_BLOCKS)
def test_what_is_forgotten_from_block_to_block_is_named(style: str, before: str, after: str, sentence: str) -> None:
    source = (ROOT / "tests" / "correct" / "need_weights" / f"{style}.py").read_text(encoding="utf-8")
    assert 1 == source.count(before)
    assert sentence in named_in(graded("need_weights", source.replace(before, after)))


OVER_THE_BATCH = ("inner_module", "softmax_over_batch")
FILL = "scores.masked_fill(hidden, -math.inf)"
LEFT_OUT = "the scores were used as weights without a softmax"


@pytest.mark.slow
@pytest.mark.parametrize("number", ["-math.inf", "torch.finfo(scores.dtype).min", "-1e9"])
def test_a_softmax_left_out_is_named_alone_whatever_hides_scores(number: str) -> None:
    """With -inf the output is NaN wherever a key is hidden: no other sentence speaks of that NaN."""
    source = solution("module").replace("torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)", "scores")
    source = source.replace("torch.softmax(scores, dim=-1)", "scores").replace(FILL, FILL.replace("-math.inf", number))
    report = graded("module", source)
    failed = [check for check in results(report) if check.verdict is Verdict.FAIL]
    named = [check for check in failed if check.mistakes]
    assert {LEFT_OUT} == {sentence for check in named for sentence in check.mistakes}
    assert len(failed) - len(named) <= 0.1 * len(failed)


@pytest.mark.slow
@pytest.mark.parametrize("number", ["-math.inf", "torch.finfo(scores.dtype).min", "-1e9"])
def test_two_mistakes_are_named_in_the_checks_that_both_fail_whatever_hides_scores(number: str) -> None:
    source = solution("module").replace(" / math.sqrt(self.head_dim)", "").replace("mask == 0", "mask != 0")
    if number != "-math.inf":  # a row of -inf alone would be NaN, a third mistake
        source = source.replace(".masked_fill(hidden, 0.0)", "").replace("-math.inf", number)
    report = graded("module", source)
    failed = [check for check in results(report) if check.verdict is Verdict.FAIL]
    assert {"no_scale", "mask_inverted"} == {name for check in failed for name in names_in("module", check.mistakes)}
    assert len([check for check in failed if not check.mistakes]) <= 0.1 * len(failed)
    assert not [sentence for check in failed for sentence in check.mistakes if "calls" in sentence]


@pytest.mark.slow
def test_a_call_that_is_mostly_nan_proves_no_two_mistakes() -> None:
    """Under (L, S) masks the softmax over the batch is NaN in all rows but one, as beside an inverted mask."""
    pair = next(each for each in pairs("functional") if (each.style, each.operator.name) == OVER_THE_BATCH)
    checks = results(graded("functional", pair.source))
    assert {"softmax_over_batch"} == {name for check in checks for name in names_in("functional", check.mistakes)}


IGNORED_FLOAT = (
    "            attn_logits = attn_logits + attn_mask.to(attn_logits.dtype).clamp_min(NEGATIVE)",
    "                attn_logits = attn_logits + attn_mask",
)
PADDED = "if key_padding_mask is not None"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (*IGNORED_FLOAT, "the attention mask was ignored; seen in calls with a float mask"),
        (
            PADDED,
            f"{PADDED} and attn_logits.size(2) != attn_logits.size(3)",
            "the padding mask was ignored; only in calls of self-attention",
        ),
    ],
)
def test_a_mask_that_is_ignored_is_not_one_that_hides_whole_rows(before: str, after: str, sentence: str) -> None:
    """Where a number is added to all scores of a row, the softmax is that of no mask."""
    source = (ROOT / "tests" / "correct" / "scaffold" / "additive_1e9.py").read_text(encoding="utf-8")
    assert 1 == source.count(before)
    assert {sentence} == named_in(graded("scaffold", source.replace(before, after)))
