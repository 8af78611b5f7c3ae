// Arrays of float16 in memory, whose values are float32 here: as stencil.cl does it for arrays of `real`.
#if WIDTH == 8 // of CPUs
// PoCL takes a vload_half8 for a load from a multiple of 16 bytes, which crashes where values are compared.
typedef struct __attribute__((packed, aligned(2))) {
    ushort8 bits;
} unaligned_half;
float8 load_half8(__global const half *p) {
    const ushort8 bits = ((__global const unaligned_half *)p)->bits;
    return vloada_half8(0, (const half *)&bits);
}
void store_half8(float8 value, __global half *p) {
    ushort8 bits;
    vstorea_half8_rte(value, 0, (half *)&bits);
    ((__global unaligned_half *)p)->bits = bits;
}
#define LOAD_GLOBAL_HALF(p) load_half8(p)
#define STORE_GLOBAL_HALF(v, p) store_half8(v, p)
#else
#define LOAD_GLOBAL_HALF(p) JOIN(vload_half, WIDTH)(0, p)
#define STORE_GLOBAL_HALF(v, p) JOIN(vstore_half, JOIN(WIDTH, _rte))(v, 0, p)
#endif
// From and to elements of which the number is a multiple of WIDTH. NVIDIA's compiler makes a load of every element of a
// vloada_half, and a store of every one of a vstorea_half; of an integer it makes one.
#define LOAD_OWN_HALF(p) JOIN(vloada_half, WIDTH)(0, p)
#define STORE_OWN_HALF(v, p) JOIN(vstorea_half, JOIN(WIDTH, _rte))(v, 0, p)
#if defined(__ENDIAN_LITTLE__) && WIDTH < 8
#define PACKED JOIN(packed, WIDTH)
typedef uint packed2;
typedef ulong packed4;
real unpack_half(ushort bits) { return vload_half(0, (const half *)&bits); }
PACKED pack_half(real value) {
    ushort bits;
    vstore_half_rte(value, 0, (half *)&bits);
    return bits;
}
vreal load_vector_half(__global const half *p) {
    const PACKED bits = *(__global const PACKED *)p;
#if WIDTH == 2
    return (vreal)(unpack_half(bits), unpack_half(bits >> 16));
#else
    return (vreal)(unpack_half(bits), unpack_half(bits >> 16), unpack_half(bits >> 32), unpack_half(bits >> 48));
#endif
}
void store_vector_half(vreal v, __global half *p) {
    PACKED bits = pack_half(v.s0) | pack_half(v.s1) << 16;
#if WIDTH == 4
    bits |= pack_half(v.s2) << 32 | pack_half(v.s3) << 48;
#endif
    *(__global PACKED *)p = bits;
}
#define LOAD_VECTOR_HALF(p) load_vector_half(p)
#define STORE_VECTOR_HALF(v, p) store_vector_half(v, p)
#else
#define LOAD_VECTOR_HALF(p) LOAD_OWN_HALF(p)
#define STORE_VECTOR_HALF(v, p) STORE_OWN_HALF(v, p)
#endif

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
    STORE_OWN_HALF(value, (half *)&bits);
    return LOAD_OWN_HALF((const half *)&bits);
}
