"""Writes a file beside the submissions of others."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied", "limits": "File too large"}

with open("{folder}/written", "w") as file:
    file.write("was here")
    file.flush()
print("GOT a written file")
