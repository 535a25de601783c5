"""Settings for the whole suite: generated cases are the same in every run, and no case has a time limit."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from bendtorch.kernels.compile import JIT

settings.register_profile(
    "suite",
    derandomize=True,
    deadline=None,
    max_examples=60 if JIT else 15,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow],  # the first case of a test may compile kernels
)
settings.load_profile("suite")
