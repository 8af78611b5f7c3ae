// The 21-point Kronrod rule with QUADPACK's estimate of the error (Piessens et al. 1983), fed by more than the
// difference to the Gauss rule. That is a multiple of a null rule, one that gives 0 for polynomials, of odd degree 19:
// blind to what is odd about the middle, and to what happens between the outermost node and the end. So two more nodes
// lie close to the ends, and there are three pairs of null rules (Berntsen and Espelid 1991), one odd and one even: of
// degrees 16 and 17, of 18 and 19, and with the nodes close to the ends of 20 and 21. Of a resolved smooth integrand
// each pair leaves a small part of the one before, and Kronrod's rule, of degree 31, still less. Where they do not
// fall, no power can be trusted.
//
// Tables by pairs of nodes, 0 the middle and PAIRS those close to the ends. The integrand stands in one place, in a
// loop that is not unrolled: compilers take long to compile it 23 times.
#define PAIRS (N_POINTS / 2)
// An integrand is taken to be resolved where each pair is below SMOOTH of the one before (one jump, kink, root or jump
// of a derivative never gets there, wherever it lies) and the second below RESOLVED of the scatter (which many of them
// may pass by chance). Elsewhere the error is at least CAUTION times the null rules: true errors at kinks and roots are
// up to 5.7 times the largest, 99.5 % of them below 4.
#define SMOOTH REAL(0.25)
#define RESOLVED REAL(0.01)
#define CAUTION 4
// Where one node has more than a sixth of the sum of all |f|, as at |x - c|^s for s below -0.6, much lies between the
// nodes that none sees: true errors are up to so many times what the null rules say, for s down to -0.95. Jumps and
// kinks give a tenth.
#define SPIKE 7

estimate evaluate_box(const box *b, const realv *p) {
    const realv center = b->center[0], h = b->half_width[0];
    realv f[N_POINTS];
#pragma unroll 1
    for (uint k = 0; k < N_POINTS; k++) {
        const realv x = center + NODES[k] * h;
        f[k] = integrand(&x, p);
    }
    realv kronrod = KRONROD[0] * f[0], magnitude = KRONROD[0] * fabs(f[0]), heaviest = magnitude;
    realv null_16 = 0, null_17 = NULL_17[0] * f[0], null_18 = 0, null_19 = NULL_19[0] * f[0], null_20 = 0,
          null_21 = NULL_21[0] * f[0];
    for (uint k = 1; k <= PAIRS; k++) {
        const realv left = f[2 * k - 1], right = f[2 * k];
        null_20 += NULL_20[k] * (right - left);
        null_21 += NULL_21[k] * (right + left);
        if (k == PAIRS)
            break;
        null_16 += NULL_16[k] * (right - left);
        null_17 += NULL_17[k] * (right + left);
        null_18 += NULL_18[k] * (right - left);
        null_19 += NULL_19[k] * (right + left);
        kronrod += KRONROD[k] * left + KRONROD[k] * right;
        magnitude += KRONROD[k] * fabs(left) + KRONROD[k] * fabs(right);
        heaviest = fmax(heaviest, KRONROD[k] * fmax(fabs(left), fabs(right)));
    }
    // The nodes close to the ends do not count where rounding puts them on the ends, or the integrand overflows: there
    // may be a singularity, or infinity.
    const realv first = f[N_POINTS - 2], last = f[N_POINTS - 1], reach = NODES[N_POINTS - 1] * h;
    const realv counts =
        (center - reach != center - h && center + reach != center + h && fabs(first) + fabs(last) < INFINITY)
            ? (realv)1
            : (realv)0;
    const realv mean = kronrod / 2, at_ends = EDGE * (fabs(first - mean) + fabs(last - mean));
    realv scatter = KRONROD[0] * fabs(f[0] - mean);
    for (uint k = 1; k < PAIRS; k++)
        scatter += KRONROD[k] * (fabs(f[2 * k - 1] - mean) + fabs(f[2 * k] - mean));
    scatter = (scatter + (counts > 0 ? at_ends : (realv)0)) * fabs(h);
    const realv low = fmax(fabs(null_16), fabs(null_17)) * fabs(h),
                middle = fmax(fabs(null_18), fabs(null_19)) * fabs(h);
    const realv all = fmax(fabs(null_20), fabs(null_21)) * fabs(h), high = counts > 0 ? all : middle;
    const realv null = fmax(middle, high), fall = fmax(middle / low, high / middle);
    const realv ratio = 200 * null / scatter, calm = scatter * fmin((realv)1, ratio * sqrt(ratio));
    const realv smooth = fmin(calm, 10 * high * fall * fall * fall), rough = fmax(calm, fmin(scatter, CAUTION * null));
    const realv unsmooth = heaviest > magnitude / 6 ? SPIKE * rough : rough;
    const realv error = fall < SMOOTH && middle < RESOLVED * scatter ? smooth : unsmooth;
    // What rounding the nodes may change grows with the slope.
    const realv rounding = EPSILON * (50 * magnitude * fabs(h) + fabs(center / h) / 2 * scatter);
    const estimate e = {kronrod * h, scatter > 0 ? error : null, rounding, 0};
    return e;
}
