"""Tests of `bendtorch.optim`."""
