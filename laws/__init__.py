"""The laws, checked on every layer that ships: one file for each family."""
