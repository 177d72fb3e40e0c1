"""Takes more memory than it may have, in each call; here 512 MiB, twice the limit, and keeps it to the next."""

BESIDE = "right"
HONEST = 0
WALL = "limits"
REFUSAL = {"limits": "can't allocate memory"}
VERDICTS = ("memory",)
SAYS = "can't allocate memory"

held = []


def scaled_dot_product_attention(q, k, v, mask=None):
    held.clear()
    held.append(torch.empty(512 << 20, dtype=torch.uint8))
    return held[0]


print("GOT", scaled_dot_product_attention(None, None, None).numel() >> 20, "MiB in a call")
