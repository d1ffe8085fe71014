"""Other implementations of a biLM, to compare speeds with."""
