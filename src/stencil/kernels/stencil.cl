// What the kernels of stencils share. WIDTH, a power of two above 1: elements of a vector.
#pragma OPENCL FP_CONTRACT OFF
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if PRECISION == 64
#define SCALAR double
#define MASK long
#define ELEMENT_BYTES 8
#else
#define SCALAR float
#define MASK int
#define ELEMENT_BYTES 4
#endif

typedef JOIN(SCALAR, WIDTH) vreal;
typedef JOIN(long, WIDTH) vlong;
#define TO_VREAL(v) JOIN(JOIN(convert_, SCALAR), WIDTH)(v)
#if WIDTH == 2
#define LANES ((vlong)(0, 1))
#elif WIDTH == 4
#define LANES ((vlong)(0, 1, 2, 3))
#elif WIDTH == 8
#define LANES ((vlong)(0, 1, 2, 3, 4, 5, 6, 7))
#else
#define LANES ((vlong)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#endif
// The first n elements of v, and the others of w.
#define FIRST_LANES(n, v, w) (JOIN(JOIN(convert_, MASK), WIDTH)(LANES < (n)) ? (v) : (w))

// Vectors from and to any element. Some compilers make loads of pairs of vload and vstore.
typedef struct __attribute__((packed, aligned(ELEMENT_BYTES))) {
    vreal value;
} unaligned;
#define LOAD_GLOBAL(p) (((__global const unaligned *)(p))->value)
#define STORE_GLOBAL(v, p) (((__global unaligned *)(p))->value = (v))
#define LOAD_LOCAL(p) (((const __local unaligned *)(p))->value)
#define STORE_LOCAL(v, p) (((__local unaligned *)(p))->value = (v))

// Node i of a periodic axis of n nodes.
long wrap(long i, long n) {
    if (i >= 0 && i < n)
        return i;
    i %= n;
    return i < 0 ? i + n : i;
}

// The node that one beyond a mirror is like, half a node outside or on the last node.
long mirror_lower(long i, long n) { return i < 0 ? -1 - i : i; }
long mirror_upper(long i, long n) { return i >= n ? 2 * n - 1 - i : i; }
long mirror_lower_node(long i, long n) { return i < 0 ? -i : i; }
long mirror_upper_node(long i, long n) { return i >= n ? 2 * n - 2 - i : i; }
long mirror(long i, long n) { return mirror_lower(mirror_upper(i, n), n); }

// The place of node i in a window of n nodes from `first` on. If i lies beyond it, the window is the whole of a
// periodic axis.
long within(long i, long first, long n) {
    i -= first;
    return i >= 0 && i < n ? i : wrap(i, n);
}

// The first of the points begin..end-1, which are in order, that does not lie before a plane.
long first_point(__global const long4 *points, long begin, long end, long plane) {
    while (begin < end) {
        long middle = (begin + end) / 2;
        if (points[middle].s0 < plane)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}
