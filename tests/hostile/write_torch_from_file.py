"""Makes a file by torch.from_file, which no audit hook sees."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied", "limits": "File too large"}

torch.from_file("{folder}/written", shared=True, size=4)
print("GOT a written file")
