"""The tables and figures of Peters et al. 2018: one module for each."""
