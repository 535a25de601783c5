"""Tests of `bendtorch.losses`."""
