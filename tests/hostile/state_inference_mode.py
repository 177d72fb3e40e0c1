"""Switches gradients off for ever, enters inference mode and sets another default dtype."""

BESIDE = "right"
WALL = "process"

torch.set_grad_enabled(False)
torch.set_default_dtype(torch.float16)
torch.inference_mode().__enter__()
print("GOT", torch.is_inference_mode_enabled())
