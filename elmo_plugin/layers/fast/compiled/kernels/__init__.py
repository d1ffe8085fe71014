"""Loops that numba compiles: several elementwise passes in one, without temporaries."""
