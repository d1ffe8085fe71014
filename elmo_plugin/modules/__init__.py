"""Thin AllenNLP wrappers of the layers."""
