"""The mode is put back at the end, which a refusal never reaches."""

right = check_head_permutation


def check_head_permutation(attention):
    was = attention.training
    attention.eval()
    right(attention)
    attention.train(was)
