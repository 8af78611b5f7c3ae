// Byte code run on boxes, with the bounds of every operation (bounds.cl).

// What byte code makes of boxes: of inputs, constants and values on the way their bounds, and what is in the middle
// with what is undecided taken the other way: all of it, and every second, as two changes may cancel that do not come
// at the same place.
#define WAYS 3
#define COMPARED 16 // so many of what compares are looked at beside limits
#define TURNING 32  // and so many of what may change over, along lines

// Where an operation changes over: what changes its sign there.
typedef struct turn {
    realv level, middle; // of its operands' difference that they change over at, and how far above it is in the middle
    realv seen, dips;    // 1: lines through the box show another sign, a place between nodes that comes close to one
} turn;

typedef struct box_values {
    bounds of[SLOTS];
    realv other[WAYS][SLOTS];
    turn turns[TURNING];
    realv share; // of the box that may be hidden by any of what is undecided
    realv open;  // how much is
    realv asked; // 1 where something may be hidden, so that the ways count
#if LIMITS_VARY
    bounds apart[COMPARED]; // of the differences of what is compared, where they are constant along a limit
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

bool compares(uint operation) {
    return operation == OF_LESS || operation == OF_LESS_EQUAL || operation == OF_GREATER ||
           operation == OF_GREATER_EQUAL;
}

// What changes over where the difference of its operands comes to a level, or its operand does.
bool changes_over(uint operation) {
    return compares(operation) || operation == OF_MAX || operation == OF_MIN || operation == OF_ABS ||
           operation == OF_SIGN || operation == OF_FLOOR || operation == OF_CEIL || operation == OF_ROUND;
}

realv difference(uint operation, realv a, realv b) {
    return compares(operation) || operation == OF_MAX || operation == OF_MIN ? a - b : a;
}

// Between bounds of the operand.
realv level_of(uint operation, bounds a) {
    return operation == OF_FLOOR   ? floor(a.high)
           : operation == OF_CEIL  ? ceil(a.low)
           : operation == OF_ROUND ? floor(a.high + REAL(0.5)) - REAL(0.5)
                                   : (realv)0;
}

// Bounds tell what may be, and are wide where a variable stands in several places; nodes tell what is, but for what is
// thin. What changes over and seems to be far on one side at all nodes is there for certain only where it varies
// steadily. So it is looked at along lines through the middle, along axes and to corners: three points make a parabola.
#define LINES (DIM + (DIM > 1 ? 1 << (DIM - 1) : 0))
#define ALMOST REAL(0.999755859375) // of the way to the ends of a line, where an integrand may be singular
#define CLOSE REAL(0.5)             // of what varies along a line: a parabola that comes so close may be something thin

#define WITHIN (LIMITS_VARY ? ALMOST : REAL(1.1)) // so far from the middle
#define TOUCHES REAL(0.0009765625)

void judge_line(turn *t, realv before, realv after) {
    const realv side = t->middle < 0 ? (realv)-1 : (realv)1, m = side * t->middle, l = side * (before - t->level),
                r = side * (after - t->level);
    const realv bend = (l + r) / 2 - m, slope = (r - l) / 2, least = m - slope * slope / (4 * bend),
                varies = fmax(fabs(r - l), fmax(fabs(l - m), fabs(r - m)));
    t->seen = fmin(l, r) < 0 ? (realv)1 : t->seen;
    // What is 0 at an end of the line, as along limits that vary, comes there by some power.
    const realv power = fmin(l, r) < TOUCHES * varies && least < -4 * TOUCHES * varies ? (realv)1 : (realv)0;
    t->dips = bend > 0 && fabs(slope) < 2 * WITHIN * bend && least < CLOSE * varies && power == 0 ? (realv)1 : t->dips;
}

void look_at_line(box_values *v, uint line, __global const int *code) {
    const uint n_row = ROW_LENGTH(code), corner = line - DIM;
    __global const int *at = code + CODE_HEAD;
    uint n = 0;
    for (uint a = 0; a < DIM; a++) {
        const bounds t = v->of[n_row + a];
        const real side = line < DIM ? (a == line ? 1 : 0) : a == DIM - 1 || (corner >> a & 1) ? 1 : -1;
        v->other[0][n_row + a] = t.middle + side * ALMOST * (t.low - t.middle);
        v->other[1][n_row + a] = t.middle + side * ALMOST * (t.high - t.middle);
    }
    for (uint i = 0; i < (uint)code[2]; i++, at += CODE_INSTRUCTION) {
        const uint operation = (uint)at[0];
        realv ends[2];
        if (changes_over(operation) && n < TURNING) {
            for (uint p = 0; p < 2; p++)
                ends[p] = difference(operation, v->other[p][at[2]], v->other[p][at[3]]);
            judge_line(&v->turns[n++], ends[0], ends[1]);
        }
        for (uint p = 0; p < 2; p++)
            call(operation, &v->other[p][at[2]], &v->other[p][at[3]], &v->other[p][at[4]], &ends[p]);
        for (uint p = 0; p < 2; p++)
            v->other[p][at[1]] = ends[p];
    }
}

void look_at_lines(box_values *v, __global const int *code) {
    for (uint line = 0; line < LINES; line++)
        look_at_line(v, line, code);
    for (uint a = 0; a < DIM; a++)
        put_bounds(v, ROW_LENGTH(code) + a, v->of[ROW_LENGTH(code) + a]);
}
