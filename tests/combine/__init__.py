"""Tests of `bendtorch.combine`."""
