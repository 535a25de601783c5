"""Tests of `bendtorch.rewrite`."""
