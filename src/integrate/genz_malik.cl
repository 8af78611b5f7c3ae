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
#define CAUTION                                                                                                        \
    REAL(0.5) // true errors at jumps across an axis are up to a third of the largest null rule, at |x - c|^s a half

estimate evaluate_box(const box *b, given *in) {
    realv axis = 0, steepest = -1, widest = 0, volume = 1, seven = 0, five = 0, magnitude = 0, first = 0, all_low = 0,
          all_high = 0;
    realv nulls[4], corners = 0;
    for (uint k = 0; k < DIM; k++)
        volume *= 2 * b->half_width[k];
#pragma unroll 1
    for (uint q = 0; q < N_POINTS; q++) {
        realv x[DIM];
        for (uint k = 0; k < DIM; k++)
            x[k] = b->center[k] + POSITIONS[q * DIM + k] * b->half_width[k];
        const realv f = integrand(x, in);
        first = q == 0 ? f : first;
        if (q >= N_POINTS - CORNERS) {
            corners += HIDDEN[q] * (fabs(f) < INFINITY ? f : first);
            continue;
        }
        corners += HIDDEN[q] * f;
        if (q >= 1 && q <= 6 * DIM) {
            const uint k = (q - 1) / 6, which = (q - 1) % 6;
            const realv kept = which < 4 || fabs(f) < INFINITY ? f : first;
            for (uint i = 0; i < 4; i++)
                nulls[i] = (which == 0 ? NULLS[i] * first : nulls[i]) + NULLS[4 * (which + 1) + i] * kept;
            if (which == 5) {
                const realv low = fmax(fabs(nulls[0]), fabs(nulls[1])), high = fmax(fabs(nulls[2]), fabs(nulls[3]));
                const realv steep = fmax(low, high), wide = fabs(b->half_width[k]);
                axis = (steep > steepest || (steep == steepest && wide > widest)) ? (realv)k : axis;
                widest = axis == (realv)k ? wide : widest;
                steepest = axis == (realv)k ? steep : steepest;
                all_low = fmax(all_low, low);
                all_high = fmax(all_high, high);
            }
            if (which >= 4)
                continue;
        }
        seven += SEVEN[q] * f;
        five += FIVE[q] * f;
        magnitude += fabs(SEVEN[q]) * fabs(f);
    }
    const realv difference = fabs(seven - five), rough = fmax(difference, CAUTION * steepest);
    const realv seen = all_high < RESOLVED * all_low ? difference : rough;
    const realv error = fabs(corners) > SEEN * seen ? fmax(seen, CAUTION * fabs(corners)) : seen;
    const estimate e = {seven * volume, error * fabs(volume), 50 * EPSILON * magnitude * fabs(volume), axis,
                        magnitude * fabs(volume)};
    return e;
}
