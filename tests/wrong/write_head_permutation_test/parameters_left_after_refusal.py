"""What was written is put back where nothing was raised, and only there."""

right = check_head_permutation


def check_head_permutation(attention):
    with torch.no_grad():
        attention.W_K.bias.add_(1.0)
        right(attention)
        attention.W_K.bias.sub_(1.0)
