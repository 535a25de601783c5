"""Tests of `bendtorch.laws`."""
