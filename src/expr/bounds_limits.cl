// What is compared beside limits that vary (bounds_box.cl).

#if LIMITS_VARY
// Where limits depend on other variables, bounds take both as if they moved apart, so that what goes along a limit
// would be undecided beside it. So what is compared is looked at in points of the limits: where it is the same in all
// of them, bounds of its derivative tell how it changes from there into the box.
#define ALONG (PRECISION == 64 ? REAL(2e-10) : REAL(5e-6)) // of the largest change in the box is rounding
#define PART(p, a) (REAL(0.02) + REAL(0.48) * ((p + a) % WAYS))

// Bounds of derivatives with respect to one variable, where numbers of two of the ways have been before.
bounds rise_at(const box_values *v, uint slot) { return bounds_of(v->other[0][slot], v->other[1][slot]); }

void put_rise(box_values *v, uint slot, realv low, realv high) {
    v->other[0][slot] = low;
    v->other[1][slot] = high;
}

bounds bounds_sum(bounds a, bounds b) { return bounds_of(a.low + b.low, a.high + b.high); }

bounds bounds_if(realv first, bounds a, realv second, bounds b) {
    return bounds_of(first > 0    ? a.low
                     : second > 0 ? b.low
                                  : (realv)-INFINITY,
                     first > 0    ? a.high
                     : second > 0 ? b.high
                                  : (realv)INFINITY);
}

// Whether a lies above b, 1 or 0.
realv is_above(bounds a, bounds b) { return a.low >= b.high ? (realv)1 : (realv)0; }

// Bounds of the derivative of a result; infinite where the result may jump or have a kink, whatever with, or where its
// derivative is not known.
bounds rise_of(const box_values *v, __global const int *at, bounds made) {
    const uint operation = (uint)at[0];
    const bounds a = v->of[at[2]], b = v->of[at[3]], rise = rise_at(v, (uint)at[2]), other = rise_at(v, (uint)at[3]),
                 zero = bounds_of(0, 0);
    realv undecided = 0;
    switch (operation) {
    case OF_ADD:
        return bounds_sum(rise, other);
    case OF_SUBTRACT:
        return bounds_sum(rise, bounds_negate(other));
    case OF_NEGATE:
        return bounds_negate(rise);
    case OF_MULTIPLY:
        return bounds_sum(bounds_multiply(rise, b), bounds_multiply(a, other));
    case OF_DIVIDE:
        return bounds_divide(bounds_sum(rise, bounds_negate(bounds_multiply(made, other))), b);
    case OF_SQRT:
        return bounds_divide(rise, bounds_sum(made, made));
    case OF_EXP:
        return bounds_multiply(rise, made);
    case OF_LOG:
        return bounds_divide(rise, bounds_within(OF_LOG, a, false));
    case OF_POW: // a^b (b' log(a) + b a' / a)
        return bounds_sum(
            bounds_multiply(bounds_multiply(bounds_pow(a, bounds_add(b, -1)), b), rise),
            bounds_multiply(bounds_multiply(made, apply_bounds(OF_LOG, a, a, a, false, 0, &undecided)), other));
    case OF_HYPOT:
        return bounds_divide(bounds_sum(bounds_multiply(a, rise), bounds_multiply(b, other)), made);
    case OF_ABS:
        return bounds_multiply(rise, bounds_of(a.low >= 0 ? (realv)1 : (realv)-1, a.high <= 0 ? (realv)-1 : (realv)1));
    case OF_MAX:
        return bounds_if(is_above(a, b), rise, is_above(b, a), other);
    case OF_MIN:
        return bounds_if(is_above(b, a), rise, is_above(a, b), other);
    case OF_CHOOSE:
        return bounds_if(a.low, other, 1 - a.high, rise_at(v, (uint)at[4]));
    }
    const bounds third = rise_at(v, (uint)at[4]);
    const realv most =
                    fmax(fmax(fmax(-rise.low, rise.high), fmax(-other.low, other.high)), fmax(-third.low, third.high)),
                jumps = (is_condition(operation) || is_step(operation)) && made.low < made.high ? (realv)1 : (realv)0;
    return bounds_if(most + jumps > 0 ? (realv)0 : (realv)1, zero, (realv)0, zero);
}

// The differences of what is compared, in WAYS points of the face where the variable of `axis` is `face`.
void look_at_face(box_values *v, uint axis, real face, __global const int *code, bounds apart[COMPARED]) {
    __global const int *at = code + CODE_HEAD;
    const uint n_row = ROW_LENGTH(code);
    uint n = 0;
    for (uint a = 0; a < DIM; a++)
        for (uint p = 0; p < WAYS; p++) {
            const bounds t = v->of[n_row + a];
            v->other[p][n_row + a] = a == axis ? (realv)face : t.low + PART(p, a) * (t.high - t.low);
        }
    for (uint i = 0; i < (uint)code[2]; i++, at += CODE_INSTRUCTION) {
        const bool counts = compares((uint)at[0]) && n < COMPARED;
        for (uint p = 0; p < WAYS; p++) {
            realv value;
            if (counts) {
                const realv d = v->other[p][at[2]] - v->other[p][at[3]];
                const bounds here = bounds_of(d, d); // all numbers where that is none
                apart[n] = p == 0 ? here : bounds_of(fmin(apart[n].low, here.low), fmax(apart[n].high, here.high));
            }
            call((uint)at[0], &v->other[p][at[2]], &v->other[p][at[3]], &v->other[p][at[4]], &value);
            v->other[p][at[1]] = value;
        }
        n += counts ? 1 : 0;
    }
}

// What is compared, by what it is at that face and by its derivative from there to the far side of the box.
bounds from_face(bounds at_face, bounds rise, bounds way) {
    const realv most = fmax(-rise.low, rise.high), rounding = ALONG * most * fmax(way.high, -way.low),
                falls = rise.high <= SLACK * most ? (realv)1 : (realv)0,
                grows = rise.low >= -SLACK * most ? (realv)1 : (realv)0,
                is_zero = at_face.high <= rounding && at_face.low >= -rounding ? (realv)1 : (realv)0,
                known = at_face.high - at_face.low <= rounding && most < INFINITY ? (realv)1 : (realv)0;
    const bounds change = bounds_multiply(
        bounds_of(grows > 0 ? fmax(rise.low, (realv)0) : rise.low, falls > 0 ? fmin(rise.high, (realv)0) : rise.high),
        way);
    return bounds_of(known > 0 ? (is_zero > 0 ? (realv)0 : at_face.low) + change.low : (realv)-INFINITY,
                     known > 0 ? (is_zero > 0 ? (realv)0 : at_face.high) + change.high : (realv)INFINITY);
}

void look_from(box_values *v, uint axis, real face, __global const int *code) {
    __global const int *at = code + CODE_HEAD;
    const uint slot = ROW_LENGTH(code) + axis;
    const bounds t = v->of[slot];
    bounds at_face[COMPARED];
    realv share = 0;
    uint n = 0;
    look_at_face(v, axis, face, code, at_face);
    for (uint k = 0; k < N_INPUTS(code) + (uint)code[1]; k++)
        put_rise(v, k, k == slot ? (realv)1 : (realv)0, k == slot ? (realv)1 : (realv)0);
    v->of[slot].low = fmin(t.low, (realv)face);
    v->of[slot].high = fmax(t.high, (realv)face);
    for (uint i = 0; i < (uint)code[2]; i++, at += CODE_INSTRUCTION) {
        const uint operation = (uint)at[0];
        if (compares(operation) && n < COMPARED) {
            const bounds rise = bounds_sum(rise_at(v, (uint)at[2]), bounds_negate(rise_at(v, (uint)at[3]))),
                         apart = from_face(at_face[n], rise, bounds_add(t, (realv)-face));
            v->apart[n].low = fmax(v->apart[n].low, apart.low);
            v->apart[n].high = fmin(v->apart[n].high, apart.high);
            n++;
        }
        const bounds made = apply_bounds(operation, v->of[at[2]], v->of[at[3]], v->of[at[4]],
                                         operation == OF_MULTIPLY && at[2] == at[3], 0, &share);
        const bounds rise = rise_of(v, at, made);
        v->of[at[1]] = made;
        put_rise(v, (uint)at[1], rise.low, rise.high);
    }
    v->of[slot] = t;
    for (uint k = 0; k < N_INPUTS(code) + (uint)code[1]; k++)
        put_bounds(v, k, v->of[k]);
}

void look_along(box_values *v, __global const int *code) {
    for (uint n = 0; n < COMPARED; n++)
        v->apart[n] = bounds_of(-INFINITY, INFINITY);
    for (uint k = 0; k < DIM; k++)
        for (uint side = 0; side < 2; side++)
            look_from(v, k, (real)side, code);
}

// Operands whose difference has narrower bounds, where these are known.
void take_apart(bounds known, bounds *a, bounds *b) {
    const realv is_known = known.low > -INFINITY || known.high < INFINITY ? (realv)1 : (realv)0,
                low = fmax(known.low, a->low - b->high), high = fmin(known.high, a->high - b->low);
    a->middle = is_known > 0 ? a->middle - b->middle : a->middle;
    a->low = is_known > 0 ? low : a->low;
    a->high = is_known > 0 ? high : a->high;
    a->order = fmax(a->order, b->order);
    b->low = is_known > 0 ? (realv)0 : b->low;
    b->high = is_known > 0 ? (realv)0 : b->high;
    b->middle = is_known > 0 ? (realv)0 : b->middle;
}

#endif
