"""Opens an archive by torch's own C++ reader."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "open file failed", "landlock": "open file failed"}

print("GOT", torch._C.PyTorchFileReader("{folder}/tensor.pt").get_all_records())
