// The 10-point Gauss and 21-point Kronrod rules, with QUADPACK's estimate of the error (Piessens et al. 1983). The integrand
// stands in one place, in a loop that is not unrolled: compilers take long to compile it 21 times.
estimate evaluate_box(const box *b, const realv *p) {
    realv f[21], kronrod = 0, gauss = 0, magnitude = 0, scatter = 0;
    const realv h = b->half_width[0];
#pragma unroll 1
    for (uint k = 0; k < 21; k++) {
        const realv x = b->center[0] + NODES[k] * h;
        f[k] = integrand(&x, p);
        kronrod += KRONROD[k] * f[k];
        gauss += GAUSS[k] * f[k];
        magnitude += KRONROD[k] * fabs(f[k]);
    }
    const realv mean = kronrod / 2;
    for (uint k = 0; k < 21; k++)
        scatter += KRONROD[k] * fabs(f[k] - mean);
    scatter *= fabs(h);
    const realv difference = fabs((kronrod - gauss) * h), ratio = 200 * difference / scatter;
    const realv calm = scatter * fmin((realv)1, ratio * sqrt(ratio));
    const estimate e = {kronrod * h, scatter > 0 ? calm : difference, magnitude * fabs(h), 0};
    return e;
}
