// The rule of degree 7 of Genz and Malik (1980) with their embedded one of degree 5, on a box of DIM >= 2 dimensions,
// from tables: point q has the coordinates center + POSITIONS[q DIM + k] half width and the weights SEVEN[q] and
// FIVE[q]. Point 0 is the center, points 1 + 6 k to 6 + 6 k lie on axis k: pairs at sqrt(9/70) and sqrt(9/10) from the
// center, and close to the sides.
//
// The difference of the two rules does not see what happens between the outermost nodes and a side, and may be small by
// chance at jumps and kinks. So the points on an axis feed null rules (Berntsen and Espelid 1991), an odd and an even
// one of degrees 2 and 3 without the points close to the sides, and of degrees 4 and 5 with them: NULLS, four numbers
// for the center and four for each of the six points.
//
// Where a jump crosses another in the corner of a box, neither sees the piece that they cut out. The last CORNERS
// points, close to corners, do: HIDDEN is a null rule of degree 5 with them. Of a smooth integrand it is 20 times the
// difference of the two rules, in three variables and more, where products of squares count in it, 600 times and more
// for 5 % of boxes.
#define RESOLVED REAL(0.1) // the higher null rules are so far below the lower ones where the box is small enough
#define CORNERS (1 << (DIM < 5 ? DIM : DIM - 1))
#define SEEN (DIM > 2 ? 600 : 100) // a null rule at the corners that is so many times all others sees what they do not
// Where a point close to a side or a corner has so many times what the one before it has, the integrand is infinite
// there, and that point stands for far less of the box than a null rule gives it.
#define STEEP_SIDE REAL(100.0)
#define CAUTION                                                                                                        \
    REAL(0.5) // true errors at jumps across an axis are up to a third of the largest null rule, at |x - c|^s a half

#define ROUNDED                                                                                                        \
    (64 * EPSILON) // of the largest |f| on an axis: a null rule below is rounding, and tells no axis from another
#define UNSHOWN REAL(10.0)
#define STEADILY_STEEP REAL(1.25)
#define AT_NEAR REAL(0.32071571)         // shares of the box from a side: (1 - sqrt(9/70)) / 2
#define SINGULAR 4                       // times what a power holds
#define AT_FAR REAL(0.02565835097474307) // (1 - sqrt(0.9)) / 2
#define AT_CORNER REAL(0.15587638)       // (1 - sqrt(9/19)) / 2

// What the rules have made of a component's values so far; nulls: of the axis on which the points lie.
typedef struct sums {
    realv seven, five, magnitude, first, corners, nulls[4];
    realv axis, steepest, widest, all_low, all_high, rough;
    realv sizes[3],
        corner_sizes[3]; // the largest |f| on the axis, near the center, far from it and at the edge; in corners
} sums;

// What a singularity c d^-s at a side, or at a corner of n sides, has from there to points a share `far` of the box
// away: of |f| at three places on the way to it, f[0] and f[1], and f[2] next to it. `most` where it is no such one:
// what grows faster towards the side than the way before says may end before it.
realv singular_part(const realv *f, real near, real far, uint n, realv most) {
    const realv before = log(f[1] / f[0]) / log(near / far), s = log(f[2] / f[1]) / log(far / AT_EDGE),
                share = 1 - s / n;
    real power = SINGULAR;
    for (uint k = 0; k < n; k++)
        power *= far;
    const realv part = power * f[1] / share;
    return (f[2] > STEEP_SIDE * f[1] && s <= STEADILY_STEEP * before && share > 0 && part < most) ? part : most;
}

// Adds the value at point q.
void add_value(const box *b, uint q, realv f, sums *s) {
    s->first = q == 0 ? f : s->first;
    s->corner_sizes[0] = fabs(s->first);
    if (q >= N_POINTS - CORNERS - (1 << DIM) && q < N_POINTS - CORNERS)
        s->corner_sizes[1] = fmax(s->corner_sizes[1], fabs(f));
    if (q >= N_POINTS - CORNERS) {
        s->corner_sizes[2] = fmax(s->corner_sizes[2], fabs(f));
        s->corners += HIDDEN[q] * (fabs(f) < INFINITY ? f : s->first);
        return;
    }
    s->corners += HIDDEN[q] * f;
    if (q >= 1 && q <= 6 * DIM) {
        const uint k = (q - 1) / 6, which = (q - 1) % 6;
        const realv kept = which < 4 || fabs(f) < INFINITY ? f : s->first;
        for (uint i = 0; i < 4; i++)
            s->nulls[i] = (which == 0 ? NULLS[i] * s->first : s->nulls[i]) + NULLS[4 * (which + 1) + i] * kept;
        s->sizes[which / 2] = which % 2 == 0 ? fabs(f) : fmax(s->sizes[which / 2], fabs(f));
        if (which == 5) {
            const realv low = fmax(fabs(s->nulls[0]), fabs(s->nulls[1])),
                        high = fmax(fabs(s->nulls[2]), fabs(s->nulls[3]));
            const realv most = fmax(fabs(s->first), fmax(s->sizes[0], s->sizes[1])), all = fmax(low, high);
            const realv steep = all > ROUNDED * most ? all : (realv)0, wide = b->share[k];
            s->axis = (steep > s->steepest || (steep == s->steepest && wide > s->widest)) ? (realv)k : s->axis;
            s->widest = s->axis == (realv)k ? wide : s->widest;
            s->steepest = s->axis == (realv)k ? steep : s->steepest;
            const realv held = singular_part(s->sizes, AT_NEAR, AT_FAR, 1, CAUTION * steep);
            s->rough = fmax(s->rough, fmax(held, CAUTION * fmin(low, steep)));
            s->all_low = fmax(s->all_low, low);
            s->all_high = fmax(s->all_high, high);
        }
        if (which >= 4)
            return;
    }
    s->seven += SEVEN[q] * f;
    s->five += FIVE[q] * f;
    s->magnitude += fabs(SEVEN[q]) * fabs(f);
}

// The axis to halve along: that of the largest null rule, or where the error is far more than these show the one along
// which the box has the greatest share of the range.
realv axis_of(const box *b, const sums *s, realv error) {
    realv widest = 0, axis = 0;
    for (uint k = 0; k < DIM; k++) {
        axis = b->share[k] > widest ? (realv)k : axis;
        widest = fmax(widest, b->share[k]);
    }
    return error > UNSHOWN * s->steepest ? axis : s->axis;
}

estimate judge_sums(const box *b, const sums *s, realv volume) {
    const realv difference = fabs(s->seven - s->five), rough = fmax(difference, s->rough);
    const realv seen = s->all_high < RESOLVED * s->all_low ? difference : rough;
    const realv held = singular_part(s->corner_sizes, REAL(0.5), AT_CORNER, DIM, CAUTION * fabs(s->corners));
    const realv error = fabs(s->corners) > SEEN * seen ? fmax(seen, held) : seen;
    const estimate e = {s->seven * volume, error * fabs(volume), 50 * EPSILON * s->magnitude * fabs(volume),
                        axis_of(b, s, error), s->magnitude * fabs(volume)};
    return e;
}

void evaluate_box(const box *b, given *in, estimate *of_components) {
    realv volume = 1;
    sums all[COMPONENTS];
    for (uint k = 0; k < DIM; k++)
        volume *= 2 * b->half_width[k];
#pragma unroll 1
    for (uint c = 0; c < COMPONENTS; c++) {
        const sums none = {.steepest = -1};
        all[c] = none;
    }
#pragma unroll 1
    for (uint q = 0; q < N_POINTS; q++) {
        realv x[DIM];
        for (uint k = 0; k < DIM; k++)
            x[k] = b->center[k] + POSITIONS[q * DIM + k] * b->half_width[k];
        const realv f = integrand(x, in);
        add_value(b, q, f, &all[0]);
#pragma unroll 1
        for (uint c = 1; c < COMPONENTS; c++)
            add_value(b, q, further(in, c), &all[c]);
    }
#pragma unroll 1
    for (uint c = 0; c < COMPONENTS; c++)
        of_components[c] = judge_sums(b, &all[c], volume);
}
