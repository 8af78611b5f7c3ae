// The sequential algorithm in one precision: included by reference.c with REAL and NAME(x) defined.
// Radix-2 on vectors of n = 2^log_n complex numbers, interleaved; w[u] = exp(-2 pi i u / n), u = 0..n.

static void NAME(transform)(const REAL *from, REAL *to, const REAL *w, unsigned log_n, int inverse) {
    size_t n = (size_t)1 << log_n;
    for (size_t i = 0, r = 0; i < n; i++) {
        to[2 * r] = from[2 * i];
        to[2 * r + 1] = from[2 * i + 1];
        size_t bit = n >> 1; // r counts in bit-reversed order
        for (; bit > 0 && r & bit; bit >>= 1)
            r ^= bit;
        r |= bit;
    }
    for (size_t half = 1, step = n >> 1; half < n; half <<= 1, step >>= 1)
        for (size_t first = 0; first < n; first += 2 * half)
            for (size_t k = 0; k < half; k++) {
                size_t u = inverse ? n - k * step : k * step;
                REAL *a = to + 2 * (first + k), *b = a + 2 * half, wr = w[2 * u], wi = w[2 * u + 1];
                REAL re = b[0] * wr - b[1] * wi, im = b[0] * wi + b[1] * wr;
                b[0] = a[0] - re;
                b[1] = a[1] - im;
                a[0] += re;
                a[1] += im;
            }
    if (inverse)
        for (size_t i = 0; i < 2 * n; i++)
            to[i] *= (REAL)1 / (REAL)n;
}

// x and y are overwritten; the result is left in y.
static void NAME(convolve)(REAL *x, REAL *y, REAL *scratch, const REAL *w, unsigned log_n) {
    size_t n = (size_t)1 << log_n;
    NAME(transform)(x, scratch, w, log_n, 0);
    NAME(transform)(y, x, w, log_n, 0);
    for (size_t i = 0; i < n; i++) {
        REAL re = scratch[2 * i] * x[2 * i] - scratch[2 * i + 1] * x[2 * i + 1];
        x[2 * i + 1] = scratch[2 * i] * x[2 * i + 1] + scratch[2 * i + 1] * x[2 * i];
        x[2 * i] = re;
    }
    NAME(transform)(x, y, w, log_n, 1);
}

static void NAME(fill_table)(REAL *w, size_t n) {
    for (size_t u = 0; u <= n; u++) {
        mst_root root = mst_twiddle(u % n, n);
        w[2 * u] = (REAL)root.re;
        w[2 * u + 1] = (REAL)root.im;
    }
}

// One vector of any type to padded complex, as load_operand in operand.cl.
static void NAME(load)(const void *line, mst_type type, size_t length, int reversal, REAL *vector, size_t n) {
    memset(vector, 0, 2 * n * sizeof *vector);
    for (size_t i = 0; i < length; i++) {
        size_t k = reversal == 1 ? length - 1 - i : reversal == 2 && i > 0 ? length - i : i;
        REAL *to = vector + 2 * i;
        switch (type) {
        case MST_FLOAT32:
            to[0] = (REAL)((const float *)line)[k];
            break;
        case MST_FLOAT64:
            to[0] = (REAL)((const double *)line)[k];
            break;
        case MST_COMPLEX64:
            to[0] = (REAL)((const float *)line)[2 * k];
            to[1] = (REAL)((const float *)line)[2 * k + 1];
            break;
        case MST_COMPLEX128:
            to[0] = (REAL)((const double *)line)[2 * k];
            to[1] = (REAL)((const double *)line)[2 * k + 1];
            break;
        case MST_INT8:
            to[0] = (REAL)((const int8_t *)line)[k];
            break;
        case MST_UINT8:
        case MST_BOOL:
            to[0] = (REAL)((const uint8_t *)line)[k];
            break;
        case MST_INT16:
            to[0] = (REAL)((const int16_t *)line)[k];
            break;
        case MST_UINT16:
            to[0] = (REAL)((const uint16_t *)line)[k];
            break;
        case MST_INT32:
            to[0] = (REAL)((const int32_t *)line)[k];
            break;
        case MST_UINT32:
            to[0] = (REAL)((const uint32_t *)line)[k];
            break;
        case MST_INT64:
            to[0] = (REAL)((const int64_t *)line)[k];
            break;
        case MST_UINT64:
            to[0] = (REAL)((const uint64_t *)line)[k];
            break;
        case MST_FLOAT16: // refused
            break;
        }
        if (reversal)
            to[1] = -to[1];
    }
}

// What is kept of a result, as store_result in operand.cl.
static void NAME(store)(const mst_convolution *plan, const REAL *vector, REAL *line) {
    bool complex_result = mst_type_is_complex(plan->desc.z.type);
    for (size_t i = 0; i < plan->lengths[Z]; i++) {
        const REAL *v = vector + 2 * (plan->start + i);
        REAL re = v[0], im = v[1];
        if (plan->period > 0 && i + plan->period <= plan->last) {
            re += v[2 * plan->period];
            im += v[2 * plan->period + 1];
        }
        if (complex_result) {
            line[2 * i] = re;
            line[2 * i + 1] = im;
        } else {
            line[i] = re;
        }
    }
}
