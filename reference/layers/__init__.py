"""Comparisons of layers."""
