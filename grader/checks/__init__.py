"""The vocabulary that a kata's checks are written in.

Axes: N batch, L queries, S keys, E embedding, H heads, D = E / H.
"""
