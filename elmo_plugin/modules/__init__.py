"""Thin AllenNLP wrappers over the layers."""
