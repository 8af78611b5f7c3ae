// Byte code run on boxes, with the bounds of every operation (bounds.cl).

// What byte code makes of boxes: of inputs, constants and values on the way their bounds, and what is in the middle
// with what is undecided taken the other way: all of it, and every second, as two changes may cancel that do not come
// at the same place.
#define WAYS 3
#define COMPARED 16 // so many of what compares are looked at beside limits
typedef struct box_values {
    bounds of[SLOTS];
    realv other[WAYS][SLOTS];
    realv share; // of the box that may be hidden by any of what is undecided
    realv open;  // how much is
#if FORGETS
    realv along[COMPARED]; // 1: what is compared is 0 along a limit of the range, and nowhere in the box
#endif
} box_values;

void put_bounds(box_values *v, uint slot, bounds b) {
    v->of[slot] = b;
    for (uint way = 0; way < WAYS; way++)
        v->other[way][slot] = b.middle;
}

void put_number(box_values *v, uint slot, realv number) {
    const bounds b = {number, number, number, (realv)0, 0};
    put_bounds(v, slot, b);
}

void put_constants(box_values *v, __global const int *code) {
    const uint first = N_INPUTS(code), n = (uint)code[1];
    load_constants(v->other[0], code);
    for (uint k = first; k < first + n; k++)
        put_number(v, k, v->other[0][k]);
}

bool is_condition(uint operation) { return operation >= OF_LESS && operation <= OF_OR; }

bool is_step(uint operation) {
    return operation == OF_SIGN || operation == OF_FLOOR || operation == OF_CEIL || operation == OF_ROUND ||
           operation == OF_TRUNC || operation == OF_MOD || operation == OF_COPYSIGN;
}

#if FORGETS
bool compares(uint operation) {
    return operation == OF_LESS || operation == OF_LESS_EQUAL || operation == OF_GREATER ||
           operation == OF_GREATER_EQUAL;
}

// Where limits depend on other variables, bounds take both as if they moved apart, so that what goes along a limit
// would be undecided beside it. So what is compared is looked at in points of the box and of the limits beside it:
// where it is 0 there, and in the box grows with the distance from them, it has one sign.
#define ALONG (PRECISION == 64 ? REAL(2e-10) : REAL(5e-6)) // of the largest in the box is rounding
#define AS_DISTANCE 4                                      // that it grows like the distance but for so much
#define PART(p, a) (REAL(0.02) + REAL(0.48) * ((p + a) % WAYS))

// The differences of what is compared, in WAYS points of the box; of `axis`, if there is one, where t is `face`.
void differences_at(box_values *v, uint axis, real face, __global const int *code, realv apart[COMPARED][WAYS]) {
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
            if (counts)
                apart[n][p] = v->other[p][at[2]] - v->other[p][at[3]];
            call((uint)at[0], &v->other[p][at[2]], &v->other[p][at[3]], &v->other[p][at[4]], &value);
            v->other[p][at[1]] = value;
        }
        n += counts ? 1 : 0;
    }
}

// Looks from where a variable t is 0 or 1, which are the limits of one whose limits depend on others.
void look_from(box_values *v, uint axis, real face, realv inside[COMPARED][WAYS], __global const int *code) {
    const bounds t = v->of[ROW_LENGTH(code) + axis];
    realv limit[COMPARED][WAYS];
    for (uint n = 0; n < COMPARED; n++)
        for (uint p = 0; p < WAYS; p++)
            limit[n][p] = INFINITY;
    differences_at(v, axis, face, code, limit);
    for (uint n = 0; n < COMPARED; n++) {
        realv least = INFINITY, most = -INFINITY, largest = 0, beyond = 0;
        for (uint p = 0; p < WAYS; p++) {
            const realv slope = inside[n][p] / (t.low + PART(p, axis) * (t.high - t.low) - face);
            least = fmin(least, slope);
            most = fmax(most, slope);
            largest = fmax(largest, fabs(inside[n][p]));
            beyond = fabs(limit[n][p]) <= beyond ? beyond : fabs(limit[n][p]);
        }
        const realv apart = (t.low >= face || t.high <= face) ? (realv)1 : (realv)0,
                    steady = ((least > 0 && most < AS_DISTANCE * least) || (most < 0 && least > AS_DISTANCE * most))
                                 ? apart
                                 : (realv)0;
        v->along[n] = fmax(v->along[n], beyond <= ALONG * largest ? steady : (realv)0);
    }
}

void look_along(box_values *v, __global const int *code) {
    realv inside[COMPARED][WAYS];
    for (uint n = 0; n < COMPARED; n++) {
        v->along[n] = 0;
        for (uint p = 0; p < WAYS; p++)
            inside[n][p] = 0;
    }
    differences_at(v, DIM, 0, code, inside);
    for (uint k = 0; k < DIM; k++)
        for (uint side = 0; side < 2; side++)
            look_from(v, k, (real)side, inside, code);
    for (uint a = ROW_LENGTH(code); a < ROW_LENGTH(code) + DIM; a++)
        put_bounds(v, a, v->of[a]);
}

#endif

// How the larger or the smaller of two may be in the middle if either overtakes the other somewhere.
realv overtaken(bool is_larger, bounds a, bounds b, realv middle) {
    const realv overlap = fmax(fmin(a.high - b.low, b.high - a.low), (realv)0),
                most = fmin(fabs(a.middle - b.middle), overlap);
    return is_larger ? middle + most : middle - most;
}

// The most that the order of a value may be, of those of its operands.
real order_of(uint operation, const bounds *a, const bounds *b, const bounds *c) {
    const real both = fmax(a->order, b->order);
    real powers[WIDTH], most = 1;
    switch (operation) {
    case OF_MULTIPLY:
        return a->order + b->order;
    case OF_POW:
        STOREV(b->high, powers);
        for (uint l = 0; l < WIDTH; l++)
            most = fmax(most, powers[l]);
        return fmin(a->order * most, (real)64);
    case OF_SQRT:
        return fmax(a->order / 2, (real)1);
    case OF_SIN:
    case OF_COS:
    case OF_COSH:
        return 2 * a->order;
    case OF_HYPOT:
        return 2 * both;
    case OF_CHOOSE:
        return fmax(both, c->order);
    }
    return both;
}

// With `ways` ways of taking what is undecided, all or none.
__attribute__((noinline)) void interpret_ways(box_values *v, uint ways, __global const int *code) {
    const uint n = (uint)code[2];
    __global const int *at = code + CODE_HEAD;
    realv turn = 1; // 1 and -1 by turns at what is undecided
#if FORGETS
    uint compared = 0;
#endif
    v->share = v->open = 0;
    for (uint i = 0; i < n; i++, at += CODE_INSTRUCTION) {
        const uint operation = (uint)at[0], a = (uint)at[2], b = (uint)at[3], c = (uint)at[4];
        realv jumps = 0;
        if (ways > 0)
            jumps = v->of[a].middle != v->other[0][a] || v->of[b].middle != v->other[0][b] ? (realv)1 : (realv)0;
        const bool is_square = operation == OF_MULTIPLY && a == b,
                   overtakes = operation == OF_MAX || operation == OF_MIN,
                   changes = is_condition(operation) || is_step(operation) || overtakes;
        realv share = v->share;
        bounds made = apply_bounds(operation, v->of[a], v->of[b], v->of[c], is_square, jumps, &share);
        call(operation, &v->of[a].middle, &v->of[b].middle, &v->of[c].middle, &made.middle);
#if FORGETS
        if (ways > 0 && compares(operation) && compared < COMPARED) {
            const realv along = v->along[compared++];
            made.low = along > 0 ? made.middle : made.low;
            made.high = along > 0 ? made.middle : made.high;
            share = along > 0 ? v->share : share;
        }
#endif
        v->share = share;
        made.order = order_of(operation, &v->of[a], &v->of[b], &v->of[c]);
        realv changed = made.middle > made.low ? made.low : made.high, open = 0;
        if (overtakes) {
            changed = overtaken(operation == OF_MAX, v->of[a], v->of[b], made.middle);
            open = changed != made.middle ? turn : (realv)0;
        } else if (changes)
            open = made.low < made.high ? turn : (realv)0;
        v->open += fabs(open);
        for (uint way = 0; way < ways; way++) {
            const realv takes = way == 0 ? open * open : way == 1 ? open : -open;
            realv other;
            call(operation, &v->other[way][a], &v->other[way][b], &v->other[way][c], &other);
            if (is_condition(operation)) // decided: what rounding makes of its operands does not count
                other = open != 0 ? other : made.middle;
            v->other[way][at[1]] = takes > 0 ? changed : other;
        }
        turn = open != 0 ? -turn : turn;
        v->of[at[1]] = made;
    }
}

// The ways are looked at where something undecided may be hidden, or two of them may cancel: in most boxes nothing
// does. False where they are not.
bool interpret_box(box_values *v, __global const int *code) {
    real open[WIDTH], most = 0;
    interpret_ways(v, 0, code);
    STOREV((v->open > 1 || v->share > 0) ? v->open : (realv)0, open);
    for (uint l = 0; l < WIDTH; l++)
        most = fmax(most, open[l]);
    if (most > 0) {
#if FORGETS
        look_along(v, code);
#endif
        interpret_ways(v, WAYS, code);
    }
    return most > 0;
}

// How the value in `slot` changes in the middle one way; what is not finite there tells nothing, so its bounds do, and
// without them that it may be as much as the value.
realv change_in_middle(const box_values *v, uint slot, uint way) {
    const bounds f = v->of[slot];
    const realv change = fabs(v->other[way][slot] - f.middle), most = fmax(f.high - f.middle, f.middle - f.low);
    return change < INFINITY ? change : most < INFINITY ? most : fabs(f.middle);
}

// The most that it changes by, and the share of the box where it may. Where changes cancel, nodes see none of them.
realv hidden_change(const box_values *v, uint slot, realv *share) {
    const realv all = change_in_middle(v, slot, 0),
                some = fmax(change_in_middle(v, slot, 1), change_in_middle(v, slot, 2));
    *share = some > 2 * all ? share_counted((realv)0.5) : v->share;
    return fmax(all, some);
}
