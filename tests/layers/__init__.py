"""Tests of `bendtorch.layers`."""
