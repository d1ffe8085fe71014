"""Killing and resuming trainings; see `benchmarks/soak.py`."""
