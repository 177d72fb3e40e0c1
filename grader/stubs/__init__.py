"""Writes the exercises and notebooks from the solutions, and keeps what they replace."""
