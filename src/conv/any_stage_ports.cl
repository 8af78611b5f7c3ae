// Where the lines of a stage's tile lie in memory, and the caller's values there.

typedef struct tile {
    long at[LANES], begin[LANES], least,
        most; // element 0 of each lane; its position, and the least and greatest of all
    uint column, count;
} tile;

long row_of(long r, long length, long periodic, long reversal) {
    r = periodic ? (r + 1) % length : r;
    return reversal == 1 ? length - 1 - r : reversal == 2 && r > 0 ? length - r : r;
}

long outer_of(__global const stage_port *p, ulong vector) {
    long at = 0;
    for (int k = (int)p->n_dims - 1; k > 0; k--) {
        const ulong count = (ulong)p->counts[k], above = vector / count;
        at += (long)(vector - above * count) * p->outer[k];
        vector = above;
    }
    return p->n_dims > 0 ? at + (long)vector * p->outer[0] : 0;
}

long place_of(__global const stage *s, __global const stage_port *p, ulong vector, ulong l, ulong first) {
    const ulong all = l / (ulong)s->row_lines, plane = s->rows ? all / (ulong)s->rows : 0,
                row = s->rows ? all % (ulong)s->rows : all;
    vector /= (ulong)p->divide;
    vector = p->modulo ? vector % (ulong)p->modulo : vector;
    if (p->work)
        return (long)vector * s->points +
               (((long)plane + p->first_plane) * s->plane_rows + (long)row + p->first_row) * s->row_points +
               (long)(l / (ulong)s->inner % (ulong)s->before) * s->span + (long)(l % (ulong)s->inner);
    long at = outer_of(p, first + vector);
    if (p->row_stride)
        at += row_of((long)row, p->row_length, p->row_periodic, p->row_reversal) * p->row_stride;
    if (p->plane_stride)
        at += row_of((long)plane, p->plane_length, p->plane_periodic, p->plane_reversal) * p->plane_stride;
    return at;
}

__attribute__((noinline)) void find_tile(tile *t, __global const stage *s, __global const stage_port *p, long base,
                                         ulong first, ulong line, uint count) {
    const ulong lines = (ulong)s->lines, inner = (ulong)s->inner, every = (ulong)p->every;
    const ulong key = lines > 1 ? line : first + line; // lines go on as they began up to the next multiple of `every`
    uint run = every > 1 ? (uint)min(every - key % every, (ulong)LANES) : 1, left = 0;
    t->least = LONG_MAX, t->most = LONG_MIN;
    t->count = count;
    t->column = inner > 1 ? (uint)(line % inner / (ulong)s->column) : 0;
    for (uint l = 0; l < (inner > 1 ? 1 : LANES); l++) {
        if (l >= count || left > 0) {
            t->at[l] = t->at[l - 1] + (l < count ? p->next : 0);
            t->begin[l] = t->begin[l - 1];
            left -= l < count;
            continue;
        }
        const ulong k = line + l, vector = lines > 1 ? k / lines : k;
        t->at[l] = base + place_of(s, p, vector, k - vector * lines, first);
        t->begin[l] = t->column;
        if (p->blocks > 1)
            t->begin[l] += (long)(vector % (ulong)p->blocks) * p->block_step + p->block_offset;
        t->least = min(t->least, t->begin[l]);
        t->most = max(t->most, t->begin[l]);
        left = run - 1;
        run = (uint)min(every, (ulong)LANES);
    }
}

#if PRECISION == 64
#define EACH_TYPE(F)                                                                                                   \
    F(1, float)                                                                                                        \
    F(5, char) F(6, uchar) F(7, short) F(8, ushort) F(9, int) F(10, uint) F(11, long) F(12, ulong) F(13, uchar)
__attribute__((noinline)) vreal converted(__global const char *array, long at, int type) {
    switch (type) {
#define VECTOR_OF(number, name)                                                                                        \
    case number:                                                                                                       \
        return convert_double4(vload4(0, (__global const name *)array + at));
        EACH_TYPE(VECTOR_OF)
    }
    return vload4(0, (__global const double *)array + at);
}
__attribute__((noinline)) real number_at(__global const char *array, long at, int type) {
    switch (type) {
#define NUMBER_OF(number, name)                                                                                        \
    case number:                                                                                                       \
        return (double)((__global const name *)array)[at];
        EACH_TYPE(NUMBER_OF)
    }
    return ((__global const double *)array)[at];
}
INLINE vreal numbers_at(__global const char *array, long at, int type) {
    return type == 0 ? VLOAD(0, (__global const real *)array + at) : converted(array, at, type);
}
#else
real number_at(__global const char *array, long at, int type) { return ((__global const real *)array)[at]; }
vreal numbers_at(__global const char *array, long at, int type) { return VLOAD(0, (__global const real *)array + at); }
#endif

real2 fetch(__global const stage_port *p, __global const char *array, long at, long position) {
    const int type = (int)p->type;
    if (position < 0 || position >= p->extent)
        return (real2)(0, 0);
    const long length = p->length;
    long k = position;
    if (p->periodic)
        k = k + 1 < length ? k + 1 : k + 1 - length;
    if (p->reversal)
        k = p->reversal == 1 ? length - 1 - k : k > 0 ? length - k : 0;
    at += k * p->axis_stride;
    if (p->parts == 1)
        return (real2)(number_at(array, at, type), 0);
    const real y = number_at(array, 2 * at + 1, type);
    return (real2)(number_at(array, 2 * at, type), p->reversal ? -y : y);
}

// Stores what is at position p of a block as element k of the result, if it is kept.
void put(__global const stage_port *p, __global real *array, long at, long begin, long position, real re, real im) {
    const long k = begin + position - p->start;
    if (position < p->start || k >= p->kept)
        return;
    at += k * p->axis_stride;
    if (p->parts == 1) {
        array[at] = re;
    } else {
        array[2 * at] = re;
        array[2 * at + 1] = im;
    }
}

INLINE void multiply_by(vreal *re, vreal *im, vreal wr, vreal wi) {
    const vreal before = *re;
    *re = before * wr - *im * wi;
    *im = *im * wr + before * wi;
}

INLINE void multiply_by_conjugate(vreal *re, vreal *im, vreal wr, vreal wi) {
    const vreal before = *re;
    *re = before * wr + *im * wi;
    *im = *im * wr - before * wi;
}
