// The rule of degree 7 of Genz and Malik (1980) with their embedded one of degree 5, on a box of DIM >= 2 dimensions, from
// tables: point q has the coordinates center + POSITIONS[q DIM + k] half width and the weights SEVEN[q] and FIVE[q]. Point 0 is
// the center, points 1 + 4 k to 4 + 4 k lie on axis k, the first two at sqrt(9/70) from the center and the others at sqrt(9/10).
// The axis to split along is that of the largest fourth difference.
estimate evaluate_box(const box *b, const realv *p) {
    realv axis = 0, steepest = -1, widest = 0, volume = 1, seven = 0, five = 0, magnitude = 0, first = 0, difference = 0;
    for (uint k = 0; k < DIM; k++)
        volume *= 2 * b->half_width[k];
#pragma unroll 1
    for (uint q = 0; q < N_POINTS; q++) {
        realv x[DIM];
        for (uint k = 0; k < DIM; k++)
            x[k] = b->center[k] + POSITIONS[q * DIM + k] * b->half_width[k];
        const realv f = integrand(x, p);
        seven += SEVEN[q] * f;
        five += FIVE[q] * f;
        magnitude += fabs(SEVEN[q]) * fabs(f);
        first = q == 0 ? f : first;
        if (q >= 1 && q <= 4 * DIM) {
            const uint k = (q - 1) / 4, which = (q - 1) % 4;
            difference = (which == 0 ? (realv)0 : difference) + (which < 2 ? f - first : (first - f) / 7);
            const realv steep = fabs(difference), wide = fabs(b->half_width[k]);
            if (which == 3) {
                axis = (steep > steepest || (steep == steepest && wide > widest)) ? (realv)k : axis;
                widest = axis == (realv)k ? wide : widest;
                steepest = axis == (realv)k ? steep : steepest;
            }
        }
    }
    const estimate e = {seven * volume, fabs((seven - five) * volume), 50 * EPSILON * magnitude * fabs(volume), axis};
    return e;
}
