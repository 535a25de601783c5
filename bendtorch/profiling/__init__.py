"""Profiles: what each layer of a training step takes, and how near it comes to what the machine can do."""

from __future__ import annotations

from bendtorch.profiling.limits import Limits, machine_limits
from bendtorch.profiling.report import Profile
from bendtorch.profiling.step import profile
from bendtorch.profiling.watched import Watch, watch

__all__ = ["Limits", "Profile", "Watch", "machine_limits", "profile", "watch"]
