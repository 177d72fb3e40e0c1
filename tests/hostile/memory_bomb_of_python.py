"""Takes memory by one huge list; here 512 MiB."""

BESIDE = "right"
WALL = "limits"
REFUSAL = {"limits": "MemoryError"}

held = [None] * (64 << 20)
print("GOT", len(held) * 8 >> 20, "MiB")
