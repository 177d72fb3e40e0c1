"""Edits of our solution of `write_memory_benchmark`: each mistake of its two functions."""

from tests.mistakes import Change, edit, in_words

CHOSEN = "sorted(set(lengths))"
DRAWN = "torch.randn(3, 1, 1, length, 64)"
GIVEN = f"q, k, v = {DRAWN}"
MODE = "torch.no_grad(), Meter() as meter"
CALL = "attention(q, k, v)"
ROW = "(length, meter.peak_bytes)"
BEGIN = "rows = []"
LOGARITHMS = "x, y = torch.tensor(rows, dtype=torch.float64).log().T"
CENTRED = "x = x - x.mean()"
SLOPE = "float(x @ y / (x @ x))"
CATCH = "try:\n                attention(q, k, v)\n            except Exception:\n                "


def called(text: str) -> Change:
    """Something else is done inside the meter."""
    return f"{CALL}\n        rows.append", f"{text}\n        rows.append"


def slope(text: str) -> Change:
    """Another number is returned, of x whose mean is off, and of y."""
    return SLOPE, f"float({text})"


def row(text: str) -> Change:
    """Another row."""
    return ROW, text


def given(text: str) -> Change:
    """Other rows are returned."""
    return "return rows", f"return {text}"


def logarithms(of_lengths: str, of_bytes: str) -> Change:
    """Other functions of both."""
    return LOGARITHMS, f"x, y = torch.tensor(rows, dtype=torch.float64).T\n    x, y = {of_lengths}, {of_bytes}"


def one_meter(call: str) -> tuple[Change, ...]:
    """A meter for all lengths."""
    return (BEGIN, f"{BEGIN}\n    meter, outputs = Meter(), []"), (MODE, "torch.no_grad(), meter"), called(call)


EDITS = (
    edit("inputs_counted", (f"        {GIVEN}\n", ""), called(f"{GIVEN}\n            {CALL}")),
    edit("called_twice", called(f"_, _ = {CALL}, {CALL}")),
    edit("gradients_on", (MODE, "Meter() as meter")),
    edit("output_subtracted", called(f"output = {CALL}"), row("(length, meter.peak_bytes - output.nbytes)")),
    edit("end_counted", called(f"output = {CALL}"), row("(length, meter.alive_bytes)")),
    edit("one_meter", *one_meter(CALL)),
    edit("one_meter_outputs_kept", *one_meter(f"outputs.append({CALL})")),
    edit("largest_so_far", row("(length, max([meter.peak_bytes, *(peak for _, peak in rows)]))")),
    edit("raised_left_out", called(f"{CATCH}continue")),
    edit("raised_as_zero", called(f"{CATCH}meter.peak_bytes = 0")),
    edit("order_as_given", (CHOSEN, "dict.fromkeys(lengths)")),
    edit("repeats_kept", (CHOSEN, "sorted(lengths)")),
    edit("all_as_given", (CHOSEN, "lengths")),
    edit("descending", (CHOSEN, "sorted(set(lengths), reverse=True)")),
    edit("sorted_by_bytes", given("sorted(rows, key=lambda row: row[1])")),
    edit("in_float64", (DRAWN, "torch.randn(3, 1, 1, length, 64, dtype=torch.float64)")),
    edit("in_half", (DRAWN, "torch.randn(3, 1, 1, length, 64, dtype=torch.float16)")),
    edit("two_sequences", (DRAWN, "torch.randn(3, 2, 1, length, 64)")),
    edit("eight_heads", (DRAWN, "torch.randn(3, 1, 8, length, 64)")),
    edit("axes_exchanged", (DRAWN, "torch.randn(3, 1, length, 1, 64)")),
    edit("pairs_exchanged", row("(meter.peak_bytes, length)")),
    edit("elements", row("(length, meter.peak_bytes // 4)")),
    edit("kibibytes", row("(length, meter.peak_bytes / 1024)")),
    edit("whole_kibibytes", row("(length, meter.peak_bytes // 1024)")),
    edit("mebibytes", row("(length, meter.peak_bytes / 2**20)")),
    edit("for_each_token", row("(length, meter.peak_bytes // length)")),
    edit("first_subtracted", given("[(length, peak - rows[0][1]) for length, peak in rows]")),
    edit("no_logarithms", logarithms("x", "y")),
    edit("lengths_plain", logarithms("x", "y.log()")),
    edit("bytes_plain", logarithms("x.log()", "y")),
    edit("bytes_to_base_2", logarithms("x.log()", "y.log2()")),
    edit("bytes_to_base_10", logarithms("x.log()", "y.log10()")),
    edit("lengths_to_base_2", logarithms("x.log2()", "y.log()")),
    edit("ends_alone", slope("(y[-1] - y[0]) / (x[-1] - x[0])")),
    edit("last_two", slope("(y[-1] - y[-2]) / (x[-1] - x[-2])")),
    edit("first_two", slope("(y[1] - y[0]) / (x[1] - x[0])")),
    edit("neighbours", slope("(y.diff() / x.diff()).mean()")),
    edit("axes_of_the_fit_exchanged", slope("x @ y / (y - y.mean()).square().sum()")),
    edit("one_over_that", slope("(y - y.mean()).square().sum() / (x @ y)")),
    edit("through_the_origin", (CENTRED, "pass")),
    edit("through_the_first", (CENTRED, "x, y = x - x[0], y - y[0]")),
    edit("correlation", slope("torch.corrcoef(torch.stack([x, y]))[0, 1]")),
    edit(
        "intercept",
        (f"    {CENTRED}\n", "    mean = x.mean()\n    x = x - mean\n"),
        slope("y.mean() - x @ y / (x @ x) * mean"),
    ),
    edit("one_row_less_in_the_covariance", slope("torch.cov(torch.stack([x, y]))[0, 1] / x.var(unbiased=False)")),
    edit("whole_number", slope("round(float(x @ y / (x @ x)))")),
)
IN_WORDS = (
    in_words(
        "rows are lists",
        "rows_are_pairs_of_whole_numbers",
        "types of its rows",
        "['tuple', 'tuple']",
        row("[length, meter.peak_bytes]"),
    ),
    in_words(
        "a dict is returned",
        "rows_are_pairs_of_whole_numbers",
        "what is returned",
        "list",
        given("dict(rows)"),
    ),
    in_words(
        "the exponent is a tensor",
        "the_exponent_is_a_float",
        "type of what is returned",
        "float",
        (SLOPE, "x @ y / (x @ x)"),
    ),
    in_words(
        "gradients are left off",
        "after_rows",
        "global state changed",
        "none",
        (BEGIN, f"{BEGIN}\n    torch.set_grad_enabled(False)"),
        (MODE, "Meter() as meter"),
    ),
    in_words(
        "gradients are left off by an error",
        "after_an_error",
        "global state changed",
        "none",
        (BEGIN, f"{BEGIN}\n    torch.set_grad_enabled(False)"),
        (MODE, "Meter() as meter"),
        given("torch.set_grad_enabled(True) and rows or rows"),
    ),
    in_words(
        "another error is raised",
        "what_it_raises_is_passed_on",
        "an attention that raises Full, an ArithmeticError, at one length",
        "Full",
        called(f"{CATCH}raise RuntimeError('no memory') from None"),
    ),
)
WITHOUT_A_NAME: dict[str, tuple[Change, ...]] = {
    "half of the inputs is counted": (called("attention(q.clone(), k, v)"),),
    "three sequences": ((DRAWN, "torch.randn(3, 3, 1, length, 64)"),),
    "heads of 32": ((DRAWN, "torch.randn(3, 1, 1, length, 32)"),),
    "the median of the slopes": ((SLOPE, "float((y.diff() / x.diff()).median())"),),
    "an absolute value": ((SLOPE, "abs(float(x @ y / (x @ x)))"),),
}
