"""`write_memory_benchmark`: the checks that a candidate is given."""

from grader.checks import expect, tiers
from grader.checks.draw import Draw
from grader.checks.subject import Call, Manner, Subject
from grader.katas.write_memory_benchmark.contract import (
    GROWTH,
    OUTPUT,
    PEAKS,
    ROUGH,
    RUNS,
    attention,
    exponent,
    kind_of,
    probe,
    rows,
    same_rows,
)


@RUNS()
def rows_are_pairs_of_whole_numbers(subject: Subject, draw: Draw) -> None:
    """`attention_memory` returns a list of tuples (length, peak bytes) of whole numbers, a row for each length."""
    call = Call("attention_memory", (probe(4 * 30), [16, 48]))
    value = subject.ask(call, Manner(recording=True)).value
    expect.equal("what is returned", kind_of(value), "list")
    expect.equal("types of its rows", [kind_of(row) for row in value], ["tuple", "tuple"])
    types = [kind_of(number) for row in value for number in row]
    expect.equal("types of the numbers in its rows", types, ["int"] * 4)
    expect.equal("lengths of the rows", [length for length, _ in value], [16, 48])


@RUNS()
def the_exponent_is_a_float(subject: Subject, draw: Draw) -> None:
    """`growth_exponent` returns a float."""
    value = subject.call("growth_exponent", [(16, 1024), (48, 9216), (64, 16384)])
    expect.equal("type of what is returned", kind_of(value), "float")


@PEAKS(weight=2)
def what_is_made_inside_counts(subject: Subject, draw: Draw) -> None:
    """A row holds the bytes of what the attention makes, its output among it, and of nothing else."""
    lengths, size = [60 + draw.integer() % 30, 200 + draw.integer() % 90], 4 * (100 + draw.integer() % 100)
    same_rows(rows(subject, probe(size), lengths), [(length, length * (size + OUTPUT)) for length in lengths])


@PEAKS()
def each_length_once_and_ascending(subject: Subject, draw: Draw) -> None:
    """Lengths come in any order, as a list or a tuple, and may repeat: there is one row for each, ascending."""
    for lengths in ([96, 24, 130, 24, 7, 130], (9, 100, 8, 9), [33]):
        want = [(length, length * (400 + OUTPUT)) for length in sorted(set(lengths))]
        same_rows(rows(subject, probe(400), lengths), want)


@PEAKS()
def what_was_freed_before_the_peak_is_gone(subject: Subject, draw: Draw) -> None:
    """The peak is the most that was alive at once: neither all that was made, nor what is left in the end."""
    first, second = (100 + draw.integer() % 50 for _ in range(2))
    freed = attention(
        f"one = q.new_empty(q.shape[-2] * {first})",
        "del one",
        f"other = q.new_empty(q.shape[-2] * {first + second})",
        "del other",
        "return torch.zeros_like(q)",
    )
    same_rows(rows(subject, freed, [40, 90]), [(length, length * 4 * (first + second)) for length in (40, 90)])


@GROWTH()
def a_power_of_the_length(subject: Subject, draw: Draw) -> None:
    """Where bytes are a power of the length, times any factor, the exponent is that power."""
    for power in (1, 2, 3):
        factor = 1000 + draw.integer() % 9000
        given = [(length, factor * length**power) for length in (64, 128, 200, 512)]
        expect.close("growth_exponent(rows)", exponent(subject, given), float(power), ROUGH)


CLAIMS = tiers.public(
    rows_are_pairs_of_whole_numbers,
    the_exponent_is_a_float,
    what_is_made_inside_counts,
    each_length_once_and_ascending,
    what_was_freed_before_the_peak_is_gone,
    a_power_of_the_length,
)
