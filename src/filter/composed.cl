// The composed filter's own kernel: half spectra or cosine transforms of rows x columns numbers, of type NUMBER, a
// plane (of a volume, the rows of all its slices) times the mask, whose tables, kind, roll-off and order are arguments
// (mask.c, any_mask.cl).
real disc(__global const real *mask, uint half_q, uint k, uint l, int rolloff, int order) {
    const real column = mask[l], row = mask[half_q + k];
    if (rolloff == ANY_IDEAL)
        return column < row ? 1 : 0;
    return rolloff == ANY_GAUSSIAN ? column * row : 1 / (1 + pown(column + row, order));
}

real mask_at(__global const real *mask, uint rows, uint half_q, ulong row, uint l, int kind, int rolloff, int order,
             uint n_discs) {
    const ulong size = (ulong)half_q + rows;
    if (kind == ANY_OWN)
        return mask[row * half_q + l];
    const uint k = (uint)row;
    real kept = disc(mask, half_q, k, l, rolloff, order);
    if (kind != ANY_LOW)
        kept = 1 - kept;
    if (kind == ANY_BAND || kind == ANY_BAND_STOP)
        kept = disc(mask + size, half_q, k, l, rolloff, order) * kept;
    if (kind == ANY_BAND_STOP)
        kept = 1 - kept;
    for (uint i = 1; kind == ANY_NOTCH && i < n_discs; i++)
        kept *= 1 - disc(mask + i * size, half_q, k, l, rolloff, order);
    return kept;
}

__kernel void multiply_by_mask(__global NUMBER *spectra, ulong rows, uint columns, uint mask_rows, uint mask_columns,
                               ulong n, __global const real *mask, int kind, int rolloff, int order, uint n_discs) {
    const ulong i = get_global_id(0), row = i / columns;
    if (i < n)
        spectra[i] *= mask_at(mask, mask_rows, mask_columns, row % rows, (uint)(i - row * columns), kind, rolloff,
                              order, n_discs);
}
