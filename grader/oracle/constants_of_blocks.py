"""Attention computed in blocks of queries or keys, and what was forgotten from one block to the next.

The softmax that goes from block to block of keys is that of Milakov and Gimelshein 2018, "Online normalizer calculation
for softmax", algorithm 3.
"""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from grader.checks.attention import AttentionCall
from grader.oracle.catalogue.reach import KEYS_PAST_THE_QUERIES
from grader.oracle.catalogue.two_paths import in_the_output_alone
from grader.oracle.constants_of_masks import MOST_KEYS
from grader.oracle.mistake import Mistake, Step
from grader.oracle.pipeline import Context, Steps, hide

SIZES = (2, 3, 4, 5, 8, 16, 32, 64, 128, 256, 512)
NUMBERS = (2, 3, 4, 8)
FEW = 5
"""Blocks of up to so many keys are not tried for a last block left out: other numbers of keys could be the cause."""
_LARGEST = (
    "Each block has a largest score of its own: what was summed before it grew must be multiplied by its decrease."
)
_TOGETHER = "A softmax divides by the sum over all keys: a block's own sum says nothing of its share of the whole."

Size = Callable[[int], int]
"""Gives the size of a block, for a number of queries or keys."""


def blocks(oracle: Steps, call: AttentionCall) -> Iterator[Mistake]:
    """Mistakes made in blocks of the usual sizes, or in the usual numbers of blocks, where there are at least two.

    Args:
        oracle: the pipeline that is right.
        call: in which the submission was wrong.
    """
    longest = max(call.case.query.shape[-2], call.case.keys.shape[-2])
    ways: list[tuple[str, Size]] = [(f"blocks of {size} {{}}", lambda length, size=size: size) for size in SIZES]
    ways += [(f"{number} blocks of {{}}", lambda length, number=number: -(-length // number)) for number in NUMBERS]
    for words, size in ways:
        if size(longest) < longest:
            yield from _of_queries(oracle, words, size)
            yield from _of_keys(words, size)


def rests(oracle: Steps, call: AttentionCall) -> Iterator[Mistake]:
    """Mistakes of unused keys: those after as many as the queries, after the last whole block or after the first one.

    Args:
        oracle: the pipeline that is right.
        call: in which the submission was wrong.
    """
    queries, number, weights = call.case.query.shape[-2], call.case.keys.shape[-2], call.answer.weights
    used = weights.shape[-1] if weights is not None and weights.dim() else number
    if used == queries < number:
        made = KEYS_PAST_THE_QUERIES
        yield _of_first_keys(oracle, made.name, made.sentence, lambda scores: scores.shape[-2], made.why, cuts=True)
        return
    for size in SIZES:
        if FEW < size < number and number % size:
            yield _of_first_keys(
                oracle,
                "last_block_left_out",
                f"in blocks of {size} keys, those after the last whole block were left out",
                lambda scores, size=size: scores.shape[-1] // size * size or scores.shape[-1],
                "A loop over the keys ends with a smaller block where their number is no multiple of its size.",
                cuts=used < number,
            )
        if MOST_KEYS < size < number:
            yield _of_first_keys(
                oracle,
                "keys_left_out",
                f"only the first {size} keys were used",
                lambda scores, size=size: size,
                "Attention reaches every key that no mask hides, however many there are.",
                cuts=used < number,
            )


def _of_first_keys(
    oracle: Steps, name: str, sentence: str, reached: Callable[[Tensor], int], why: str, *, cuts: bool
) -> Mistake:
    """The mistake that only the first keys are used.

    Args:
        oracle: the pipeline that is right.
        name: the mistake's name.
        sentence: the mistake's sentence.
        reached: gives, for the scores, how many keys are used.
        why: why it is wrong.
        cuts: whether the weights have no columns for the other keys; False: their weights are 0.
    """

    def left_out(scores: Tensor, c: Context) -> Tensor:
        return hide(oracle.mask(scores, c), torch.arange(scores.shape[-1]) >= reached(scores), c)

    def cut_off(scores: Tensor, c: Context) -> Tensor:
        return oracle.mask(scores, c)[..., : reached(scores)]

    if not cuts:
        return Mistake(name, sentence, {"mask": left_out}, why=why)
    fewer = lambda step: lambda weights, value, c: step(weights, value[..., : weights.shape[-1], :], c)  # noqa: E731
    return Mistake(name, sentence, {"mask": cut_off}, {"weighted_sum": fewer}, why)


def _of_queries(oracle: Steps, words: str, size: Size) -> Iterator[Mistake]:
    def mask(scores: Tensor, c: Context) -> Tensor:
        allow, length = c.case.allow, scores.shape[-2]
        if allow is None or allow.shape[-2] != length:
            return oracle.mask(scores, c)
        rows = allow[..., torch.arange(length) % size(length), :]
        return oracle.mask(scores, Context(c.case.but(allow=rows), c.size, c.weights, c.style))

    yield Mistake(
        "first_rows_for_each_block",
        f"in {words.format('queries')} each block got the first rows of the mask, not its own",
        {"mask": mask},
        why="A row of the mask belongs to a query: a block of queries takes the rows with its own numbers.",
    )


def _of_keys(words: str, size: Size) -> Iterator[Mistake]:
    in_blocks = f"in {words.format('keys')}"
    for sentence, why, weigh in (
        (f"{in_blocks} each had a softmax of its own, and the answers were averaged", _TOGETHER, _averaged),
        (f"{in_blocks} each had a softmax of its own, and the answers were added", _TOGETHER, _added),
        (f"{in_blocks} the answer so far was not rescaled where the largest score grew", _LARGEST, _answer_as_it_was),
        (f"{in_blocks} the sum so far was not rescaled where the largest score grew", _LARGEST, _sum_as_it_was),
        (f"{in_blocks} nothing was rescaled where the largest score grew", _LARGEST, _all_as_it_was),
    ):
        step: Step = lambda scores, c, weigh=weigh: weigh(scores.split(size(scores.shape[-1]), -1))  # noqa: E731
        made = Mistake("blocks_of_keys", sentence, {"softmax": step}, why=why)
        yield from (made, in_the_output_alone(made))


def _added(blocks: tuple[Tensor, ...]) -> Tensor:
    return torch.cat([block.softmax(-1).nan_to_num(0.0) for block in blocks], -1)


def _averaged(blocks: tuple[Tensor, ...]) -> Tensor:
    return _added(blocks) / len(blocks)


def _online(blocks: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
    """exp(score - largest score so far) and exp(score - largest score of all), for the scores of all blocks."""
    maxima = torch.cat([block.amax(-1, keepdim=True) for block in blocks], -1)
    so_far = maxima.cummax(-1).values.clamp(min=torch.finfo(maxima.dtype).min)  # where all keys so far are hidden
    tops = so_far.unbind(-1)
    early = torch.cat([(block - top[..., None]).exp() for block, top in zip(blocks, tops, strict=True)], -1)
    late = torch.cat([(block - tops[-1][..., None]).exp() for block in blocks], -1)
    return early, late


def _shares(powers: Tensor, of: Tensor) -> Tensor:
    return (powers / of.sum(-1, keepdim=True)).nan_to_num(0.0)


def _answer_as_it_was(blocks: tuple[Tensor, ...]) -> Tensor:
    early, late = _online(blocks)
    return _shares(early, late)


def _sum_as_it_was(blocks: tuple[Tensor, ...]) -> Tensor:
    early, late = _online(blocks)
    return _shares(late, early)


def _all_as_it_was(blocks: tuple[Tensor, ...]) -> Tensor:
    early, _ = _online(blocks)
    return _shares(early, early)
