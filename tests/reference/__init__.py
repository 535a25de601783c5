"""Tests of the judge and of the benchmark's pure parts; they run without PyTorch."""
