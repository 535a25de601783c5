"""Tests of `bendtorch.ops`."""
