// Byte code on boxes: the least and the largest that every value may be in a box (interval arithmetic, Moore 1966), and
// which comparisons and steps are undecided there, though all nodes may see the same side of them. Bounds are those of
// almost all points: numbers that vary are nowhere equal, and what rounding makes of an end decides nothing. Of bounds
// that are both infinite nothing is known, and nothing follows.
#define SLACK (4 * EPSILON)
#define PI REAL(3.14159265358979323846)

typedef struct bounds {
    realv low, high; // of a condition 0 and 1 where it is undecided
    realv middle;    // the value in the middle of the box
    realv share;     // of an undecided condition: of the box where it is not as in the middle, at most; of other values
                     // 1 where they may be rough in the box, so that nodes tell little of what is between them
    real order;      // a value is like this power of the distance from where it is least or largest, at most
} bounds;

bounds bounds_of(realv low, realv high) {
    const bounds b = {low == low ? low : (realv)-INFINITY, high == high ? high : (realv)INFINITY, (realv)0, (realv)0,
                      1};
    return b;
}

// Not inlined, as interpret is not.
__attribute__((noinline)) void call(uint operation, const realv *a, const realv *b, const realv *c, realv *result) {
    *result = apply(operation, *a, *b, *c);
}

realv function(uint operation, realv a) {
    realv result;
    call(operation, &a, &a, &a, &result);
    return result;
}

bounds bounds_add(bounds a, realv b) {
    const bounds sum = {a.low + b, a.high + b, a.middle + b, a.share, a.order};
    return sum;
}

// Infinity is no value, only a bound.
realv product(realv a, realv b) {
    const realv p = a * b;
    return p == p ? p : (realv)0;
}

bounds bounds_multiply(bounds a, bounds b) {
    const realv p = product(a.low, b.low), q = product(a.low, b.high), r = product(a.high, b.low),
                s = product(a.high, b.high);
    return bounds_of(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

bounds bounds_abs(bounds a) {
    bounds size = bounds_of(fmax(fmax(a.low, -a.high), (realv)0), fmax(fabs(a.low), fabs(a.high)));
    size.middle = fabs(a.middle);
    size.share = a.share;
    size.order = a.order;
    return size;
}

bounds bounds_divide(bounds a, bounds b) {
    const bounds inverse = {(b.low >= 0 && b.high > 0) || b.high < 0 ? 1 / b.high : (realv)-INFINITY,
                            (b.low < 0 && b.high <= 0) || b.low > 0 ? 1 / b.low : (realv)INFINITY, (realv)0, (realv)0,
                            1};
    return bounds_multiply(a, inverse);
}

// A sine or cosine that is largest at `top`.
bounds bounds_wave(uint operation, bounds a, real top) {
    const realv highest = ceil((a.low - top) / (2 * PI)) * (2 * PI) + top,
                lowest = ceil((a.low - top - PI) / (2 * PI)) * (2 * PI) + top + PI;
    const realv left = function(operation, a.low), right = function(operation, a.high);
    return bounds_of(lowest > a.high ? fmin(left, right) : (realv)-1, highest > a.high ? fmax(left, right) : (realv)1);
}

bounds bounds_tan(bounds a) {
    const realv same = floor(a.low / PI + REAL(0.5)) == floor(a.high / PI + REAL(0.5)) ? (realv)1 : (realv)0;
    return bounds_of(same > 0 ? function(OF_TAN, a.low) : (realv)-INFINITY,
                     same > 0 ? function(OF_TAN, a.high) : (realv)INFINITY);
}

bounds bounds_atan2(bounds y, bounds x) {
    const bounds flat = bounds_divide(y, x), steep = bounds_divide(x, y);
    const realv is_flat = x.low > 0 ? (realv)1 : (realv)0, is_steep = y.low > 0 || y.high < 0 ? (realv)1 : (realv)0;
    const realv low = function(OF_ATAN, is_flat > 0 ? flat.low : -steep.high),
                high = function(OF_ATAN, is_flat > 0 ? flat.high : -steep.low),
                turn = is_flat > 0 ? (realv)0 : copysign((realv)(PI / 2), y.low);
    const realv known = is_flat + is_steep;
    return bounds_of(known > 0 ? turn + low : (realv)-PI, known > 0 ? turn + high : (realv)PI);
}

// Of a base that is not negative.
bounds bounds_pow(bounds a, bounds b) {
    realv low = INFINITY, high = -INFINITY;
    for (uint k = 0; k < 4; k++) {
        const realv base = k & 1 ? a.high : a.low, power = k & 2 ? b.high : b.low;
        realv value;
        call(OF_POW, &base, &power, &power, &value);
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return bounds_of(a.low >= 0 ? low : (realv)-INFINITY, a.low >= 0 ? high : (realv)INFINITY);
}

// How much of a box may lie beyond 0, which is between the bounds, on the other side than the middle: as much as beside
// the least value of a parabola, or of a higher power; half where that side has no bound, as a logarithm's.
realv share_beyond(bounds a) {
    const realv length = a.high - a.low, beyond = a.middle > 0 ? -a.low : a.high;
    realv part = fmax(beyond / length, (realv)0);
    for (real order = 1; order < fmax(a.order, (real)2); order *= 2)
        part = sqrt(part);
    return length < INFINITY                            ? fmin(part, (realv)0.5)
           : fmin(fabs(a.low), fabs(a.high)) < INFINITY ? (realv)0.5
                                                        : (realv)0;
}

// The same where no node lies there. Of what varies steadily the middle has half of the way to its end, and nodes close
// to sides and corners see all but a small part, or what lies on either side of a fold. What may be rough tells
// nothing: bounds may be wide for one reason, and a small part thin for another.
#define STEADILY REAL(0.4)
#define MOST_BESIDE_NODES (NODES_INSIDE ? REAL(0.0625) : REAL(1.0))
realv share_hidden(bounds a) {
    const realv length = a.high - a.low, beyond = a.middle > 0 ? -a.low : a.high,
                way = a.middle > 0 ? a.middle - a.low : a.high - a.middle;
    const realv beside =
        beyond < MOST_BESIDE_NODES * length ? fmin(fmax(2 * beyond / length, (realv)0), (realv)1) : (realv)0;
    const realv share = way > STEADILY * length && a.share == 0 ? beside : share_beyond(a);
    return length < INFINITY ? share : share_beyond(a);
}

// a < b; *share grows where that is undecided.
bounds bounds_less(bounds a, bounds b, realv *share) {
    bounds apart = bounds_of(a.low - b.high, a.high - b.low);
    apart.middle = a.middle - b.middle;
    apart.order = fmax(a.order, b.order);
    apart.share = fmax(a.share, b.share);
    const realv is_false =
                    apart.low > -INFINITY && apart.low >= -SLACK * (fabs(a.low) + fabs(b.high)) ? (realv)1 : (realv)0,
                is_true = apart.high < INFINITY && apart.high <= SLACK * (fabs(a.high) + fabs(b.low)) ? 1 - is_false
                                                                                                      : (realv)0;
    bounds less = bounds_of(is_true, 1 - is_false);
    less.share = share_beyond(apart);
    *share = fmax(*share, is_true + is_false > 0 ? (realv)0 : share_hidden(apart));
    return less;
}

// Operands that jump may be equal in a part of the box.
bounds bounds_equal(bounds a, bounds b, realv jumps) {
    const realv meet = a.low <= b.high && b.low <= a.high ? (realv)1 : (realv)0,
                same = meet > 0 && a.low == a.high && b.low == b.high ? (realv)1 : (realv)0;
    bounds equal = bounds_of(same, fmax(same, jumps * meet));
    equal.share = 0.5;
    return equal;
}

bounds bounds_not(bounds a) {
    const bounds n = {1 - a.high, 1 - a.low, 1 - a.middle, a.share, 1};
    return n;
}

// Both. Where neither is decided, and it is not so in the middle, nodes may see that either changes and yet nothing of
// where both have: that is within what every one has that is false in the middle.
bounds bounds_and(bounds a, bounds b, realv *share) {
    bounds both = bounds_of(fmin(a.low, b.low), fmin(a.high, b.high));
    const realv open_a = a.low < a.high ? (realv)1 : (realv)0, open_b = b.low < b.high ? (realv)1 : (realv)0;
    const realv no_a = a.middle == 0 ? (realv)1 : (realv)0, no_b = b.middle == 0 ? (realv)1 : (realv)0;
    both.share = no_a + no_b > 0 ? fmin(no_a > 0 ? a.share : b.share, no_b > 0 ? b.share : a.share)
                                 : fmax(open_a > 0 ? a.share : (realv)0, open_b > 0 ? b.share : (realv)0);
    *share = fmax(*share, open_a * open_b > 0 && no_a + no_b > 0 ? both.share : (realv)0);
    return both;
}

bounds bounds_negate(bounds a) {
    const bounds negated = {-a.high, -a.low, -a.middle, a.share, a.order};
    return negated;
}

bounds bounds_floor(bounds a, realv *share) {
    const realv low = floor(fabs(a.low) < INFINITY ? a.low + SLACK * fabs(a.low) : a.low),
                high = fmax(low, floor(fabs(a.high) < INFINITY ? a.high - SLACK * fabs(a.high) : a.high));
    const bounds beside = bounds_add(a, -high);
    *share = fmax(*share, high > low + 1 ? (realv)0.5 : high > low ? share_hidden(beside) : (realv)0);
    return bounds_of(low, high);
}

// The remainder of |a| by |b| with the sign of a, and never beyond a.
bounds bounds_mod(bounds a, bounds b, realv *share) {
    const bounds size = bounds_abs(a), by = bounds_abs(b);
    bounds quotient = bounds_divide(size, by);
    quotient.middle = size.middle / by.middle;
    quotient.order = fmax(a.order, b.order);
    quotient.share = fmax(a.share, b.share);
    const bounds turns = bounds_floor(quotient, share);
    const realv stays = turns.low == turns.high ? (realv)1 : (realv)0;
    const realv low = stays > 0 ? fmax(size.low - turns.low * by.high, (realv)0) : (realv)0,
                high = fmin(stays > 0 ? size.high - turns.low * by.low : by.high, by.high);
    return bounds_of(a.low < 0 ? fmax(-high, a.low) : low, a.high > 0 ? fmin(high, a.high) : -low);
}

// |a| with the sign of b.
bounds bounds_copysign(bounds a, bounds b, realv *share) {
    const bounds size = bounds_abs(a), zero = bounds_of(0, 0), minus = bounds_less(b, zero, share);
    return bounds_of(minus.high > 0 ? -size.high : size.low, minus.low > 0 ? -size.low : size.high);
}

// Operands within what a function is defined for, or their size where the sign does not count.
bounds bounds_within(uint operation, bounds a, bool is_square) {
    realv least = -INFINITY, most = INFINITY;
    switch (operation) {
    case OF_SQRT:
    case OF_LOG:
    case OF_LOG2:
    case OF_LOG10:
        least = 0;
        break;
    case OF_LOG1P:
        least = -1;
        break;
    case OF_ACOSH:
        least = 1;
        break;
    case OF_ASIN:
    case OF_ACOS:
    case OF_ATANH:
        least = -1;
        most = 1;
        break;
    }
    if (is_square || operation == OF_COSH || operation == OF_HYPOT)
        return bounds_abs(a);
    a.low = fmin(fmax(a.low, least), most);
    a.high = fmin(fmax(a.high, least), most);
    return a;
}

// The larger of two, whose derivative jumps where either overtakes the other.
bounds bounds_larger(bounds a, bounds b, realv *share) {
    bounds apart = bounds_of(a.low - b.high, a.high - b.low);
    apart.middle = a.middle - b.middle;
    apart.order = fmax(a.order, b.order);
    apart.share = fmax(a.share, b.share);
    *share = fmax(*share, apart.low < 0 && apart.high > 0 ? share_hidden(apart) : (realv)0);
    return bounds_of(fmax(a.low, b.low), fmax(a.high, b.high));
}

// A function that varies by more over its operand than nodes are sure to show, as a wave or the edge of a peak.
#define VARIES REAL(2.0) // so much of the operand of an exponential or a wave
#define TIMES 4          // so often the least value of a divisor

// Whether 0 lies between the bounds, 1 or 0.
realv crosses(bounds a) { return a.low < 0 && a.high > 0 ? (realv)1 : (realv)0; }

// Whether a function or a step may vary quickly in the box, 1 or 0, however steadily its operands do.
realv varies_quickly(uint operation, bounds a, bounds b, bounds made) {
    const bounds size = bounds_abs(b);
    switch (operation) {
    case OF_ATAN2:
        return crosses(a) * crosses(b);
    case OF_HYPOT:
        return made.high > TIMES * made.low ? (realv)1 : (realv)0;
    case OF_CHOOSE:
    case OF_AS_NUMBER:
        return a.low < a.high ? (realv)1 : (realv)0;
    case OF_SIGN:
    case OF_FLOOR:
    case OF_CEIL:
    case OF_ROUND:
    case OF_TRUNC:
    case OF_MOD:
    case OF_COPYSIGN:
        return made.low < made.high ? (realv)1 : (realv)0;
    case OF_EXP:
    case OF_EXP2:
    case OF_EXPM1:
    case OF_SIN:
    case OF_COS:
    case OF_TAN:
    case OF_ATAN:
    case OF_SINH:
    case OF_COSH:
    case OF_TANH:
    case OF_ASINH:
    case OF_ERF:
    case OF_ERFC:
        return a.high - a.low > VARIES ? (realv)1 : (realv)0;
    case OF_DIVIDE:
        return size.high > TIMES * size.low ? (realv)1 : (realv)0;
    case OF_POW:
        return a.low < 0 || (size.high > TIMES && made.high > TIMES * made.low) ? (realv)1 : (realv)0;
    }
    return 0;
}

// jumps: 1 where an operand does in the box.
bounds apply_bounds(uint operation, bounds a, bounds b, bounds c, bool is_square, realv jumps, realv *share) {
    const bounds zero = bounds_of(0, 0), one = bounds_of(1, 1);
    bounds ends;
    a = bounds_within(operation, a, is_square);
    switch (operation) {
    case OF_SQRT:
    case OF_CBRT:
    case OF_EXP:
    case OF_EXP2:
    case OF_EXPM1:
    case OF_LOG:
    case OF_LOG2:
    case OF_LOG10:
    case OF_LOG1P:
    case OF_ASIN:
    case OF_ATAN:
    case OF_SINH:
    case OF_COSH:
    case OF_TANH:
    case OF_ASINH:
    case OF_ACOSH:
    case OF_ATANH:
    case OF_ERF:
        return bounds_of(function(operation, a.low), function(operation, a.high));
    case OF_ACOS:
    case OF_ERFC:
        return bounds_of(function(operation, a.high), function(operation, a.low));
    case OF_SIN:
        return bounds_wave(operation, a, PI / 2);
    case OF_COS:
        return bounds_wave(operation, a, 0);
    case OF_TAN:
        return bounds_tan(a);
    case OF_ATAN2:
        return bounds_atan2(a, b);
    case OF_HYPOT:
        b = bounds_abs(b);
        call(operation, &a.low, &b.low, &b.low, &ends.low);
        call(operation, &a.high, &b.high, &b.high, &ends.high);
        return ends;
    case OF_POW:
        return bounds_pow(a, b);
    case OF_ABS:
        return bounds_abs(a);
    case OF_MIN:
        return bounds_negate(bounds_larger(bounds_negate(a), bounds_negate(b), share));
    case OF_MAX:
        return bounds_larger(a, b, share);
    case OF_NEGATE:
        return bounds_negate(a);
    case OF_ADD:
        return bounds_of(a.low + b.low, a.high + b.high);
    case OF_SUBTRACT:
        return bounds_of(a.low - b.high, a.high - b.low);
    case OF_MULTIPLY:
        return is_square ? bounds_of(a.low * a.low, a.high * a.high) : bounds_multiply(a, b);
    case OF_DIVIDE:
        return bounds_divide(a, b);
    case OF_CHOOSE:
        return bounds_of(a.low > 0    ? b.low
                         : a.high > 0 ? fmin(b.low, c.low)
                                      : c.low,
                         a.low > 0    ? b.high
                         : a.high > 0 ? fmax(b.high, c.high)
                                      : c.high);
    case OF_AS_NUMBER:
    case OF_NEXTAFTER:
        return a;
    case OF_LESS:
        return bounds_less(a, b, share);
    case OF_GREATER:
        return bounds_less(b, a, share);
    case OF_LESS_EQUAL:
        return bounds_not(bounds_less(b, a, share));
    case OF_GREATER_EQUAL:
        return bounds_not(bounds_less(a, b, share));
    case OF_EQUAL:
        return bounds_equal(a, b, jumps);
    case OF_NOT_EQUAL:
        return bounds_not(bounds_equal(a, b, jumps));
    case OF_AS_CONDITION:
        return bounds_not(bounds_equal(a, zero, jumps));
    case OF_NOT:
        return bounds_not(a);
    case OF_AND:
        return bounds_and(a, b, share);
    case OF_OR:
        return bounds_not(bounds_and(bounds_not(a), bounds_not(b), share));
    case OF_SIGN:
        return bounds_copysign(one, a, share);
    case OF_FLOOR:
        return bounds_floor(a, share);
    case OF_CEIL:
        return bounds_negate(bounds_floor(bounds_negate(a), share));
    case OF_ROUND:
        return bounds_floor(bounds_add(a, REAL(0.5)), share);
    case OF_TRUNC:
        return bounds_copysign(bounds_floor(bounds_abs(a), share), a, share);
    case OF_MOD:
        return bounds_mod(a, b, share);
    case OF_COPYSIGN:
        return bounds_copysign(a, b, share);
    }
    return bounds_of((realv)NAN, (realv)NAN);
}
