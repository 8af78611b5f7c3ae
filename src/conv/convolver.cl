// The sum over the parts of a kernel of their spectra times those of the input's blocks, so many blocks ago. A part has
// n vectors of eight complex numbers; `history` is a ring, whose newest block is number `newest`.
#if PRECISION == 64
typedef double8 real8;
typedef double16 real16;
#else
typedef float8 real8;
typedef float16 real16;
#endif

__kernel void accumulate(__global const real16 *restrict history, __global const real16 *restrict spectra,
                         __global real16 *restrict product, uint n, uint parts, uint newest) {
    const uint i = get_global_id(0);
    if (i >= n)
        return;
    real8 re = 0, im = 0;
    uint block = newest;
    for (uint p = 0; p < parts; p++) {
        const real16 x = history[(size_t)block * n + i], y = spectra[(size_t)p * n + i];
        re += x.even * y.even - x.odd * y.odd;
        im += x.even * y.odd + x.odd * y.even;
        block = block > 0 ? block - 1 : parts - 1;
    }
    real16 sum;
    sum.even = re;
    sum.odd = im;
    product[i] = sum;
}
