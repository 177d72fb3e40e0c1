"""Reads the solution of its kata."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

with open("{root}/solutions/scaled_dot_product.py") as file:
    print("GOT", file.read().count("def scaled_dot_product_attention"), "solution")
