"""Everything is refused."""


def check_head_permutation(attention):
    raise AssertionError("the heads are not alike")
