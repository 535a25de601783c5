"""The test suite: it mirrors the package, path for path."""
