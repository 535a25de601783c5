"""Tests of GGUF files."""
