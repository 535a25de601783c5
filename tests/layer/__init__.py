"""Tests of `bendtorch.layer`."""
