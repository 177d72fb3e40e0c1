"""Makes the device meta the default: whatever is made from then on has no values."""

BESIDE = "wrong"
WALL = "process"

torch.set_default_device("meta")
print("GOT", torch.ones(1).device)
