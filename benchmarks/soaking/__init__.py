"""Killing and resuming training runs; see `benchmarks/soak.py`."""
