// The Wiener filter's kernels: spectra of slices x rows x columns numbers a plane, of type NUMBER, complex halves or,
// with COSINE, orthogonal but for factors that the power of the noise holds (wiener.c). Power is counted in that of the
// noise, as squares of what spectra hold may be beyond the type. Means are over REACH frequencies on either side.

#define MEANT (2 * REACH + 1)
#define MEDIAN REAL(0.67448975019608171) // of |x|, x normal of variance 1

// ---- The noise of a plane, from N_SAMPLES squares of four pixels spread over it (in each of as many equal parts, one
// anywhere).

uint scatter(uint i) { // Wang's hash
    i = (i ^ 61) ^ (i >> 16);
    i *= 9;
    i ^= i >> 4;
    i *= 0x27d4eb2d;
    return i ^ (i >> 15);
}

__kernel void take_samples(__global const real *planes, uint pitch, uint plane_rows, uint slices, uint depth,
                           uint height, uint width, ulong n, __global real *samples) {
    const ulong i = get_global_id(0), plane = i / N_SAMPLES, sample = i % N_SAMPLES;
    if (i >= n)
        return;
    const ulong across = width / 2, down = height / 2, squares = across * down * depth;
    const ulong first = sample * squares / N_SAMPLES, part = (sample + 1) * squares / N_SAMPLES - first;
    const ulong square = first + (part > 1 ? scatter((uint)sample) % part : 0), row = square / across;
    const ulong z = row / down, y = 2 * (row - z * down), x = 2 * (square - row * across);
    __global const real *at = planes + ((plane * slices + z) * plane_rows + y) * pitch + x;
    samples[i] = fabs(at[0] - at[1] - at[pitch] + at[pitch + 1]) / 2;
}

// The sample of the middle rank gives its plane's noise.
__kernel void find_median(__global const real *samples, ulong n, __global real *deviations) {
    const ulong i = get_global_id(0), plane = i / N_SAMPLES;
    if (i >= n)
        return;
    const uint own = (uint)(i - plane * N_SAMPLES);
    __global const real *all = samples + plane * N_SAMPLES;
    const real value = all[own];
    uint rank = 0;
    for (uint k = 0; k < N_SAMPLES; k++)
        rank += all[k] < value || (all[k] == value && k < own) ? 1 : 0;
    if (rank == N_SAMPLES / 2)
        deviations[plane] = value / MEDIAN;
}

// ---- The image's power.

// What noise has at a frequency: `root` is that of noise of standard deviation 1, `given` the deviation, if it is not
// found for each plane.
real noise_of(real root, real given, __global const real *deviations, ulong plane) {
    return root * (ESTIMATED ? deviations[plane] : given);
}

// Number l of a line that goes on beyond its ends.

uint mirrored(int l, uint n) {
    l = l < 0 ? -l : l;
    return (uint)clamp(l < (int)n ? l : 2 * (int)n - 1 - l, 0, (int)n - 1);
}

uint around(int l, uint n) {
    l %= (int)n;
    return (uint)(l < 0 ? l + (int)n : l);
}

real power_of(NUMBER f, real noise, uint z, uint y, uint x) {
    if (x == 0 && y == 0 && z == 0)
        return 0;
    f /= noise;
#if COSINE
    return f * f / ((x == 0 ? 2 : 1) * (y == 0 ? 2 : 1) * (VOLUME && z == 0 ? 2 : 1));
#else
    return f.x * f.x + f.y * f.y;
#endif
}

// The mean along the rows, of which the left halves of others' mirror images go on beyond the ends: the frequency
// (z, y, -x) is the opposite of (-z, -y, x).
__kernel void mean_of_power(__global const NUMBER *spectra, uint slices, uint rows, uint columns, uint q, real root,
                            real given, __global const real *deviations, ulong n, __global real *means) {
    const ulong i = get_global_id(0), row = i / columns, slice = row / rows, plane = slice / slices;
    if (i >= n)
        return;
    const int x = (int)(i - row * columns);
    const uint y = (uint)(row - slice * rows), z = (uint)(slice - plane * slices);
    const real noise = noise_of(root, given, deviations, plane);
    real sum = 0;
    for (int k = x - REACH; k <= x + REACH; k++) {
#if COSINE
        const uint l = mirrored(k, q), v = y, w = z;
#else
        const uint all = around(k, q);
        const bool back = all >= columns;
        const uint l = back ? q - all : all, v = back && y > 0 ? rows - y : y, w = back && z > 0 ? slices - z : z;
#endif
        sum += power_of(spectra[((plane * slices + w) * rows + v) * columns + l], noise, w, v, l);
    }
    means[i] = sum / MEANT;
}

// The mean along an axis of `length` numbers, `stride` apart.
__kernel void mean_along(__global const real *from, uint length, ulong stride, ulong n, __global real *to) {
    const ulong i = get_global_id(0), line = i / stride, own = line % length;
    if (i >= n)
        return;
    const ulong base = i - own * stride;
    real sum = 0;
    for (int k = (int)own - REACH; k <= (int)own + REACH; k++)
        sum += from[base + stride * (COSINE ? mirrored(k, length) : around(k, length))];
    to[i] = sum / MEANT;
}

// spectra (1 - 1 / power), where that is positive; as they are without noise.
__kernel void take_noise_off(__global NUMBER *spectra, __global const real *means, ulong plane_numbers, real root,
                             real given, __global const real *deviations, ulong n) {
    const ulong i = get_global_id(0), plane = i / plane_numbers;
    if (i >= n || i == plane * plane_numbers || noise_of(root, given, deviations, plane) == 0)
        return;
    spectra[i] *= means[i] > 1 ? 1 - 1 / means[i] : 0;
}
