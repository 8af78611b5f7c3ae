// The 21-point Kronrod rule with QUADPACK's estimate of the error (Piessens et al. 1983), fed by more than the
// difference to the Gauss rule. That is a multiple of a null rule, one that gives 0 for polynomials, of odd degree 19:
// blind to what is odd about the middle, and to what happens between the outermost node and the end. So two more nodes
// lie close to the ends, in float32 another two, SENTINELS, closer, which no rule has, and there are four pairs of null
// rules (Berntsen and Espelid 1991), one odd and one even: of degrees 14 and 15, of 16 and 17, of 18 and 19, and with
// the nodes close to the ends of 20 and 21. Of a resolved smooth integrand each pair leaves a small part of the one
// before, and Kronrod's rule, of degree 31, still less. Where they do not fall, no power can be trusted.
//
// The integrand stands in one place, in a loop that is not unrolled: compilers take long to compile it 23 or, in
// float32, 25 times.

// An integrand is taken to be resolved where each of the last two pairs is below SMOOTH of the one before (one jump,
// kink, root or jump of a derivative never gets there, wherever it lies) and the last but one below RESOLVED of the
// scatter and below UNDER_LOWEST of the first pair. Of regions with 30 to 300 steps, floor(a x), 6 in 10,000 pass
// without the last of these by chance, of 40.2 steps a fifth; with it none of 6,000,000. That costs 2 in 100 of
// the regions with peaks that pass without it, none with waves, decay and powers.
// Elsewhere the error is at least CAUTION times the null rules: true errors at kinks and roots are up to 5.7 times the
// largest, 99.5 % of them below 4.
#define SMOOTH REAL(0.25)
#define RESOLVED REAL(0.01)
#define UNDER_LOWEST REAL(0.15)
#define CAUTION 4
// Where one node has more than a sixth of the sum of all |f|, as at |x - c|^s for s below -0.6, much lies between the
// nodes that none sees: true errors are up to so many times what the null rules say, for s down to -0.95. Jumps and
// kinks give a tenth.
#define SPIKE 7

// What the rules make of values at the nodes.
typedef struct judgement {
    realv kronrod, magnitude, error, rises; // rises: 1 where the integrand is not resolved
    realv scatter;
} judgement;

judgement judge_values(const realv *f, realv h, realv counts) {
    realv kronrod = KRONROD[0] * f[0], magnitude = KRONROD[0] * fabs(f[0]), heaviest = magnitude;
    realv null_14 = 0, null_15 = NULL_15[0] * f[0], null_16 = 0, null_17 = NULL_17[0] * f[0], null_18 = 0,
          null_19 = NULL_19[0] * f[0], null_20 = 0, null_21 = NULL_21[0] * f[0];
    for (uint k = 1; k <= PAIRS; k++) {
        const realv left = f[2 * k - 1], right = f[2 * k];
        null_20 += NULL_20[k] * (right - left);
        null_21 += NULL_21[k] * (right + left);
        if (k == PAIRS)
            break;
        null_14 += NULL_14[k] * (right - left);
        null_15 += NULL_15[k] * (right + left);
        null_16 += NULL_16[k] * (right - left);
        null_17 += NULL_17[k] * (right + left);
        null_18 += NULL_18[k] * (right - left);
        null_19 += NULL_19[k] * (right + left);
        kronrod += KRONROD[k] * left + KRONROD[k] * right;
        magnitude += KRONROD[k] * fabs(left) + KRONROD[k] * fabs(right);
        heaviest = fmax(heaviest, KRONROD[k] * fmax(fabs(left), fabs(right)));
    }
    const realv first = f[N_NODES - 2], last = f[N_NODES - 1];
    const realv mean = kronrod / 2, at_ends = EDGE * (fabs(first - mean) + fabs(last - mean));
    realv scatter = KRONROD[0] * fabs(f[0] - mean);
    for (uint k = 1; k < PAIRS; k++)
        scatter += KRONROD[k] * (fabs(f[2 * k - 1] - mean) + fabs(f[2 * k] - mean));
    scatter = (scatter + (counts > 0 ? at_ends : (realv)0)) * fabs(h);
    const realv lowest = fmax(fabs(null_14), fabs(null_15)) * fabs(h);
    const realv low = fmax(fabs(null_16), fabs(null_17)) * fabs(h),
                middle = fmax(fabs(null_18), fabs(null_19)) * fabs(h);
    const realv all = fmax(fabs(null_20), fabs(null_21)) * fabs(h), high = counts > 0 ? all : middle;
    const realv null = fmax(middle, high), fall = fmax(middle / low, high / middle);
    const realv ratio = 200 * null / scatter, calm = scatter * fmin((realv)1, ratio * sqrt(ratio));
    const realv smooth = fmin(calm, 10 * high * fall * fall * fall), rough = fmax(calm, fmin(scatter, CAUTION * null));
    const realv unsmooth = heaviest > magnitude / 6 ? SPIKE * rough : rough;
    const realv rises = fall < SMOOTH && middle < fmin(RESOLVED * scatter, UNDER_LOWEST * lowest) ? (realv)0 : (realv)1;
    const realv error = rises > 0 ? unsmooth : smooth;
    const judgement j = {kronrod, magnitude, scatter > 0 ? error : null, rises, scatter};
    return j;
}

// Where the sentinels lie, from the ends of a region.
#define CLOSEST REAL(0x1p-17) // of half its length,
#define APART_IN_X 2          // or so many EPSILON of x
realv sentinel_distance(const box *b, realv end) {
    return copysign(fmax(CLOSEST * fabs(b->half_width[0]), APART_IN_X * EPSILON * fabs(end)), b->half_width[0]);
}

// What sentinels differ from the nodes next to them by beyond what the next two nodes do and rounding makes, times the
// distance of these nodes from the end: so much a jump hides. gap: that of the nodes close to the ends, which count or
// not.
realv hidden_at_ends(const box *b, const realv *f, realv counts, realv scatter) {
    const realv h = fabs(b->half_width[0]), steep = EPSILON * fabs(b->center[0] / b->half_width[0]) * scatter / h;
    realv hidden = 0;
    for (uint side = 0; side < 2; side++) {
        const realv next = counts > 0 ? f[N_NODES - 2 + side] : f[N_NODES - 4 + side],
                    other = counts > 0 ? f[N_NODES - 4 + side] : f[N_NODES - 6 + side], seen = f[N_NODES + side];
        const realv gap = h * (counts > 0 ? (realv)GAPS[N_NODES - 1] : (realv)GAPS[N_NODES - 3]);
        const realv usual = fabs(next - other) + 16 * (EPSILON * (fabs(next) + fabs(seen)) + steep);
        const realv off = fabs(seen - next) - usual;
        hidden += off > 0 && off < INFINITY ? off * gap : (realv)0;
    }
    return hidden;
}

// What is known of a component by its values at the nodes.
estimate evaluate_component(const box *b, realv *f) {
    const realv center = b->center[0], h = b->half_width[0], lower = center - h, upper = center + h;
    realv near[NEAR];
    for (uint k = 0; k < NEAR; k++)
        near[k] = b->cut > 0 ? f[2 * (PAIRS - k)] : f[2 * (PAIRS - k) - 1];
    // The nodes close to the ends do not count where rounding puts them on the ends, or the integrand overflows: there
    // may be a singularity, or infinity.
    const realv gap = GAPS[N_NODES - 1] * h, at_ends = fabs(f[N_NODES - 2]) + fabs(f[N_NODES - 1]);
    const realv counts = (lower + gap != lower && upper - gap != upper && at_ends < INFINITY) ? (realv)1 : (realv)0;
    estimate e;
    const realv end = center + b->cut * h;
    realv inside = 0, open = 0, known = 0;
#pragma unroll 1
    for (uint pass = 0; pass < 2; pass++) {
        judgement j = judge_values(f, h, counts);
        if (SENTINELS > 0 && pass == 0) {
            const realv hidden = hidden_at_ends(b, f, counts, j.scatter);
            j.error += hidden;
            j.rises = hidden > 0 ? (realv)1 : j.rises;
        }
        if (pass > 0) {
            const realv error = j.error + 2 * fabs(h) * open;
            const realv better = known > 0 && error < e.error / BETTER ? (realv)1 : (realv)0;
            e.value = better > 0 ? j.kronrod * h + 2 * h * inside : e.value;
            e.error = better > 0 ? error : e.error;
            e.axis = better > 0 ? e.axis - ROUGH : e.axis;
            break;
        }
        // What rounding the nodes may change grows with the slope, that of a place that was found with what is next to
        // it.
        e.value = j.kronrod * h;
        e.error = j.error;
        e.rounding = EPSILON * (50 * j.magnitude * fabs(h) + fabs(center / h) / 2 * j.scatter +
                                (b->found > 0 && fabs(near[0]) < INFINITY ? fabs(end * near[0]) : (realv)0));
        e.axis = j.rises > 0 ? (realv)ROUGH : (realv)0;
        e.magnitude = j.magnitude * fabs(h);
        const realv looks = (b->cut != 0 && counts > 0 && j.rises > 0) ? (realv)1 : (realv)0;
        if (!ANY(looks > 0))
            break;
        const realv rounding = EPSILON * fabs(end / h), noise = rounding * (SLOPES[0] / (4 * DISTANCES[0]));
        look_at_cut(b, f, near, looks, rounding, noise, &e);
        known = (e.axis == (realv)ROUGH || e.axis == (realv)(ROUGH | STEEP)) ? looks : (realv)0;
        known = b->tail > 0 ? (realv)0 : known;
        if (!ANY(known > 0))
            break;
        inside = subtract_power(f, near, b->cut, noise, &open, &known);
    }
    return e;
}

void evaluate_box(const box *b, given *in, estimate *of_components) {
    const realv center = b->center[0], h = b->half_width[0], lower = center - h, upper = center + h;
    realv f[COMPONENTS][N_POINTS];
#pragma unroll 1
    for (uint k = 0; k < N_POINTS; k++) { // from the nearer end, so that distances from 0 lose nothing
        const realv from_end = k < N_NODES ? GAPS[k] * h : sentinel_distance(b, k % 2 ? lower : upper);
        const realv x = k == 0 ? center : k % 2 ? lower + from_end : upper - from_end;
        f[0][k] = integrand(&x, in);
#pragma unroll 1
        for (uint c = 1; c < COMPONENTS; c++)
            f[c][k] = further(in, c);
    }
#pragma unroll 1
    for (uint c = 0; c < COMPONENTS; c++)
        of_components[c] = evaluate_component(b, f[c]);
}
