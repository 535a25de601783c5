"""The tape beside PyTorch: values, vector-Jacobian and Jacobian-vector products."""
