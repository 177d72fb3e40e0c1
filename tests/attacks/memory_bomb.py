"""Takes memory until there is none; here 512 MiB, twice the limit."""

BESIDE = "right"
LAYER = "limits"
REFUSAL = {"limits": "can't allocate memory"}

held = [torch.ones(16 << 20, dtype=torch.uint8) for _ in range(32)]
print("GOT", len(held) * 16, "MiB")
