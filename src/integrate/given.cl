// What an integrand reads beside t: the row of its integral and, where byte code computes it (there is no N_ROW), that.
// integrand() gives the first of its COMPONENTS; further(in, c), c > 0, then gives another one.
#ifdef N_ROW
#define ROW_LENGTH(code) N_ROW
typedef struct given {
    realv row[N_ROW + 1];
    realv further[COMPONENTS];
} given;

realv further(const given *in, uint c) { return in->further[c - 1]; }

void take_code(given *in, __global const int *code) {}
#else
#define ROW_LENGTH(code) (N_INPUTS(code) - DIM - 2)
typedef struct given {
    realv
        row[SLOTS]; // and behind the row the other inputs: t and its distances from the ends, and what interpret takes
    __global const int *code;
} given;

void take_code(given *in, __global const int *code) {
    in->code = code;
    load_constants(in->row, code);
}

realv integrand(const realv *t, given *in) {
    const uint first = ROW_LENGTH(in->code);
    for (uint k = 0; k < DIM; k++)
        in->row[first + k] = t[k];
    interpret(in->row, in->code);
    return in->row[VALUE_SLOTS(in->code)[0]];
}

realv further(const given *in, uint c) { return in->row[VALUE_SLOTS(in->code)[c]]; }

realv integrand_at(const realv *t, realv left, realv right, given *in) {
    const uint first = ROW_LENGTH(in->code) + DIM;
    in->row[first] = left;
    in->row[first + 1] = right;
    return integrand(t, in);
}
#endif

// One row of numbers for all lanes.
void broadcast_row(__global const real *rows, ulong row, __global const int *code, given *in) {
    const uint n = ROW_LENGTH(code);
    take_code(in, code);
    for (uint k = 0; k < n; k++)
        in->row[k] = (realv)rows[row * n + k];
}
