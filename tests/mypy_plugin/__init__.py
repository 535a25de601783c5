"""Tests of the mypy plugin apart from mypy: arithmetic, wording, faults."""
