// A transform of a tile by its steps, and back but for a factor n.
typedef struct any_tables {
    __global const real *steps, *odd;
    __global const uint *places; // where the steps leave results
} any_tables;

void forward(vreal *v, __global const any_steps *s, const any_tables *with) {
    uint apart = (uint)s->n;
    __global const real *table = with->steps;
    for (uint k = 0; k < (uint)s->n_steps; k++) {
        const uint radix = (uint)s->radices[k];
        apart /= radix;
        take_step(v, (uint)s->n, radix, apart, 1, table, with->odd + s->odd[k]);
        table += 2 * apart * (radix - 1);
    }
}

void backward(vreal *v, __global const any_steps *s, const any_tables *with) {
    uint apart = 1;
    __global const real *table = with->steps + 2 * s->n_twiddles;
    for (int k = (int)s->n_steps - 1; k >= 0; k--) {
        const uint radix = (uint)s->radices[k];
        table -= apart > 1 ? 2 * apart * (radix - 1) : 0;
        take_step_back(v, (uint)s->n, radix, apart, table, with->odd + s->odd[k]);
        apart *= radix;
    }
}
