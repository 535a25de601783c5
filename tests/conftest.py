"""Settings for the whole suite: generated cases are the same in every run, and no case has a time limit."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

from bendtorch.kernels.compile import JIT

# A shell starts what it runs in the background deaf to Ctrl-C, and a process hands that on: tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "suite",
    derandomize=True,
    deadline=None,
    max_examples=60 if JIT else 15,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow],  # the first case of a test may compile kernels
)
settings.load_profile("suite")
