// Point spread functions by formula.
#include "runtime/description.h"

#include <mastaba/deconvolution.h>

#include <math.h>
#include <stdlib.h>

// Nodes of Simpson's rule, a turn of the integrand's phase; and the fewest.
#define NODES_A_TURN 40
#define LEAST_NODES 64

static mst_status check_shape(int n_axes, const size_t *shape, size_t *count, mst_error *error) {
    mst_status status = MST_OK;
    *count = 1;
    for (int a = 0; a < n_axes; a++)
        MST_REQUIRE(shape[a] >= 1 && mst_multiply(*count, shape[a], count), MST_ERROR_ARGUMENT, "shape[%d] is %zu", a, shape[a]);
fail:
    return status;
}

static mst_status check_positive(double value, const char *name, mst_error *error) {
    if (isfinite(value) && value > 0)
        return MST_OK;
    return mst_fail(error, MST_ERROR_ARGUMENT, "%s is %g; it is above 0", name, value);
}

static void divide_by_sum(double *psf, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += psf[i];
    for (size_t i = 0; i < count; i++)
        psf[i] /= sum;
}

mst_status mst_psf_gaussian(int n_axes, const double *sigma, const size_t *shape, double *psf, mst_error *error) {
    mst_status status = MST_OK;
    size_t count;
    MST_REQUIRE(sigma && shape && psf && n_axes >= 1 && n_axes <= MST_MAX_AXES, MST_ERROR_ARGUMENT,
                "sigma, shape and psf must not be NULL, and n_axes is 1 to %d, not %d", MST_MAX_AXES, n_axes);
    MST_TRY(check_shape(n_axes, shape, &count, error));
    for (int a = 0; a < n_axes; a++)
        MST_TRY(check_positive(sigma[a], "sigma", error));
    for (size_t i = 0; i < count; i++) {
        double exponent = 0;
        size_t rest = i;
        for (int a = n_axes - 1; a >= 0; a--) {
            double x = ((double)(rest % shape[a]) - (double)(shape[a] / 2)) / sigma[a];
            exponent += x * x / 2;
            rest /= shape[a];
        }
        psf[i] = exp(-exponent);
    }
    divide_by_sum(psf, count);
fail:
    return status;
}

// |integral over 0 .. 1 of J0(v t) exp(-i u t^2 / 2) t dt|^2 by Simpson's rule.
static double born_wolf(double v, double u) {
    const double pi = acos(-1);
    size_t n = (size_t)(NODES_A_TURN * (v + u / 2) / (2 * pi)) / 2 * 2 + LEAST_NODES;
    double re = 0, im = 0;
    for (size_t k = 0; k <= n; k++) {
        double t = (double)k / (double)n, weight = k == 0 || k == n ? 1 : k % 2 ? 4 : 2, value = weight * j0(v * t) * t;
        re += value * cos(u * t * t / 2);
        im += value * sin(u * t * t / 2);
    }
    return (re * re + im * im) / (9 * (double)n * (double)n);
}

// A plane, which is as its mirror images along both axes and both diagonals are: one octant is computed.
static void fill_plane(const mst_born_wolf *o, double z, const size_t shape[2], double *plane) {
    const double k = 2 * acos(-1) / o->wavelength, u = k * z * o->aperture * o->aperture / o->index;
    const size_t centre[2] = {shape[0] / 2, shape[1] / 2}, largest = centre[0] > centre[1] ? centre[0] : centre[1];
    for (size_t a = 0; a <= largest; a++)
        for (size_t b = 0; b <= a; b++) {
            const double value = born_wolf(k * o->aperture * o->pixel * hypot((double)a, (double)b), u);
            for (int m = 0; m < 8; m++) {
                const size_t dy = m & 4 ? a : b, dx = m & 4 ? b : a;
                const size_t y = m & 1 ? centre[0] - dy : centre[0] + dy, x = m & 2 ? centre[1] - dx : centre[1] + dx;
                if (y < shape[0] && x < shape[1]) // those below 0 are large
                    plane[y * shape[1] + x] = value;
            }
        }
}

static mst_status check_optics(const mst_born_wolf *o, int n_axes, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(check_positive(o->aperture, "aperture", error));
    MST_TRY(check_positive(o->wavelength, "wavelength", error));
    MST_TRY(check_positive(o->index, "index", error));
    MST_TRY(check_positive(o->pixel, "pixel", error));
    if (n_axes == 3)
        MST_TRY(check_positive(o->step, "step", error));
    MST_REQUIRE(o->aperture < o->index, MST_ERROR_ARGUMENT, "the aperture is %g; it is below the index of refraction, %g",
                o->aperture, o->index);
fail:
    return status;
}

mst_status mst_psf_born_wolf(const mst_born_wolf *optics, int n_axes, const size_t *shape, double *psf, mst_error *error) {
    mst_status status = MST_OK;
    mst_born_wolf o;
    size_t count;
    MST_REQUIRE(optics && shape && psf && (n_axes == 2 || n_axes == 3), MST_ERROR_ARGUMENT,
                "optics, shape and psf must not be NULL, and n_axes is 2 or 3, not %d", n_axes);
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_born_wolf, MST_BORN_WOLF_INIT, step), optics, &o, error));
    MST_TRY(check_optics(&o, n_axes, error));
    MST_TRY(check_shape(n_axes, shape, &count, error));
    const size_t planes = n_axes == 3 ? shape[0] : 1, plane = count / planes;
    for (size_t p = 0; p < planes; p++) {
        const double z = n_axes == 3 ? fabs((double)p - (double)(planes / 2)) * o.step : 0;
        if (2 * (planes / 2) >= p && p > planes / 2) { // as far before the focus
            for (size_t i = 0; i < plane; i++)
                psf[p * plane + i] = psf[(2 * (planes / 2) - p) * plane + i];
            continue;
        }
        fill_plane(&o, z, shape + n_axes - 2, psf + p * plane);
    }
    divide_by_sum(psf, count);
fail:
    return status;
}
