"""The operations beside PyTorch's. Those that round each number once are held to that by their tests."""
