"""Comparisons of kernels, and where their coefficients come from."""
