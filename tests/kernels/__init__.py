"""Tests of `bendtorch.kernels`."""
