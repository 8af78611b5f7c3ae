// A map by byte code (src/expr/code.h), whose operations are all of one type: `number`, WIDTH of them in `numbers`. A
// work-item takes `share` elements, a block of BLOCK after the other: it loads the arrays into the first slots, applies
// the instructions to the slots, each a block, and stores the last one's. So what an instruction costs beside its
// operation is shared by a block.
#define CODE_HEAD 4
#define CODE_INSTRUCTION 5
#define BLOCK (VECTORS * WIDTH)

// What is loaded and stored; the numbers are those of mst_type.
#define LOAD(type, element)                                                                                            \
    case type:                                                                                                         \
        _Pragma("unroll 1") for (uint i = 0; i < n; i++) to[i] =                                                       \
            (number)((__global const element *)from)[at + (long)i * step];                                             \
        break;
#define LOAD_FLOAT(type, element)                                                                                      \
    case type:                                                                                                         \
        _Pragma("unroll 1") for (uint i = 0; i < n; i++) to[i] =                                                       \
            OF_FLOAT(((__global const element *)from)[at + (long)i * step]);                                           \
        break;
#define STORE(type, element)                                                                                           \
    case type:                                                                                                         \
        _Pragma("unroll 1") for (uint i = 0; i < n; i++)((__global element *)to)[at + (long)i * step] =                \
            (element)from[i];                                                                                          \
        break;

// n elements, `step` apart, of which the first is number `at`.
INLINE void load(number *to, __global const uchar *from, int type, long at, long step, uint n) {
    switch (type) {
        LOAD(BOOL, uchar)
        LOAD(INT8, char)
        LOAD(INT16, short)
        LOAD(INT32, int)
        LOAD(INT64, long)
        LOAD(UINT8, uchar)
        LOAD(UINT16, ushort)
        LOAD(UINT32, uint)
        LOAD(UINT64, ulong)
        LOAD_FLOAT(FLOAT32, float)
#if PRECISION == 64
        LOAD_FLOAT(FLOAT64, double)
#endif
    case FLOAT16:
        for (uint i = 0; i < n; i++)
            to[i] = OF_FLOAT(vload_half((size_t)(at + (long)i * step), (__global const half *)from));
    }
}

// Where n elements from number `element` on stand along an axis.
INLINE void load_index(number *to, const ulong *shape, int axis, ulong element, uint n) {
    ulong stride = 1;
    for (int k = 7; k > axis; k--)
        stride *= shape[k];
    ulong index = element / stride % shape[axis], rest = element % stride;
    for (uint i = 0; i < n; i++) {
        to[i] = (number)(long)index;
        if (++rest == stride) {
            rest = 0;
            index = index + 1 == shape[axis] ? 0 : index + 1;
        }
    }
}

INLINE void store(__global uchar *to, const number *from, int type, long at, long step, uint n) {
    switch (type) {
        STORE(BOOL, uchar)
#if !NUMBER_IS_FLOAT
        STORE(NUMBER_TYPE, number)
#else
        STORE(FLOAT32, float)
#if PRECISION == 64
        STORE(FLOAT64, double)
#endif
    case FLOAT16:
        for (uint i = 0; i < n; i++)
            vstore_half((float)from[i], (size_t)(at + (long)i * step), (__global half *)to);
#endif
    }
}

// Constants lie behind the instructions.
#if NUMBER_WORDS == 2
#define CONSTANT(bits, k) AS_NUMBER((int2)((bits)[2 * (k)], (bits)[2 * (k) + 1]))
#else
#define CONSTANT(bits, k) AS_NUMBER((bits)[k])
#endif

void load_constants(numbers *slots, __global const int *code) {
    __global const int *bits = code + CODE_HEAD + CODE_INSTRUCTION * code[2];
    for (int k = 0; k < code[1]; k++)
        for (uint v = 0; v < VECTORS; v++)
            slots[(uint)(code[0] + k) * VECTORS + v] = (numbers)(CONSTANT(bits, k));
}

// Where n elements from number `element` of an array on lie, up to the end of their row.
typedef struct run {
    long at, step;
    uint n;
} run;

run run_of(long base, ulong element, bool has_gaps, __constant const long *lines, ulong length, uint n) {
    run r = {base + (long)element, 1, n};
    if (has_gaps) {
        const ulong column = element % length;
        r.step = axis_stride(lines);
        r.at = base + line_offset(lines, element / length) + (long)column * r.step;
        r.n = (uint)min((ulong)n, length - column);
    }
    return r;
}

// `words`: where the code begins, the number of loads, the output's type, its parts and their slots; from word 8 on for
// each load the input, its type, and of a complex one which part (of 1 or 2); or 8 and an axis, whose index is the
// value. Array k begins at element bases.sk of its buffer, and the block is from firsts.sk on, in C order, which is
// number `element` of the shape, whose last axis is number 7; those with a bit in `gaps` have tables of lines. The
// output is number 7.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
byte_code(__global const uchar *in_0, __global const uchar *in_1, __global const uchar *in_2,
          __global const uchar *in_3, __global const uchar *in_4, __global const uchar *in_5,
          __global const uchar *in_6, __global uchar *out, __constant const long *lines_0,
          __constant const long *lines_1, __constant const long *lines_2, __constant const long *lines_3,
          __constant const long *lines_4, __constant const long *lines_5, __constant const long *lines_6,
          __constant const long *lines_7, long8 bases, long8 firsts, uint gaps, ulong8 shape, ulong element,
          __global const int *words, ulong share, ulong n) {
    __global const uchar *in[7] = {in_0, in_1, in_2, in_3, in_4, in_5, in_6};
    __constant const long *lines[8] = {lines_0, lines_1, lines_2, lines_3, lines_4, lines_5, lines_6, lines_7};
    __global const int *code = words + words[0];
    const ulong begin = get_global_id(0) * share, end = min(begin + share, n);
    long base[8], first[8];
    ulong lengths[8];
    numbers slots[SLOTS * VECTORS];
    vstore8(bases, 0, base);
    vstore8(firsts, 0, first);
    vstore8(shape, 0, lengths);
    load_constants(slots, code);
    for (ulong e = begin; e < end; e += BLOCK) {
        const uint count = (uint)min((ulong)BLOCK, end - e);
        for (int l = 0; l < words[1]; l++) {
            const int4 what = vload4((size_t)l, words + 8);
            const int k = what.x;
            number *to = (number *)(slots + (uint)l * VECTORS);
            if (k >= 8)
                load_index(to, lengths, k - 8, element + e, count);
            for (uint done = k >= 8 ? count : 0; done < count;) {
                const run r =
                    run_of(base[k], (ulong)first[k] + e + done, gaps >> k & 1, lines[k], shape.s7, count - done);
                load(to + done, in[k], what.y, what.w * r.at + what.z, what.w * r.step, r.n);
                done += r.n;
            }
            for (uint i = count; i < BLOCK; i++) // which is computed, too
                to[i] = 0;
        }
        __global const int *at = code + CODE_HEAD;
        for (int i = 0; i < code[2]; i++, at += CODE_INSTRUCTION)
            apply((uint)at[0], slots + at[2] * VECTORS, slots + at[3] * VECTORS, slots + at[4] * VECTORS,
                  slots + at[1] * VECTORS);
        for (int part = 0; part < words[3]; part++) {
            const number *value = (const number *)(slots + words[4 + part] * VECTORS);
            for (uint done = 0; done < count;) {
                const run r =
                    run_of(base[7], (ulong)first[7] + e + done, gaps >> 7 & 1, lines[7], shape.s7, count - done);
                store(out, value + done, words[2], words[3] * r.at + part, words[3] * r.step, r.n);
                done += r.n;
            }
        }
    }
}
