"""Trainers, checkpoints and callbacks."""
