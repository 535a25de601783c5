"""The parts of llvmlite that bendtorch uses."""

__version__: str
