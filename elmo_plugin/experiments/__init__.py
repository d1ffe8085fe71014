"""Trainings of task models that are compared with each other."""
