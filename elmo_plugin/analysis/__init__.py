"""The paper's analysis (section 5): arrays in, tables and figures out."""
