"""Comparisons of whole training runs."""
