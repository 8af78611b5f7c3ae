// Stands before every kernel file. PRECISION is 32 or 64.
#if PRECISION == 64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
typedef double2 real2;
#define REAL(x) x
#else
typedef float real;
typedef float2 real2;
#define REAL(x) x##f
#endif

// Stands before functions that go through private memory. A compiler that calls them, as those for CPUs do with large
// ones, does not know that this memory is not what global pointers point to, and leaves their loops as they are:
// filters were 1.1 times as slow on PoCL.
#define INLINE __attribute__((always_inline))

real2 complex_multiply(real2 a, real2 b) { return (real2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

// Where line `line` starts, in elements; the table is made by mst_lines_create.
#define MAX_RANK 8
long line_offset(__constant const long *lines, ulong line) {
    long offset = 0;
    int k = (int)lines[1] - 1;
    for (; k > 0; k--) {
        ulong count = (ulong)lines[2 + k];
        offset += (long)(line % count) * lines[2 + MAX_RANK + k];
        line /= count;
    }
    return k == 0 ? offset + (long)line * lines[2 + MAX_RANK] : offset;
}

long axis_stride(__constant const long *lines) { return lines[0]; }
