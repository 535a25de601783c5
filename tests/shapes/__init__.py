"""Tests of `bendtorch.shapes`."""
