// Where node i of an axis with absorbing layers lies among those that memory variables have.
long folded(long i, long8 layers) { return i < layers.s0 ? i : i - layers.s2; }
