// The kernels of the published variants A to E (Burtsev): radix-2 transforms of length N = 2^LOG_N with a table
// w[u] = exp(-2 pi i u / N), u = 0..N; the inverse uses w[N - u]. LOG_N and MAX_NP, the most complex numbers a
// work-item keeps in private memory, are compile-time constants.
#define N (1u << LOG_N)

uint reverse_bits(uint i) {
    uint r = 0;
    for (uint b = 0; b < LOG_N; b++)
        r |= ((i >> b) & 1) << (LOG_N - 1 - b);
    return r;
}

// One butterfly of the stage that joins transforms of length `half` (a power of two): number b of N/2.
#define BUTTERFLY(v, b, log_half, w, inverse)                                                                          \
    {                                                                                                                  \
        uint half_ = 1u << (log_half), k_ = (b) & (half_ - 1), i_ = (((b)-k_) << 1) + k_;                              \
        uint u_ = k_ << (LOG_N - 1 - (log_half));                                                                      \
        real2 t_ = complex_multiply((v)[i_ + half_], (w)[(inverse) ? N - u_ : u_]);                                    \
        (v)[i_ + half_] = (v)[i_] - t_;                                                                                \
        (v)[i_] += t_;                                                                                                 \
    }

// All stages on a vector in bit-reversed order, by one work-item; the inverse also scales by 1/N.
#define STAGES(v, w, inverse)                                                                                          \
    {                                                                                                                  \
        for (uint s_ = 0; s_ < LOG_N; s_++)                                                                            \
            for (uint b_ = 0; b_ < N / 2; b_++)                                                                        \
                BUTTERFLY(v, b_, s_, w, inverse)                                                                       \
        if (inverse)                                                                                                   \
            for (uint i_ = 0; i_ < N; i_++)                                                                            \
                (v)[i_] *= (real)1 / N;                                                                                \
    }

void reverse_in_place(__global real2 *v) {
    for (uint i = 0; i < N; i++) {
        uint r = reverse_bits(i);
        if (r > i) {
            real2 t = v[i];
            v[i] = v[r];
            v[r] = t;
        }
    }
}

// A and B: one work-item transforms one vector.
__kernel void transform_vector(__global real2 *vectors, __global const real2 *w, ulong n_vectors, int inverse) {
    ulong line = get_global_id(0);
    if (line >= n_vectors)
        return;
    __global real2 *vector = vectors + (line << LOG_N);
#if (1 << LOG_N) <= MAX_NP
    real2 v[N];
    for (uint i = 0; i < N; i++)
        v[reverse_bits(i)] = vector[i];
    STAGES(v, w, inverse)
    for (uint i = 0; i < N; i++)
        vector[i] = v[i];
#else
    reverse_in_place(vector);
    STAGES(vector, w, inverse)
#endif
}

// A, B: one work-item a vector; x *= y. y_step is N, or 0 when one y goes with every x.
__kernel void multiply_vector(__global real2 *x, __global const real2 *y, ulong n_vectors, uint y_step) {
    ulong line = get_global_id(0);
    if (line >= n_vectors)
        return;
    x += line << LOG_N;
    y += line * y_step;
    for (uint i = 0; i < N; i++)
        x[i] = complex_multiply(x[i], y[i]);
}

// C: one work-item convolves one pair of vectors, x with y into x. Without room in private memory y is overwritten too.
__kernel void convolve_vector(__global real2 *x, __global real2 *y, __global const real2 *w, ulong n_vectors) {
    ulong line = get_global_id(0);
    if (line >= n_vectors)
        return;
    x += line << LOG_N;
    y += line << LOG_N;
#if (2 << LOG_N) <= MAX_NP
    real2 a[N], b[N];
    for (uint i = 0; i < N; i++) {
        uint r = reverse_bits(i);
        a[r] = x[i];
        b[r] = y[i];
    }
    for (uint s = 0; s < LOG_N; s++)
        for (uint k = 0; k < N / 2; k++) {
            BUTTERFLY(a, k, s, w, 0)
            BUTTERFLY(b, k, s, w, 0)
        }
    for (uint i = 0; i < N; i++)
        a[i] = complex_multiply(a[i], b[i]);
    for (uint i = 0; i < N; i++)
        b[reverse_bits(i)] = a[i];
    STAGES(b, w, 1)
    for (uint i = 0; i < N; i++)
        x[i] = b[i];
#else
    reverse_in_place(x);
    reverse_in_place(y);
    STAGES(x, w, 0)
    STAGES(y, w, 0)
    for (uint i = 0; i < N; i++)
        x[i] = complex_multiply(x[i], y[i]);
    reverse_in_place(x);
    STAGES(x, w, 1)
#endif
}

// D and E: one work-item an element, or a butterfly, and a launch a stage.
__kernel void reverse_elements(__global real2 *vectors, ulong n_elements) {
    ulong item = get_global_id(0);
    if (item >= n_elements)
        return;
    uint i = (uint)item & (N - 1), r = reverse_bits(i);
    if (r > i) {
        __global real2 *vector = vectors + (item - i);
        real2 t = vector[i];
        vector[i] = vector[r];
        vector[r] = t;
    }
}

__kernel void butterflies(__global real2 *vectors, __global const real2 *w, ulong n_butterflies, uint log_half,
                          int inverse) {
    ulong item = get_global_id(0);
    if (item >= n_butterflies)
        return;
#if LOG_N > 0
    uint b = (uint)item & (N / 2 - 1);
    __global real2 *vector = vectors + ((item >> (LOG_N - 1)) << LOG_N);
    BUTTERFLY(vector, b, log_half, w, inverse)
#endif
}

__kernel void scale_elements(__global real2 *vectors, ulong n_elements) {
    ulong item = get_global_id(0);
    if (item < n_elements)
        vectors[item] *= (real)1 / N;
}

// y_mask is all ones, or N - 1 when one y goes with every x.
__kernel void multiply_elements(__global real2 *x, __global const real2 *y, ulong n_elements, ulong y_mask) {
    ulong item = get_global_id(0);
    if (item < n_elements)
        x[item] = complex_multiply(x[item], y[item & y_mask]);
}
