// Byte code run on boxes, with the bounds of every operation (bounds.cl).

// What byte code makes of boxes: of inputs, constants and values on the way their bounds, and what is in the middle
// with what is undecided taken the other way: all of it, and every second, as two changes may cancel that do not come
// at the same place.
#define WAYS 3
typedef struct box_values {
    bounds of[SLOTS];
    realv other[WAYS][SLOTS];
    realv share; // of the box that may be hidden by any of what is undecided
    realv open;  // 1 where anything is
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
    v->share = v->open = 0;
    for (uint i = 0; i < n; i++, at += CODE_INSTRUCTION) {
        const uint operation = (uint)at[0], a = (uint)at[2], b = (uint)at[3], c = (uint)at[4];
        realv jumps = 0;
        if (ways > 0)
            jumps = v->of[a].middle != v->other[0][a] || v->of[b].middle != v->other[0][b] ? (realv)1 : (realv)0;
        const bool is_square = operation == OF_MULTIPLY && a == b,
                   overtakes = operation == OF_MAX || operation == OF_MIN,
                   changes = is_condition(operation) || is_step(operation) || overtakes;
        bounds made = apply_bounds(operation, v->of[a], v->of[b], v->of[c], is_square, jumps, &v->share);
        call(operation, &v->of[a].middle, &v->of[b].middle, &v->of[c].middle, &made.middle);
        made.order = order_of(operation, &v->of[a], &v->of[b], &v->of[c]);
        realv changed = made.middle > made.low ? made.low : made.high, open = 0;
        if (overtakes)
            changed = overtaken(operation == OF_MAX, v->of[a], v->of[b], made.middle);
        if (changes)
            open = made.low < made.high ? turn : (realv)0;
        v->open = fmax(v->open, fabs(open));
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

// The ways are looked at where something is undecided: in most boxes nothing is. False where they are not.
bool interpret_box(box_values *v, __global const int *code) {
    real open[WIDTH], most = 0;
    interpret_ways(v, 0, code);
    STOREV(v->open, open);
    for (uint l = 0; l < WIDTH; l++)
        most = fmax(most, open[l]);
    if (most > 0)
        interpret_ways(v, WAYS, code);
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
