// Vectors of lanes, one a line of a tile: in an array v, the parts of number i lie side by side.
#define RE(i) v[2 * (i)]
#define IM(i) v[2 * (i) + 1]

// A tile is transposed square by square: ROW complex numbers of each line, one vector of a line, against the vectors of
// their real and imaginary parts. By rounds of vectors i and i + LANES/2, written out: compilers keep vectors in
// registers only where no loop is left.
#if PRECISION == 64
#define LANES 4u
#define ROW 2u
typedef double8 vpairs;
#define VLOAD vload4
#define VSTORE vstore4
#define VLOAD_PAIRS vload8
#define VSTORE_PAIRS vstore8
#define PAIRS(x, y) (vpairs)((x).s0, (y).s0, (x).s1, (y).s1, (x).s2, (y).s2, (x).s3, (y).s3)
#define REVERSED(v) (v).s3210
#define EACH_LANE(F) F(0) F(1) F(2) F(3)
#define EACH_OF_ROW(F) F(0) F(1)
#define EVEN(a, b) (vreal)((a).s0, (b).s0, (a).s2, (b).s2)
#define ODD(a, b) (vreal)((a).s1, (b).s1, (a).s3, (b).s3)
INLINE void transpose(vreal *r) {
    const vreal a0 = EVEN(r[0], r[1]), a1 = ODD(r[0], r[1]), a2 = EVEN(r[2], r[3]), a3 = ODD(r[2], r[3]);
    r[0] = (vreal)(a0.lo, a2.lo), r[1] = (vreal)(a1.lo, a3.lo), r[2] = (vreal)(a0.hi, a2.hi),
    r[3] = (vreal)(a1.hi, a3.hi);
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
#define REVERSED(v) (v).s76543210
#define EACH_LANE(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#define EACH_OF_ROW(F) F(0) F(1) F(2) F(3)
#define LOW(a, b) (vreal)((a).s0, (b).s0, (a).s1, (b).s1, (a).s4, (b).s4, (a).s5, (b).s5)
#define HIGH(a, b) (vreal)((a).s2, (b).s2, (a).s3, (b).s3, (a).s6, (b).s6, (a).s7, (b).s7)
#define LOW_TWO(a, b) (vreal)((a).s01, (b).s01, (a).s45, (b).s45)
#define HIGH_TWO(a, b) (vreal)((a).s23, (b).s23, (a).s67, (b).s67)
INLINE void transpose(vreal *r) {
    const vreal a0 = LOW(r[0], r[1]), a1 = HIGH(r[0], r[1]), a2 = LOW(r[2], r[3]), a3 = HIGH(r[2], r[3]);
    const vreal a4 = LOW(r[4], r[5]), a5 = HIGH(r[4], r[5]), a6 = LOW(r[6], r[7]), a7 = HIGH(r[6], r[7]);
    const vreal b0 = LOW_TWO(a0, a2), b1 = HIGH_TWO(a0, a2), b2 = LOW_TWO(a1, a3), b3 = HIGH_TWO(a1, a3);
    const vreal b4 = LOW_TWO(a4, a6), b5 = HIGH_TWO(a4, a6), b6 = LOW_TWO(a5, a7), b7 = HIGH_TWO(a5, a7);
    r[0] = (vreal)(b0.lo, b4.lo), r[1] = (vreal)(b1.lo, b5.lo), r[2] = (vreal)(b2.lo, b6.lo),
    r[3] = (vreal)(b3.lo, b7.lo);
    r[4] = (vreal)(b0.hi, b4.hi), r[5] = (vreal)(b1.hi, b5.hi), r[6] = (vreal)(b2.hi, b6.hi),
    r[7] = (vreal)(b3.hi, b7.hi);
}
#endif
