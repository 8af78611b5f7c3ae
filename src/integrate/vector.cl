// Vectors of WIDTH numbers, or plain ones. Stands before the integrand and the kernels of a method.
#pragma OPENCL FP_CONTRACT OFF
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if PRECISION == 64
#define SCALAR double
#else
#define SCALAR float
#endif
#if WIDTH == 1
typedef real realv;
#define LOADV(p) (*(p))
#define STOREV(v, p) (*(p) = (v))
#else
typedef JOIN(SCALAR, WIDTH) realv;
#define LOADV(p) JOIN(vload, WIDTH)(0, p)
#define STOREV(v, p) JOIN(vstore, WIDTH)(v, 0, p)
#endif

// CPU-shaped work-groups have one item, without barriers, which take a compiler for CPUs long.
#if WIDTH > 1
#define ITEM 0
#define ITEMS 1
#define SYNC()
#else
#define ITEM get_local_id(0)
#define ITEMS get_local_size(0)
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

// A number in twice the precision: hi + lo (Dekker 1971).
typedef struct pair {
    real hi, lo;
} pair;

pair pair_of(real hi, real lo) {
    pair p = {hi, lo};
    return p;
}

pair pair_add(pair a, pair b) {
    const real s = a.hi + b.hi, t = s - a.hi;
    const real e = (a.hi - (s - t)) + (b.hi - t) + (a.lo + b.lo);
    const real hi = s + e;
    return pair_of(hi, e - (hi - s));
}

pair pair_multiply(pair a, pair b) {
    const real p = a.hi * b.hi, e = fma(a.hi, b.hi, -p) + (a.hi * b.lo + a.lo * b.hi);
    const real hi = p + e;
    return pair_of(hi, e - (hi - p));
}

pair pair_of_count(ulong n) {
    const real hi = (real)n;
    return pair_of(hi, (real)((long)n - (long)hi));
}

// The sum of a vector's components, pairwise.
real sum_lanes(realv v) {
#if WIDTH == 1
    return v;
#else
    real lanes[WIDTH];
    STOREV(v, lanes);
    for (uint reach = WIDTH / 2; reach > 0; reach /= 2)
        for (uint l = 0; l < reach; l++)
            lanes[l] += lanes[l + reach];
    return lanes[0];
#endif
}

// The sum of all work-items' pairs, by a tree, in item 0. scratch holds two numbers an item.
pair sum_group(pair s, __local real *scratch) {
    for (uint reach = ITEMS / 2; reach > 0; reach /= 2) {
        SYNC();
        if (ITEM >= reach && ITEM < 2 * reach) {
            scratch[2 * ITEM] = s.hi;
            scratch[2 * ITEM + 1] = s.lo;
        }
        SYNC();
        if (ITEM < reach)
            s = pair_add(s, pair_of(scratch[2 * (ITEM + reach)], scratch[2 * (ITEM + reach) + 1]));
    }
    return s;
}
