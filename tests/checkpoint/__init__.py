"""Tests of `bendtorch.checkpoint`."""
