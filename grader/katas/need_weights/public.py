"""`need_weights`: the checks that a candidate is given beside those of `module`."""

from grader.checks import tiers
from grader.claims import memory

CLAIMS = tiers.public(
    tiers.MEMORY(weight=6)(memory.none_stands_in_place_of_the_weights),
    tiers.MEMORY(weight=6)(memory.nothing_of_the_size_of_the_weights_is_kept),
    tiers.MEMORY(weight=6)(memory.nothing_is_kept_once_the_graph_is_gone),
    tiers.MEMORY(weight=3)(memory.nothing_piles_up),
)
