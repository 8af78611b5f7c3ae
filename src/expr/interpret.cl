// Runs byte code (src/expr/code.h) on vectors of WIDTH numbers, an instruction after the other. `slots` holds SLOTS
// vectors: the inputs, which the caller puts there, the constants, and values on the way.
#define CODE_HEAD 4
#define CODE_INSTRUCTION 5
#define N_INPUTS(code) ((uint)(code)[0])
#define VALUE_SLOTS(code) ((code) + CODE_HEAD + CODE_INSTRUCTION * (code)[2] + PRECISION / 32 * (code)[1])

void load_constants(realv *slots, __global const int *code) {
    const uint first = N_INPUTS(code), n = (uint)code[1];
    __global const int *bits = code + CODE_HEAD + CODE_INSTRUCTION * code[2];
    for (uint k = 0; k < n; k++)
#if PRECISION == 64
        slots[first + k] = as_double((int2)(bits[2 * k], bits[2 * k + 1]));
#else
        slots[first + k] = as_float(bits[k]);
#endif
}

// Not inlined, so that there is one of it in a kernel, however often that calls it.
__attribute__((noinline)) void interpret(realv *slots, __global const int *code) {
    const uint n = (uint)code[2];
    __global const int *at = code + CODE_HEAD;
    for (uint i = 0; i < n; i++, at += CODE_INSTRUCTION)
        slots[at[1]] = apply((uint)at[0], slots[at[2]], slots[at[3]], slots[at[4]]);
}
