"""Scores of a task's instances without a neural network."""
