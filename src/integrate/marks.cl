// What kernels over regions share (regions.cl, hidden.cl).

#define EPSILON (PRECISION == 64 ? REAL(2.220446049250313e-16) : REAL(1.1920928955078125e-7))

// Marks of a region: its axis, and
#define AT_FLOOR 0x80 // the error is all rounding: splitting does not help
#define SPLIT 0x40
#define SERIES 0x20     // value and error are those of a series at a singular end
#define NOT_FINITE 0x10 // the integrand is not: the value is 0, the error infinite
#define LOST 0x08       // it is not, but was in the region this is a half of: value and error are from there
#define AXIS (DIM > 1 ? 0x07 : 0)
// Of a region with one variable:
#define ROUGH 0x02   // the integrand is not resolved, so nothing is known of how it goes on between the nodes
#define TAIL 0x04    // with SERIES: that end is infinity
#define STEEP 0x04   // without: it may be singular at its end, by something else than a power times a smooth factor
#define SUSPECT 0x01 // it is so at one place, which is looked for (locate.cl) and the region cut there

// A region with one variable that may be singular at its end is not halved where its half is below so many EPSILON of
// x, as the nodes next to the end, 1/230 of it away, decide there.
#define FINEST_AT_CUT 256

realv gather(__global const real *from, const uint *index, uint stride, uint offset) {
    real lanes[WIDTH];
    for (uint l = 0; l < WIDTH; l++)
        lanes[l] = from[(ulong)index[l] * stride + offset];
    return LOADV(lanes);
}

// The cuts of all integrals, as begin has them.
typedef struct all_cuts {
    __global const real *cuts;
    ulong intervals;
    uint stride;
} all_cuts;

// What shares of its integral's range along each axis a region has, one to a lane: lengths have units, and no axis is
// the widest by them.
void find_shares(const uint *index, const uint *set, uint capacity, __global const real *len, const all_cuts *all,
                 realv *share) {
    uint first = 0;
    for (uint a = 0; a < DIM; a++) {
        const uint last = first + 2 * (uint)(all->intervals >> 8 * a & 0xff);
        const realv whole = gather(all->cuts, set, all->stride, last) - gather(all->cuts, set, all->stride, first);
        share[a] = fabs(gather(len + (ulong)a * capacity, index, 1, 0) / whole);
        first = last + 2;
    }
}
