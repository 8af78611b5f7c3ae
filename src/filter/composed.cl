// The composed filter's own kernel: half spectra of p x half_q numbers a plane times the mask.
__kernel void multiply_by_mask(__global real2 *spectra, uint p, uint half_q, ulong n, __global const real *mask) {
    const ulong i = get_global_id(0), row = i / half_q;
    if (i < n)
        spectra[i] *= mask_at(mask, (uint)(row % p), (uint)(i - row * half_q));
}
