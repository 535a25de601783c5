"""What mypy accepts and rejects with the plugin, word for word."""
