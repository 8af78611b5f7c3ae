// The nodes of Kronrod's rule (kronrod.cl), and what those next to an end of a region tell of a singularity there.

// Tables by pairs of nodes, 0 the middle and PAIRS those close to the ends; SENTINELS are closer, and in no table.
#define SENTINELS (PRECISION == 64 ? 0 : 2)
#define N_NODES (N_POINTS - SENTINELS)
#define PAIRS (N_NODES / 2)
#define NEAR 5 // nodes next to an end, which tell of a singularity there

// Algebraic singularities at an end.
//
// With v the distance from that end as a share of the region, f = v^s phi(v). The slopes of log|f| over log v between
// the four nodes next to the end give s, if they come to a limit as those of an analytic phi do, in proportion to
// MEANS. Then phi is taken as a sum of Legendre polynomials through Kronrod's nodes, the integrals of which with the
// weight v^s are known (Piessens and Branders 1973, for Chebyshev's).
//
// Where slopes come to a limit as those of log(v) do, f = v^s (phi(v) + q(v) log(v)), q being straight: as x^s log(x)
// is. The coefficients of log(v) and of v log(v), LOGS after they were made orthogonal over the last ones, are taken
// off, and s is what makes least what is left there (variable projection, Golub and Pereyra 1973).
#define TERMS 16      // Kronrod's rule finds so many of them exactly
#define LAST 4        // of which so many say whether they have come to an end,
#define LAST_BESIDE 6 // and beside logarithms
#define STEPS 2       // of Gauss and Newton's method, and beside logarithms, the last of which only looks
#define STEPS_BESIDE (PRECISION == 64 ? 5 : 4)
#define LEAST_EXPONENT REAL(-0.99) // that s may come to beside logarithms, and the largest
#define MOST_EXPONENT 3
// There s may be off by so many times what the last coefficients leave open of it, and where the error is more than
// this share of the integral of |f| halves are taken even if theirs is larger.
#define UNSURE (PRECISION == 64 ? 12 : 40)
#define SURE (PRECISION == 64 ? REAL(2e-10) : REAL(1e-4))
// Times what rounding x changes of v / |x| is what it may change of s by the last terms.
#define NOISE_OF_TERMS 300
// What is beyond terms that do not fall is no more than so many times the last ones; not at infinity, where logarithms
// go on for ever.
#define SLOWLY 64
// An exponent is mended by no more than so many times what it may be off, which beside an analytic phi are 0.07 to
// 0.25, beside other powers, logarithms and jumps 3 and more; and only where it may be off by less than MENDED, as
// slopes mean nothing beside kinks next to the end.
#define AGREES 2
#define MENDED REAL(1e-3)
#define MOVES REAL(0.05) // an exponent is looked for where f changes by so much between the first two nodes
#define WHOLE REAL(0.02) // exponents so close to whole numbers are those of zeros, and of waves
#define LIMIT REAL(0.3)  // differences of slopes that agree with an analytic phi do so to this share
#define CHANGE REAL(1.1) // times their change with log v is what it is taken to be towards the end
#define LASTS REAL(0.6) // those of logarithms are to each other as 0.8 to 3.3, of an analytic phi as MEANS, 1/3 or less
#define MOST_LASTS 4
// In float32, where no node lies closer to the end, differences so many times above what rounding makes of slopes tell
// more of it than the closest node.
#define DRIFTS (PRECISION == 64 ? REAL(1e30) : REAL(30.0))
#define CLEAR 5000 // those that mean a logarithm are so many times what rounding makes of slopes

typedef struct slopes {
    realv exponent, known, rate, noise; // known: 1 if the integrand has no zero there; rate: of change of the exponent
                                        // with log v; noise: what rounding makes of it
    realv beside, has_log;              // the exponent beside log(v), and 1 where slopes change as that has them
    realv drifts;                       // 1 where they do not come to a limit as those of an analytic phi
} slopes;

typedef struct series {
    realv value, error, exponent, rate; // rate: what the exponent may be off
} series;

slopes slopes_at(const realv *near, realv rounding) {
    realv slope[3], known = 1;
    for (uint k = 0; k < 3; k++) {
        const realv ratio = near[k + 1] / near[k];
        known = (ratio > 0 && ratio < INFINITY) ? known : (realv)0;
        slope[k] = known > 0 ? log(ratio) * SLOPES[k] : (realv)0;
    }
    const realv bend = slope[1] - slope[0],
                wanted = (slope[2] - slope[1]) * ((MEANS[1] - MEANS[0]) / (MEANS[2] - MEANS[1])),
                off = fabs(bend - wanted);
    slopes s;
    s.exponent = slope[0] - bend * (MEANS[0] / (MEANS[1] - MEANS[0]));
    s.known = known;
    s.noise = 8 * EPSILON + rounding * fabs(s.exponent);
    s.rate = (off < LIMIT * fabs(bend) ? LIMIT * off : off) * (CHANGE * BENDS[0]) + s.noise;
    // Slopes s + 1 / (log v + c) change by -1 / (log v + c)^2, next to the end as much as further from it.
    const realv change = -bend * BENDS[0], next = -(slope[2] - slope[1]) * BENDS[1], part = sqrt(change);
    const realv ratio = bend / (slope[2] - slope[1]);
    const realv lasts = (known > 0 && ratio > LASTS && ratio < MOST_LASTS) ? (realv)1 : (realv)0;
    s.drifts = fabs(bend) > DRIFTS * s.noise ? lasts : (realv)0;
    s.has_log = (change > 0 && next > 0 && fabs(bend) > CLEAR * s.noise) ? lasts : (realv)0;
    s.beside = (slope[0] + slope[1]) / 2 + (change > next ? -part : part);
    return s;
}

// Legendre's coefficients, but for k + 1/2, of phi = f / v^s, and of phi log(v), which they lose where s grows.
void expand(const realv *f, realv cut, realv s, realv *terms, realv *with_log) {
    for (uint k = 0; k < TERMS; k++)
        terms[k] = with_log[k] = 0;
#pragma unroll 1
    for (uint i = 0; i <= PAIRS - 1; i++) {
        const realv left = i == 0 ? f[0] : f[2 * i - 1], right = i == 0 ? (realv)0 : f[2 * i];
        const realv near = KRONROD[i] * (cut > 0 && i > 0 ? right : left) * exp(-s * LOG_NEAR[i]),
                    far = i == 0 ? (realv)0 : KRONROD[i] * (cut > 0 ? left : right) * exp(-s * LOG_FAR[i]);
        const realv even = near + far, odd = far - near;
        const realv even_log = near * LOG_NEAR[i] + far * LOG_FAR[i], odd_log = far * LOG_FAR[i] - near * LOG_NEAR[i];
        const real z = i == 0 ? 0 : NODES[2 * i];
        real before = 0, legendre = 1;
#pragma unroll 1
        for (uint k = 0; k < TERMS; k++) {
            terms[k] += legendre * (k % 2 ? odd : even);
            with_log[k] += legendre * (k % 2 ? odd_log : even_log);
            const real next = ((2 * k + 1) * z * legendre - k * before) / (k + 1);
            before = legendre;
            legendre = next;
        }
    }
}

// Takes the logarithms off the terms; *first and *second are how much there was of each.
void take_logarithms(realv *terms, realv *first, realv *second) {
    realv a = 0, b = 0;
#pragma unroll 1
    for (uint k = TERMS - LAST_BESIDE; k < TERMS; k++) {
        a += terms[k] * LOGS[k];
        b += terms[k] * LOGS[TERMS + k];
    }
#pragma unroll 1
    for (uint k = 0; k < TERMS; k++)
        terms[k] -= a * LOGS[k] + b * LOGS[TERMS + k];
    *first = a;
    *second = b;
}

// Terms beside v^s, s being mended. Coefficients of a phi that still has a power of v in it fall slowly, as those of
// log(v) do, so what makes the last ones least mends s (Gauss and Newton's method). With `beside`, logarithms are taken
// off them: *tilt and *level are the factors of log(v) (2 v - 1) and of log(v). There the last step changes nothing,
// but looks at what is left: where log(v) has a small factor, another s does nearly as well, steps stay long, and by
// their derivatives they leave far less than there is.
realv mend_exponent(const realv *f, realv cut, realv s, realv limit, bool beside, realv *mended, realv *terms,
                    realv *tilt, realv *level, realv *unsure) {
    realv with_log[TERMS], first = 0, second = 0, first_change = 0, second_change = 0;
#pragma unroll 1
    for (uint step = 0; step < (beside ? STEPS_BESIDE : STEPS); step++) {
        expand(f, cut, s, terms, with_log);
        if (beside) {
            take_logarithms(terms, &first, &second);
            take_logarithms(with_log, &first_change, &second_change);
        }
        const bool looks = beside && step == STEPS_BESIDE - 1;
        realv wanted = 0, norm = 0;
#pragma unroll 1
        for (uint k = TERMS - (beside ? LAST_BESIDE : LAST); k < TERMS; k++) {
            wanted += terms[k] * with_log[k];
            norm += with_log[k] * with_log[k];
        }
        const realv change = wanted / norm;
        const realv off =
            beside ? fmax(LEAST_EXPONENT - (s + change), s + change - MOST_EXPONENT) : fabs(change) - limit;
        *mended = off < 0 || looks ? *mended : (realv)0;
        const realv taken = *mended > 0 && !looks ? change : (realv)0;
        s += taken;
        first -= taken * first_change;
        second -= taken * second_change;
        realv left = 0;
#pragma unroll 1
        for (uint k = 0; k < TERMS; k++) {
            terms[k] -= taken * with_log[k];
            left += k < TERMS - LAST_BESIDE ? (realv)0 : terms[k] * terms[k];
        }
        *unsure = UNSURE * (sqrt(left) + EPSILON / 16 * fabs(terms[0])) / sqrt(norm);
    }
    *level = first * OF_LOGS[0] + second * OF_LOGS[1];
    *tilt = second * OF_LOGS[2];
    return s;
}

// The integral of v^s phi(v), and what its series may be off, as shares of the region's length. The nodes close to both
// ends, which the series does not know, have to agree with it: that at the other end with its sum; that next to the
// singular one tells what s may be off.
// noise: of s, which leaves v^noise in phi.
void integrate_series(const realv *f, realv cut, realv tail, const slopes *slopes, bool with_logs, realv noise,
                      series *found) {
    realv mended = (with_logs || slopes->rate < MENDED) ? (realv)1 : (realv)0;
    realv terms[TERMS], tilt, level, unsure;
    const realv s = mend_exponent(f, cut, with_logs ? slopes->beside : slopes->exponent, AGREES * slopes->rate,
                                  with_logs, &mended, terms, &tilt, &level, &unsure);
    const realv q = 1 + s, next = 1 / ((2 + s) * (2 + s));
    realv moment = 1 / q, sum = tilt * (1 / (q * q) - 2 * next) - level / (q * q);
    realv beside = LOG_DISTANCES[0] * (level - tilt * (1 - 2 * DISTANCES[0]));
    realv opposite = -DISTANCES[0] * (level + tilt), largest = 0, middle = 0, last = 0;
    const uint n_last = with_logs ? LAST_BESIDE : LAST;
#pragma unroll 1
    for (uint k = 0; k < TERMS; k++) {
        const realv term = (k + REAL(0.5)) * terms[k], size = fabs(term),
                    at_end = term * (1 - k * (k + 1) * DISTANCES[0]);
        sum += term * moment;
        opposite += at_end;
        beside += k % 2 ? -at_end : at_end;
        moment = moment * (s - (real)k) / (s + (real)(k + 2));
        largest = fmax(largest, size);
        middle = fmax(middle, k >= TERMS - 2 * n_last && k < TERMS - n_last ? size : (realv)0);
        last = fmax(last, k >= TERMS - n_last ? size : (realv)0);
    }
    const realv rounding = (20 * EPSILON + (mended > 0 ? noise : slopes->noise)) * largest, rest = fmax(last, rounding);
    const realv seen = cut > 0 ? f[2 * PAIRS - 1] : f[2 * PAIRS], off = fabs(seen - opposite * (1 - s * DISTANCES[0]));
    const realv closest = cut > 0 ? f[2 * PAIRS] : f[2 * PAIRS - 1];
    found->exponent = s;
    found->value = sum;
    const realv slow = rest > fmax(middle / 4, rounding) ? (realv)1 : (realv)0;
    const realv share = slow > 0 ? tail > 0 ? (realv)INFINITY : (realv)SLOWLY : with_logs ? (realv)SLOWLY : (realv)8;
    const realv refused = with_logs ? 1 - mended : (realv)0;
    found->error = (refused > 0 || rest > REAL(0.001) * largest)
                       ? (realv)INFINITY
                       : (share * rest - (with_logs ? (share - 8) * rounding : (realv)0)) / q + 2 * off * DISTANCES[1];
    const realv rate = fabs(closest * exp(-s * LOG_NEAR[PAIRS]) / beside - 1) * SLOPES[0] + noise;
    found->rate = mended > 0 ? with_logs ? fmax(rate, unsure) : rate : slopes->rate;
}

// Puts the integral by series in place of Kronrod's where its error is less. At infinity, where nothing else would show
// how much lies beyond the last node, the error is at least what the exponent leaves open.
// rounding: of x beside the region's half width; noise: what it changes of the slopes.
void look_at_cut(const box *b, const realv *f, const realv *near, realv looks, realv rounding, realv noise,
                 estimate *e) {
    const realv h = b->half_width[0];
    const realv rises = (looks > 0 && fabs(near[1] - near[0]) > MOVES * fabs(near[0])) ? (realv)1 : (realv)0;
    if (!ANY(rises > 0))
        return;
    const slopes s = slopes_at(near, noise);
    const realv wanted = s.known > 0 ? rises : (realv)0;
    realv mark = 0, least_tail = 0;
#pragma unroll 1
    for (uint logs = 0; logs < 2; logs++) {
        const realv tries = logs == 0 ? wanted : (b->tail == 0 && mark == 0) ? wanted * s.has_log : (realv)0;
        series found;
        if (!ANY(tries > 0))
            break;
        integrate_series(f, b->cut, b->tail, &s, logs > 0, 8 * EPSILON + NOISE_OF_TERMS * rounding * fabs(s.exponent),
                         &found);
        // What is between the end and the first node; and what the exponent may change of it while it all adds up.
        const realv q = 1 + found.exponent,
                    rate = b->tail > 0 || (logs == 0 ? s.drifts : (realv)0) > 0 ? fmax(s.rate, found.rate) : found.rate,
                    share = rate / (q * q);
        const realv beyond = fabs(near[1]) * DISTANCES[1] / q;
        const realv open = q > 0 && share < REAL(0.95) ? 2 * beyond * share / (1 - share) : (realv)INFINITY;
        const realv error = 2 * fabs(h) * (found.error + open);
        const realv better = tries > 0 && found.exponent < 3 && error < e->error ? (realv)1 : (realv)0;
        const realv unknown = REAL(1e6) * fabs(near[1]), least = open < INFINITY ? open + beyond : unknown;
        e->value = better > 0 ? 2 * h * found.value : e->value;
        e->error = better > 0 ? error : e->error;
        const realv unsure = logs > 0 ? fmax(rounding, error - SURE * fabs(e->value)) : (realv)0;
        mark = better > 0 ? unsure > 0 ? (realv)STEEP : b->tail > 0 ? (realv)(SERIES | TAIL) : (realv)SERIES : mark;
        if (logs == 0)
            least_tail = ((b->tail > 0 || fabs(h) < SMALLEST) && wanted > 0 && found.exponent < REAL(-0.3))
                             ? 2 * fabs(h) * least
                             : (realv)0;
    }
    const realv is_steep = wanted > 0 && fabs(s.exponent - rint(s.exponent)) > WHOLE ? (realv)STEEP : (realv)0;
    e->error = mark > 0 ? e->error : fmax(e->error, least_tail);
    e->axis = mark > 0 ? mark : e->axis + is_steep;
}

// The same on a background, and logarithms.
//
// f = A L(v) + g with L = (v^s - 1) / s, which is log(v) for s = 0. Second divided differences over the five nodes next
// to the end leave of a smooth g little, so their ratio gives s, and one of them A. Kronrod's rule integrates g, the
// integral of L is -1 / (1 + s). Its null rules see what g still has of a singularity.
#define LOWEST REAL(-0.95)
#define HIGHEST REAL(1.5)
#define LOGARITHM REAL(0.01) // exponents nearer to 0 are taken for 0
#define STRONG REAL(-0.5)    // below it much lies beyond the nodes, and s has to be that of the three outer ones, too:
#define DRIFT REAL(1.5)      // it moves by so much of the logarithm of what second differences there are off by
#define BETTER 16            // by so much has the error to be less than without this
#define REGULAR                                                                                                        \
    REAL(1e-4) // those nearer to 0 or 1 are moved so far from it: v^s itself has no second differences there

typedef struct bends {
    realv near_end, further, furthest; // divided differences of the first, next and last three of five nodes
} bends;

bends bends_of(const realv *near) {
    realv slope[4];
    for (uint k = 0; k < 4; k++)
        slope[k] = (near[k + 1] - near[k]) / (DISTANCES[k + 1] - DISTANCES[k]);
    const bends b = {(slope[1] - slope[0]) / (DISTANCES[2] - DISTANCES[0]),
                     (slope[2] - slope[1]) / (DISTANCES[3] - DISTANCES[1]),
                     (slope[3] - slope[2]) / (DISTANCES[4] - DISTANCES[2])};
    return b;
}

realv irregular(realv s) {
    s = fabs(s) < REGULAR ? (realv)REGULAR : s;
    return fabs(s - 1) < REGULAR ? (realv)(1 - REGULAR) : s;
}

bends bends_of_power(realv s) {
    realv power[NEAR];
    for (uint k = 0; k < NEAR; k++)
        power[k] = exp(s * LOG_DISTANCES[k]);
    return bends_of(power);
}

// Takes A L from f at all nodes and gives its integral as a share of the region's length, and what rounding of the
// distances leaves open of it; where there is no such s, *known becomes 0. Secants of log(ratio), which is nearly
// tilt in s.
realv subtract_power(realv *f, const realv *near, realv cut, realv rounding, realv *open, realv *known) {
    const bends wanted = bends_of(near);
    const realv ratio = wanted.near_end / wanted.further, is_one = (ratio > 1 && ratio < REAL(1e6)) ? *known : (realv)0;
    const realv target = is_one > 0 ? log(ratio) : (realv)1;
    realv before = REAL(-0.4), s = REAL(0.6), off_before = 0;
    bends of_s;
#pragma unroll 1
    for (uint k = 0; k < 8; k++) {
        of_s = bends_of_power(irregular(k == 0 ? before : s));
        const realv off = log(of_s.near_end / of_s.further) - target;
        if (k > 0) {
            const realv step = off == off_before ? (realv)0 : off * (s - before) / (off - off_before);
            before = s;
            s = fmin(fmax(s - step, REAL(-0.99)), REAL(1.95));
        }
        off_before = off;
    }
    const realv is_logarithm = fabs(s) < LOGARITHM ? (realv)1 : (realv)0;
    s = is_logarithm > 0 ? (realv)0 : irregular(s);
    of_s = bends_of_power(s);
    const realv q = 1 + s, apart = log(of_s.further / of_s.furthest * (wanted.furthest / wanted.further));
    const realv drift = s > STRONG ? (realv)0 : apart > -1 && apart < 1 ? fabs(apart) * DRIFT : (realv)1;
    const realv share = (8 * EPSILON + rounding * fabs(s) + drift) / (q * q);
    *known = (is_one > 0 && s > LOWEST && s < HIGHEST && share < REAL(0.3)) ? (realv)1 : (realv)0;
    const realv factor =
        *known > 0 ? wanted.near_end / (is_logarithm > 0 ? (realv)BEND_OF_LOG : of_s.near_end / s) : (realv)0;
#pragma unroll 1
    for (uint k = 0; k < N_NODES; k++) {
        const real first = k % 2 ? LOG_NEAR[(k + 1) / 2] : LOG_FAR[k / 2],
                   second = k % 2 ? LOG_FAR[(k + 1) / 2] : LOG_NEAR[k / 2];
        const realv log_v = cut > 0 ? (realv)second : (realv)first;
        f[k] -= factor * (is_logarithm > 0 ? log_v : (exp(s * log_v) - 1) / s);
    }
    *open = 4 * fabs(near[1] - near[3]) * DISTANCES[1] / q * share;
    return -factor / q;
}
