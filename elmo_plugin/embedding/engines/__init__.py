"""Engines, which encode the blocks of a corpus in several processes or on several machines."""
