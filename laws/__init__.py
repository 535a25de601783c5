"""The laws, checked on everything that ships; what needs more than `check` has a file of its own."""
