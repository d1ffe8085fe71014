"""Scores of instances, and what they say about two systems."""
