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
