"""Correct submissions that are untidy: each must score 100. tests/test_untidy.py grades them."""
