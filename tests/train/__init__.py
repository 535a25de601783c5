"""Tests of `bendtorch.train`."""
