"""Tests of `bendtorch.cli`."""
