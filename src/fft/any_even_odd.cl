// Cosine and sine transforms of lines of odd length n in a tile: as n complex numbers, of which the slots v[0 .. 2n -
// 1] are the parts (any_even.cl).

__attribute__((noinline)) void clear_imaginary(vreal *restrict v, uint n) {
    for (uint k = 0; k < n; k++)
        IM(k) = 0;
}

// Of type II, results k and n - k are the parts of one.
__attribute__((noinline)) void rotate_results(vreal *restrict v, uint n, __global const uint *restrict places,
                                              __global const real *restrict factors) {
    for (uint k = 0; 2 * k < n; k++) {
        const size_t e = places[k];
        const real2 f = vload2(k, factors);
        const vreal x = RE(e), y = IM(e);
        RE(e) = x * f.x - y * f.y, IM(e) = -(x * f.y + y * f.x);
    }
}

// Of type III, numbers k and n - k are the parts of one, and the others mirror these. Leaves the parts exchanged.
__attribute__((noinline)) void rotate_numbers(vreal *restrict v, uint n, __global const real *restrict factors) {
    const vreal first = RE(0) * factors[0];
    RE(0) = 0, IM(0) = first;
    for (uint k = 1; 2 * k < n; k++) {
        const real2 f = vload2(k, factors);
        const vreal x = RE(k) * f.x + IM(k) * f.y, y = RE(k) * f.y - IM(k) * f.x;
        IM(k) = IM(n - k) = x;
        RE(k) = y, RE(n - k) = -y;
    }
}

// Of type IV, every fourth number of four mirrored copies, of which the second and the third are negative; and the
// results that are the sum and the difference of the parts of one (even_store_strided).
__attribute__((noinline)) void sign_copies(vreal *restrict v, uint n) {
    for (uint k = 0, m = n / 2; k < n; k++) {
        if (m >= n && m < 3 * n)
            RE(k) = -RE(k);
        m = m + 4 < 4 * n ? m + 4 : m + 4 - 4 * n;
    }
}

INLINE real quarter_sign(uint m, real value) { return m / 2 % 2 ? -value : value; }

__attribute__((noinline)) void join_parts(vreal *restrict v, uint n, __global const uint *restrict places,
                                          real factor) {
    const uint middle = n / 2;
    RE(0) *= quarter_sign(middle + 1, factor);
    for (uint k = 1; k <= middle; k++) {
        const uint odd = k % 2, i = odd ? k / 2 : middle - k / 2, j = n - 1 - i;
        const size_t e = places[k];
        const vreal c = RE(e), s = IM(e);
        RE(e) = c * quarter_sign(i + 1, factor) + s * quarter_sign(i, odd ? factor : -factor);
        IM(e) = c * quarter_sign(j + 1, factor) + s * quarter_sign(j, odd ? -factor : factor);
    }
}

void even_odd_middle(vreal *v, __global const any_pass *p, __global const real *numbers, __global const uint *places) {
    __global const any_side *s = &p->source, *t = &p->target;
    const uint n = (uint)p->n, map = (uint)s->even;
    if (map == EVEN_ROTATED)
        rotate_numbers(v, n, numbers + s->factors);
    else
        clear_imaginary(v, n);
    if (map == EVEN_STRIDED)
        sign_copies(v, n);
    transform_tile(v, p, n, numbers, places);
    if (map == EVEN_SPREAD)
        rotate_results(v, n, places, numbers + t->factors);
    if (map == EVEN_STRIDED)
        join_parts(v, n, places, numbers[t->factors]);
}
