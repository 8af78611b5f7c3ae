// Point spread functions: by formula, from a .npy file or from an image.
#include "deconvolve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SIDE 4095.0 // of one by formula

static int wrong(const deconvolve_job *job, const char *what) {
    return cli_wrong_option(job->command, "--psf", job->text->psf, what);
}

static int allocate(deconvolve_job *job) {
    size_t count = 1;
    for (int a = 0; a < job->desc.n_axes; a++)
        count *= job->desc.psf_shape[a];
    job->psf = malloc(count * sizeof *job->psf);
    job->desc.psf = job->psf;
    return job->psf ? CLI_DONE : cli_out_of_memory(job->command, "the point spread function");
}

// An odd number of samples that reaches so far to either side; 0: too many.
static size_t side_of(double reach) { return 2 * reach + 1 <= MOST_SIDE ? 2 * (size_t)ceil(reach) + 1 : 0; }

static int fail(const deconvolve_job *job, mst_status status, const mst_error *error) {
    return status == MST_OK ? CLI_DONE : cli_fail(job->command, "--psf", error);
}

// "2", for all axes, or "4,2,2".
static int read_gaussian(deconvolve_job *job, const char *text) {
    double sigma[MST_MAX_AXES] = {0};
    int n = 0;
    char *end;
    mst_error error;
    for (; n < MST_MAX_AXES; text = end + 1) {
        sigma[n++] = strtod(text, &end);
        if (end == text || !(sigma[n - 1] > 0) || side_of(4 * sigma[n - 1]) == 0 || (*end && *end != ','))
            return wrong(job, "give widths above 0 and up to 500, in pixels, as gaussian:2 or gaussian:4,2,2");
        if (!*end)
            break;
    }
    if (*end)
        return wrong(job, "give up to 3 widths, from the first axis on");
    job->desc.n_axes = job->n_axes ? job->n_axes : n == 1 ? 2 : n;
    if (n > 1 && n != job->desc.n_axes)
        return wrong(job, "give one width, or one for each of --axes");
    for (int a = 0; a < job->desc.n_axes; a++) {
        sigma[a] = sigma[n == 1 ? 0 : a];
        job->desc.psf_shape[a] = side_of(4 * sigma[a]);
    }
    int code = allocate(job);
    if (code != CLI_DONE)
        return code;
    return fail(job, mst_psf_gaussian(job->desc.n_axes, sigma, job->desc.psf_shape, job->psf, &error), &error);
}

// Reads "na=1.4,wavelength=0.52" into what the names stand for.
static bool read_optics(const char *text, mst_born_wolf *o) {
    const struct {
        const char *name;
        double *value;
    } names[] = {
        {"na", &o->aperture}, {"wavelength", &o->wavelength}, {"index", &o->index}, {"pixel", &o->pixel}, {"step", &o->step}};
    while (*text) {
        char *end = NULL;
        for (size_t k = 0; k < CLI_COUNT(names) && !end; k++) {
            size_t length = strlen(names[k].name);
            if (strncmp(text, names[k].name, length) == 0 && text[length] == '=') {
                *names[k].value = strtod(text + length + 1, &end);
                if (end == text + length + 1)
                    return false;
            }
        }
        if (!end || (*end && *end != ','))
            return false;
        text = *end ? end + 1 : end;
    }
    return true;
}

// As far as five times the radius of the Airy disc and, along the axis, twice the distance of its first zero.
static int read_born_wolf(deconvolve_job *job, const char *text) {
    mst_born_wolf o = MST_BORN_WOLF_INIT;
    mst_error error;
    if (!read_optics(text, &o) || !(o.aperture > 0) || !(o.wavelength > 0) || !(o.pixel > 0) || !(o.index > 0) || !(o.step >= 0))
        return wrong(job, "give na, wavelength and pixel, with index and step where they matter, as "
                          "born-wolf:na=1.4,wavelength=0.52,index=1.515,pixel=0.1,step=0.2");
    int n = job->desc.n_axes = o.step > 0 ? 3 : 2;
    size_t lateral = side_of(5 * 0.61 * o.wavelength / o.aperture / o.pixel);
    size_t axial = o.step > 0 ? side_of(4 * o.index * o.wavelength / (o.aperture * o.aperture) / o.step) : 1;
    if (lateral == 0 || axial == 0)
        return wrong(job, "takes more than 4095 samples a side; are all lengths in one unit?");
    job->desc.psf_shape[0] = n == 3 ? axial : lateral;
    job->desc.psf_shape[1] = job->desc.psf_shape[2] = lateral;
    int code = allocate(job);
    if (code != CLI_DONE)
        return code;
    return fail(job, mst_psf_born_wolf(&o, n, job->desc.psf_shape, job->psf, &error), &error);
}

static int take_values(deconvolve_job *job, const mst_layout *layout, const void *values) {
    if (layout->rank > MST_MAX_AXES || (layout->type >= MST_COMPLEX64 && layout->type <= MST_COMPLEX128)) {
        cli_error(job->command, "%s: a point spread function is of up to %d axes of real numbers", job->paths[1], MST_MAX_AXES);
        return CLI_INPUT_OUTPUT;
    }
    job->desc.n_axes = layout->rank;
    memcpy(job->desc.psf_shape, layout->shape, (size_t)layout->rank * sizeof *layout->shape);
    int code = allocate(job);
    for (size_t i = 0; code == CLI_DONE && i < (size_t)cli_layout_bytes(layout) / mst_type_bytes(layout->type); i++)
        job->psf[i] = cli_real_at(layout->type, values, i);
    return code;
}

static int read_npy(deconvolve_job *job) {
    cli_operand array = {0};
    void *values = NULL;
    int code = cli_operand_open(job->command, job->paths[1], &array);
    size_t bytes = code == CLI_DONE ? (size_t)cli_layout_bytes(&array.layout) : 0;
    if (code == CLI_DONE && bytes == 0) {
        cli_error(job->command, "%s: has no values; a point spread function has one at least", job->paths[1]);
        code = CLI_INPUT_OUTPUT;
    }
    if (code == CLI_DONE && !(values = malloc(bytes)))
        code = cli_out_of_memory(job->command, "the point spread function");
    if (code == CLI_DONE && !cli_read_bytes(&array.location, 0, values, bytes))
        code = cli_fail_file(job->command, job->paths[1], "cannot be read");
    if (code == CLI_DONE)
        code = take_values(job, &array.layout, values);
    free(values);
    cli_operand_close(&array);
    return code;
}

static int read_image(deconvolve_job *job) {
    cli_image image = {0};
    int code = cli_image_read(job->command, job->paths[1], job->max_bytes, &image);
    if (code == CLI_DONE && image.channels != 1) {
        cli_error(job->command, "%s: has %zu channels; a point spread function has one", job->paths[1], image.channels);
        code = CLI_INPUT_OUTPUT;
    }
    if (code == CLI_DONE) {
        mst_layout layout = cli_image_layout(&image);
        layout.rank--; // the channels
        code = take_values(job, &layout, image.pixels);
    }
    cli_image_free(&image);
    return code;
}

int deconvolve_read_psf(deconvolve_job *job) {
    const char *text = job->text->psf;
    int code;
    if (!text)
        code = cli_image_format_in(job->paths[1]) == CLI_NPY ? read_npy(job) : read_image(job);
    else if (strncmp(text, "gaussian:", 9) == 0)
        code = read_gaussian(job, text + 9);
    else if (strncmp(text, "born-wolf:", 10) == 0)
        code = read_born_wolf(job, text + 10);
    else
        code = wrong(job, "choose gaussian:SIGMA or born-wolf:na=..,wavelength=..,pixel=..; a file is given without --psf");
    if (code == CLI_DONE && job->n_axes && job->n_axes != job->desc.n_axes) {
        cli_error(job->command, "the point spread function has %d axes, --axes gives %d", job->desc.n_axes, job->n_axes);
        code = CLI_USAGE;
    }
    return code;
}
