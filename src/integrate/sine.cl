// Sine and cosine of numbers up to SINE_LIMIT, within 2 ulp in float and 3 in double: those of OpenCL take a GPU twice
// as long. x = k pi + r, pi as the sum of three numbers (Cody and Waite 1980) whose products with k are exact in fma;
// sin r = r + r^3 P(r^2) for |r| <= pi / 2, P the minimax polynomial for the relative error, made a little less so that
// rounding takes no value beyond 1. Larger numbers, infinity and NaN are OpenCL's, but not the sign of 0: sin(-0.0) is
// +0, because -0 + r^3 P is, and keeping it would take one more instruction of every sine. Only for plain numbers, not
// vectors.
#define SINE_LIMIT REAL(1e5)
#if PRECISION == 64
#define BITS long
#define SIGN_SHIFT 63
#define AS_BITS as_long
#define AS_REAL as_double
#define TO_INTEGER REAL(0x1.8p52) // added to a number, rounds it; the last bit is that of the integer
#define PI_1 REAL(0x1.921fb54442d18p+1)
#define PI_2 REAL(0x1.1a62633145c07p-53)
#define PI_3 REAL(-0x1.f1976b7ed8fbcp-109)
#else
#define BITS int
#define SIGN_SHIFT 31
#define AS_BITS as_int
#define AS_REAL as_float
#define TO_INTEGER REAL(0x1.8p23)
#define PI_1 REAL(0x1.921fb6p+1)
#define PI_2 REAL(-0x1.777a5cp-24)
#define PI_3 REAL(-0x1.ee59dap-49)
#endif
#define ONE_OVER_PI REAL(0x1.45f306dc9c883p-2)

// sin(x - k pi) with the sign of which the lowest bit of `odd` is.
real sine_of_rest(real x, real k, BITS odd) {
    real r = fma(k, -PI_1, x);
    r = fma(k, -PI_2, r);
    r = fma(k, -PI_3, r);
    r = AS_REAL(AS_BITS(r) ^ (odd << SIGN_SHIFT));
    const real s = r * r;
#if PRECISION == 64
    real p = REAL(0x1.8832a93e5ba67p-49);
    p = fma(p, s, REAL(-0x1.ae4384749286dp-41));
    p = fma(p, s, REAL(0x1.6123cd0741fa3p-33));
    p = fma(p, s, REAL(-0x1.ae6454d47453fp-26));
    p = fma(p, s, REAL(0x1.71de3a52a0b15p-19));
    p = fma(p, s, REAL(-0x1.a01a01a014d9bp-13));
    p = fma(p, s, REAL(0x1.11111111110c8p-7));
    p = fma(p, s, REAL(-0x1.5555555555555p-3));
#else
    real p = REAL(0x1.5dbf00p-19);
    p = fma(p, s, REAL(-0x1.9f70eep-13));
    p = fma(p, s, REAL(0x1.110edap-7));
    p = fma(p, s, REAL(-0x1.55554cp-3));
#endif
    return fma(r * s, p, r);
}

real bounded_sin(real x) {
    if (!(fabs(x) < SINE_LIMIT))
        return sin(x);
    const real t = fma(x, ONE_OVER_PI, TO_INTEGER);
    return sine_of_rest(x, t - TO_INTEGER, AS_BITS(t));
}

// cos x = -sin(x - (k + 1/2) pi) (-1)^k.
real bounded_cos(real x) {
    if (!(fabs(x) < SINE_LIMIT))
        return cos(x);
    const real t = fma(x, ONE_OVER_PI, REAL(-0.5)) + TO_INTEGER;
    return sine_of_rest(x, t - TO_INTEGER + REAL(0.5), AS_BITS(t) ^ 1);
}

#define sin(x) bounded_sin(x)
#define cos(x) bounded_cos(x)
