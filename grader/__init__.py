"""Autograder of the multi-head attention katas; CONTRIBUTING.md shows its floors."""
