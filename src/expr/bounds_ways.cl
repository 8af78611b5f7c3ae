// What byte code makes of a box, and what may hide in it (bounds_box.cl).

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

// Whether a value may be rough in the box, 1 or 0; `turned`: what lines through the box tell of the operation.
realv roughness(const box_values *v, __global const int *at, realv turned, bounds made) {
    const uint operation = (uint)at[0];
    const bounds a = v->of[at[2]], b = v->of[at[3]];
    realv rough = fmax(a.share, b.share);
    if (operation == OF_AS_NUMBER)
        rough = 0;
    if (operation == OF_CHOOSE)
        rough = a.low > 0 ? b.share : v->of[at[4]].share;
    return fmax(fmax(rough, turned), varies_quickly(operation, a, b, made));
}

// Keeps what the n-th operation that changes over is like in the middle; when lines have been looked at, what they tell
// of it is left with the first operand, and whether it bends.
realv turn_at(box_values *v, uint n, bool is_looked_at, uint operation, bounds *a, bounds *b) {
    const bounds apart = bounds_of(a->low - b->high, a->high - b->low);
    const realv open = operation == OF_ABS                          ? crosses(*a)
                       : operation == OF_MAX || operation == OF_MIN ? crosses(apart)
                                                                    : (realv)0;
    if (n >= TURNING || !NODES_INSIDE)
        return open;
    if (!is_looked_at) {
        const realv level = level_of(operation, *a);
        const turn t = {level, difference(operation, a->middle, b->middle) - level, (realv)0, (realv)0};
        v->turns[n] = t;
        return (realv)0;
    }
    a->share = fmax(a->share, v->turns[n].dips);
    return open * fmax(v->turns[n].seen, v->turns[n].dips);
}

// With `ways` ways of taking what is undecided, all or none; whether lines have been looked at.
__attribute__((noinline)) void interpret_ways(box_values *v, uint ways, bool is_looked_at, __global const int *code) {
    const uint n = (uint)code[2];
    __global const int *at = code + CODE_HEAD;
    realv sign = 1; // 1 and -1 by turns at what is undecided
    uint turning = 0;
#if LIMITS_VARY
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
        bounds first = v->of[a], second = v->of[b];
        realv turned = 0;
        if (changes_over(operation))
            turned = turn_at(v, turning++, is_looked_at, operation, &first, &second);
#if LIMITS_VARY
        if (ways > 0 && compares(operation) && compared < COMPARED)
            take_apart(v->apart[compared++], &first, &second);
#endif
        bounds made = apply_bounds(operation, first, second, v->of[c], is_square, jumps, &v->share);
        call(operation, &v->of[a].middle, &v->of[b].middle, &v->of[c].middle, &made.middle);
        made.order = order_of(operation, &v->of[a], &v->of[b], &v->of[c]);
        if (!is_condition(operation))
            made.share = roughness(v, at, turned, made);
        realv changed = made.middle > made.low ? made.low : made.high, open = 0;
        if (overtakes) {
            changed = overtaken(operation == OF_MAX, v->of[a], v->of[b], made.middle);
            open = changed != made.middle ? sign : (realv)0;
        } else if (changes)
            open = made.low < made.high ? sign : (realv)0;
        v->open += fabs(open);
        for (uint way = 0; way < ways; way++) {
            const realv takes = way == 0 ? open * open : way == 1 ? open : -open;
            realv other;
            call(operation, &v->other[way][a], &v->other[way][b], &v->other[way][c], &other);
            if (is_condition(operation)) // decided: what rounding makes of its operands does not count
                other = open != 0 ? other : made.middle;
            v->other[way][at[1]] = takes > 0 ? changed : other;
        }
        sign = open != 0 ? -sign : sign;
        v->of[at[1]] = made;
    }
}

bool is_any(realv condition) {
    real lanes[WIDTH], most = 0;
    STOREV(condition, lanes);
    for (uint l = 0; l < WIDTH; l++)
        most = fmax(most, lanes[l]);
    return most > 0;
}

// The ways are looked at where something undecided may be hidden, or two of them may cancel: in most boxes nothing
// does. False where they are not. They count for those boxes alone, so that it does not matter which ones share a
// vector.
bool interpret_box(box_values *v, __global const int *code) {
    interpret_ways(v, 0, false, code);
    if (!is_any(v->open))
        return false;
    if (NODES_INSIDE) {
        look_at_lines(v, code);
        interpret_ways(v, 0, true, code);
    }
    v->asked = v->open > 0 && (v->open > 1 || v->share > 0) ? (realv)1 : (realv)0;
    if (!is_any(v->asked))
        return false;
#if LIMITS_VARY
    look_along(v, code);
#endif
    interpret_ways(v, WAYS, true, code);
    return true;
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
    *share = v->asked * (some > 2 * all ? (realv)0.5 : v->share);
    return fmax(all, some);
}
