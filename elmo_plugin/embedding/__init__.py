"""Sentences to vectors: a Python API, and files of vectors for any corpus."""
