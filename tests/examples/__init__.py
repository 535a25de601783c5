"""Tests of the examples, which `make demo` also runs."""
