"""Edits of our solution of `need_weights`: all mistakes with a name are those of `module`."""

from tests.mistakes import Change, Edit, in_words

EDITS: tuple[Edit, ...] = ()
WITHOUT_A_NAME: dict[str, tuple[Change, ...]] = {}
KEPT = "nothing_of_the_size_of_the_weights_is_kept"
RETURNED = "return output, weights if need_weights else None"
LARGEST = "the largest tensor that is alive after the call"

IN_WORDS = (
    in_words(
        "the weights are stored in the layer",
        KEPT,
        LARGEST,
        "fewer than 17408 elements",
        (RETURNED, f"self.weights = weights\n        {RETURNED}"),
    ),
    in_words(
        "the mask is stored in the layer",
        KEPT,
        LARGEST,
        "fewer than 17408 elements",
        (RETURNED, f"self.mask = mask\n        {RETURNED}"),
    ),
)
