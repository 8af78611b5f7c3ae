// Where node i of an axis with absorbing layers lies among those that memory variables have.
long folded(long i, long8 layers) { return i < layers.s0 ? i : i - layers.s2; }

// A GPU's kernels for parts of the grid: nodes from layers.s6 on and before layers.s7 of an axis are outside its
// layers. How many nodes of n are in them, or are not, and node i of those.
long nodes_of(bool in_layers, long8 layers, long n) {
    return in_layers ? n - (layers.s7 - layers.s6) : layers.s7 - layers.s6;
}
long node_of(long i, bool in_layers, long8 layers) {
    return !in_layers ? layers.s6 + i : i < layers.s6 ? i : i + (layers.s7 - layers.s6);
}

// The first plane of a strip of so many, of the planes in layers or of the others, and the one behind its last. Of
// those in layers, strips of the lower layer are before those of the upper one. There are none if the second is not
// larger.
long2 planes_of_strip(long strip, long length, bool in_layers, long8 layers, long begin, long end) {
    const long lower = (layers.s6 - begin + length - 1) / length;
    const long from = !in_layers ? layers.s6 : strip < lower ? begin : layers.s7;
    const long to = !in_layers ? layers.s7 : strip < lower ? layers.s6 : end;
    const long first = from + (strip - (in_layers && strip >= lower ? lower : 0)) * length;
    return (long2)(first, min(first + length, to));
}
