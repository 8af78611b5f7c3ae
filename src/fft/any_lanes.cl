// Vectors of lanes, one a line of a tile: in an array v, the parts of number i lie side by side.
#define RE(i) v[2 * (i)]
#define IM(i) v[2 * (i) + 1]

// Consecutive steps whose blocks of numbers are small go through one part of the tile after the other, each of whole
// blocks, which stays in the first cache from step to step.
#define NEAR_NUMBERS 512u
#define PART_OF(block) (NEAR_NUMBERS / (block) * (block))

// A tile is transposed square by square: ROW complex numbers of each line, one vector of a line, against the vectors of
// their real and imaginary parts. Lines come and go by halves, those of lines l and l + LANES/2 in one vector, so that
// what is left to transpose are smaller squares in each half of the vectors, whose numbers no instruction has to carry
// across. By rounds, written out: compilers keep vectors in registers only where no loop is left.
#if PRECISION == 64
#define LANES 4u
#define ROW 2u
typedef double8 vpairs;
#define VLOAD vload4
#define VSTORE vstore4
#define VLOAD_PAIRS vload8
#define VSTORE_PAIRS vstore8
#define PAIRS(x, y) (vpairs)((x).s0, (y).s0, (x).s1, (y).s1, (x).s2, (y).s2, (x).s3, (y).s3)
#define EVEN_NEAR(p) (vreal)((p).s0, (p).s4, (p).s2, (p).s6)
#define ODD_NEAR(p) (vreal)((p).s1, (p).s5, (p).s3, (p).s7)
#define PAIRS_NEAR(x, y) (vpairs)((x).s0, (y).s0, (x).s2, (y).s2, (x).s1, (y).s1, (x).s3, (y).s3)
#define OF_LANES(x) (vpairs)(x##0, x##1, x##2, x##3)
#define REVERSED(v) (v).s3210
#define EACH_LANE(F) F(0) F(1) F(2) F(3)
#define EACH_OF_ROW(F) F(0) F(1)
#define HALF_LOAD vload2
#define EACH_PAIR(F) F(0, 2) F(1, 3)
#define LOW(a, b) (vreal)((a).s0, (b).s0, (a).s2, (b).s2)
#define HIGH(a, b) (vreal)((a).s1, (b).s1, (a).s3, (b).s3)
INLINE void transpose_half(vreal *r) {
    const vreal a = r[0];
    r[0] = LOW(a, r[1]), r[1] = HIGH(a, r[1]);
}
#else
#define LANES 8u
#define ROW 4u
typedef float16 vpairs;
#define VLOAD vload8
#define VSTORE vstore8
#define VLOAD_PAIRS vload16
#define VSTORE_PAIRS vstore16
#define PAIRS(x, y)                                                                                                    \
    (vpairs)((x).s0, (y).s0, (x).s1, (y).s1, (x).s2, (y).s2, (x).s3, (y).s3, (x).s4, (y).s4, (x).s5, (y).s5, (x).s6,   \
             (y).s6, (x).s7, (y).s7)
#define EVEN_NEAR(p) (vreal)((p).s0, (p).s2, (p).s8, (p).sa, (p).s4, (p).s6, (p).sc, (p).se)
#define ODD_NEAR(p) (vreal)((p).s1, (p).s3, (p).s9, (p).sb, (p).s5, (p).s7, (p).sd, (p).sf)
#define PAIRS_NEAR(x, y)                                                                                               \
    (vpairs)((x).s0, (y).s0, (x).s1, (y).s1, (x).s4, (y).s4, (x).s5, (y).s5, (x).s2, (y).s2, (x).s3, (y).s3, (x).s6,   \
             (y).s6, (x).s7, (y).s7)
#define OF_LANES(x) (vpairs)(x##0, x##1, x##2, x##3, x##4, x##5, x##6, x##7)
#define REVERSED(v) (v).s76543210
#define EACH_LANE(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#define EACH_OF_ROW(F) F(0) F(1) F(2) F(3)
#define HALF_LOAD vload4
#define EACH_PAIR(F) F(0, 4) F(1, 5) F(2, 6) F(3, 7)
#define LOW(a, b) (vreal)((a).s0, (b).s0, (a).s1, (b).s1, (a).s4, (b).s4, (a).s5, (b).s5)
#define HIGH(a, b) (vreal)((a).s2, (b).s2, (a).s3, (b).s3, (a).s6, (b).s6, (a).s7, (b).s7)
#define LOW_TWO(a, b) (vreal)((a).s01, (b).s01, (a).s45, (b).s45)
#define HIGH_TWO(a, b) (vreal)((a).s23, (b).s23, (a).s67, (b).s67)
INLINE void transpose_half(vreal *r) {
    const vreal a0 = LOW(r[0], r[1]), a1 = HIGH(r[0], r[1]), a2 = LOW(r[2], r[3]), a3 = HIGH(r[2], r[3]);
    r[0] = LOW_TWO(a0, a2), r[1] = HIGH_TWO(a0, a2), r[2] = LOW_TWO(a1, a3), r[3] = HIGH_TWO(a1, a3);
}
#endif

INLINE void transpose(vreal *r) {
    transpose_half(r);
    transpose_half(r + LANES / 2);
}

// Vectors of two lines, from one each. They are put back together before they are stored: of stores of halves LLVM 14
// makes twice as many instructions.
#define TAKE_HALVES(a, b, from_a, from_b)                                                                              \
    r[a] = (vreal)(HALF_LOAD(0, from_a), HALF_LOAD(0, from_b)),                                                        \
    r[b] = (vreal)(HALF_LOAD(1, from_a), HALF_LOAD(1, from_b));

// From vectors of one line each, and to such.
#define SWAP_HALVES(a, b)                                                                                              \
    {                                                                                                                  \
        const vreal first = r[a];                                                                                      \
        r[a] = (vreal)(first.lo, r[b].lo), r[b] = (vreal)(first.hi, r[b].hi);                                          \
    }
INLINE void transpose_from_lines(vreal *r) {
    EACH_PAIR(SWAP_HALVES)
    transpose(r);
}
INLINE void transpose_to_lines(vreal *r) {
    transpose(r);
    EACH_PAIR(SWAP_HALVES)
}
