"""The mathematics of the layers, faster: hand-written gradients, packing, caches."""
