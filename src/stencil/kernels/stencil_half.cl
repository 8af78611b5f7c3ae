// Arrays of float16 in memory, whose values are float32 here: as stencil.cl does it for arrays of `real`.
#define LOAD_GLOBAL_HALF(p) JOIN(vload_half, WIDTH)(0, p)
#define STORE_GLOBAL_HALF(v, p) JOIN(vstore_half, JOIN(WIDTH, _rte))(v, 0, p)
// From and to elements of which the number is a multiple of WIDTH.
#define LOAD_VECTOR_HALF(p) JOIN(vloada_half, WIDTH)(0, p)
#define STORE_VECTOR_HALF(v, p) JOIN(vstorea_half, JOIN(WIDTH, _rte))(v, 0, p)

// A value as it is once it has been in memory: rounded to nearest even. Compilers make two conversions in registers of
// it.
real round_to_half(real value) {
    ushort bits;
    vstore_half_rte(value, 0, (half *)&bits);
    return vload_half(0, (const half *)&bits);
}
real round_if_half(real value, int is_half) { return is_half ? round_to_half(value) : value; }
vreal vround_to_half(vreal value) {
    JOIN(ushort, WIDTH) bits;
    STORE_VECTOR_HALF(value, (half *)&bits);
    return LOAD_VECTOR_HALF((const half *)&bits);
}
