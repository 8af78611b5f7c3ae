// Positions of a Fourier transform, and the real numbers of even or odd data (`sine`) around it. Sine transforms are
// cosine transforms of the numbers in reverse order on one side, with every other sign changed on the other.
INLINE real even_signed(real value, bool negative) { return negative ? -value : value; }

// Which number is at a position: 0, 2, 4, .., 5, 3, 1.
INLINE uint even_spread(uint n, uint p) { return 2 * p < n ? 2 * p : 2 * (n - p) - 1; }

INLINE real2 even_mirrored(bool sine, uint n, __global const real *from, long stride, uint p) {
    if (!sine)
        return (real2)(from[(long)(p < n ? p : 2 * (n - 1) - p) * stride], 0);
    if (p == 0 || p == n + 1)
        return (real2)(0, 0);
    return (real2)(p <= n ? from[(long)(p - 1) * stride] : -from[(long)(2 * n + 1 - p) * stride], 0);
}

INLINE real2 even_strided(bool sine, uint n, __global const real *from, long stride, uint p) {
    const ulong m = (n / 2 + 4 * (ulong)p) % (4 * (ulong)n), copy = m / n, in_copy = m - copy * n;
    const ulong i = copy & 1 ? n - 1 - in_copy : in_copy;
    return (real2)(even_signed(from[(long)(sine ? n - 1 - i : i) * stride], copy == 1 || copy == 2), 0);
}

INLINE real2 even_load(uint map, bool sine, uint n, __global const real *from, long stride, uint p) {
    if (map == EVEN_SPREAD) {
        const uint i = even_spread(n, p);
        return (real2)(even_signed(from[(long)i * stride], sine && i % 2), 0);
    }
    if (map == EVEN_ROTATED && p == 0)
        return (real2)(from[sine ? (long)(n - 1) * stride : 0], 0);
    if (map == EVEN_ROTATED)
        return (real2)(from[(long)(sine ? n - 1 - p : p) * stride], -from[(long)(sine ? p - 1 : n - p) * stride]);
    if (map == EVEN_MIRRORED)
        return even_mirrored(sine, n, from, stride, p);
    if (map == EVEN_STRIDED)
        return even_strided(sine, n, from, stride, p);
    if (map == EVEN_PAIRED) {
        const uint i = even_spread(n, 2 * p), j = even_spread(n, 2 * p + 1);
        return (real2)(even_signed(from[(long)i * stride], sine && i % 2),
                       even_signed(from[(long)j * stride], sine && j % 2));
    }
    const real2 ends = (real2)(from[(long)(2 * p) * stride], from[(long)(n - 1 - 2 * p) * stride]);
    return sine ? ends.yx : ends;
}

// (-1)^(m / 2) value
INLINE real even_quarter(real value, uint m) { return even_signed(value, m / 2 % 2); }

// The results of an odd length n of which result k of the transform is the only part.
INLINE void even_store_strided(bool sine, uint n, __global real *to, long stride, uint k, real2 value) {
    const uint middle = n / 2, steps = k / 2;
    const real c = value.x, s = value.y;
    if (k > middle)
        return;
    const uint i = k % 2 ? steps : middle - steps, j = n - 1 - i;
    real at_i, at_j;
    if (k % 2) {
        at_i = even_quarter(c, i + 1) + even_quarter(s, i);
        at_j = even_quarter(c, n - i) - even_quarter(s, n - i - 1);
    } else {
        at_i = even_quarter(c, i + 1) - even_quarter(s, i);
        at_j = even_quarter(c, j + 1) + even_quarter(s, j);
    }
    if (k == 0)
        at_i = even_quarter(c, middle + 1);
    to[(long)i * stride] = even_signed(at_i, sine && i % 2);
    if (i != j)
        to[(long)j * stride] = even_signed(at_j, sine && j % 2);
}

INLINE void even_store(uint map, bool sine, uint n, __global real *to, long stride, uint p, real2 value) {
    if (map == EVEN_SPREAD) {
        const uint i = even_spread(n, p);
        to[(long)i * stride] = even_signed(value.x, sine && i % 2);
    } else if (map == EVEN_ROTATED && 2 * p <= n) {
        to[(long)(sine ? n - 1 - p : p) * stride] = value.x;
        if (p > 0 && 2 * p < n)
            to[(long)(sine ? p - 1 : n - p) * stride] = -value.y;
    } else if (map == EVEN_MIRRORED && !sine && p < n) {
        to[(long)p * stride] = value.x;
    } else if (map == EVEN_MIRRORED && sine && p > 0 && p <= n) {
        to[(long)(p - 1) * stride] = -value.y;
    } else if (map == EVEN_FOLDED) {
        to[(long)(2 * p) * stride] = value.x;
        to[(long)(n - 1 - 2 * p) * stride] = even_signed(value.y, !sine);
    } else if (map == EVEN_PAIRED) {
        const uint i = even_spread(n, 2 * p), j = even_spread(n, 2 * p + 1);
        to[(long)i * stride] = even_signed(value.x, sine && i % 2);
        to[(long)j * stride] = even_signed(value.y, sine && j % 2);
    } else if (map == EVEN_STRIDED) {
        even_store_strided(sine, n, to, stride, p, value);
    }
}
