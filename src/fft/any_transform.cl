// A transform of a tile by its steps, and back but for a factor n.
typedef struct any_tables {
    __global const real *steps, *odd;
    __global const uint *places; // where the steps leave results
} any_tables;

void forward(vreal *v, __global const any_steps *s, const any_tables *with) {
    const uint n = (uint)s->n, end = (uint)s->n_steps;
    uint block = n, first = 0;
    __global const real *table = with->steps;
    for (; block > NEAR_NUMBERS && first < end; first++) {
        const uint radix = (uint)s->radices[first];
        block /= radix;
        take_step(v, n, radix, block, 1, table, with->odd + s->odd[first]);
        table += 2 * block * (radix - 1);
    }
    for (uint at = 0, part = PART_OF(block); at < n && first < end; at += part) {
        __global const real *own = table;
        for (uint k = first, apart = block; k < end; k++) {
            const uint radix = (uint)s->radices[k];
            apart /= radix;
            take_step(v + 2 * (size_t)at, min(part, n - at), radix, apart, 1, own, with->odd + s->odd[k]);
            own += 2 * apart * (radix - 1);
        }
    }
}

void backward(vreal *v, __global const any_steps *s, const any_tables *with) {
    const uint n = (uint)s->n;
    uint block = 1, far = (uint)s->n_steps; // steps before the near ones
    while (far > 0 && block * (uint)s->radices[far - 1] <= NEAR_NUMBERS)
        block *= (uint)s->radices[--far];
    uint apart = 1;
    __global const real *table = with->steps + 2 * s->n_twiddles;
    for (uint at = 0, part = PART_OF(block); at < n && far < (uint)s->n_steps; at += part) {
        apart = 1, table = with->steps + 2 * s->n_twiddles;
        for (uint k = (uint)s->n_steps; k-- > far; apart *= (uint)s->radices[k]) {
            const uint radix = (uint)s->radices[k];
            table -= apart > 1 ? 2 * apart * (radix - 1) : 0;
            take_step_back(v + 2 * (size_t)at, min(part, n - at), radix, apart, table, with->odd + s->odd[k]);
        }
    }
    for (uint k = far; k-- > 0; apart *= (uint)s->radices[k]) {
        const uint radix = (uint)s->radices[k];
        table -= apart > 1 ? 2 * apart * (radix - 1) : 0;
        take_step_back(v, n, radix, apart, table, with->odd + s->odd[k]);
    }
}
