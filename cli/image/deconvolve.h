// mastaba deconvolve: cmd_deconvolve.c reads the options, deconvolve_psf.c the point spread function, deconvolve_arrays.c
// what is deconvolved.
#ifndef MASTABA_CLI_DECONVOLVE_H
#define MASTABA_CLI_DECONVOLVE_H

#include "array/files.h"
#include "image.h"

// The command line.
typedef struct deconvolve_text {
    char *output, *method, *psf, *axes, *edges, *weights, *start, *type, *max_image;
    int iterations, accelerate, order, keep_sum, raw, dry_run, exact;
    double tolerance, variation, background, balance, seam;
} deconvolve_text;

typedef struct deconvolve_job {
    const char *command;
    const deconvolve_text *text;
    const cli_options *options;
    mst_deconvolution_desc desc;
    mst_type type;        // of the result; 0: by the image
    uint64_t max_bytes;   // of an image
    int n_axes;           // that --axes gives; 0: as many as the psf has
    const char *paths[3]; // the image and, unless by formula, the psf; NULL-ended
    double *psf;
    // What is read: an array of a file, or an image in memory.
    bool is_array;
    cli_operand array, weights, start;
    cli_image image;
    float *pixels;     // the result of an image
    cli_output output; // of an array
    cli_place place;   // of an image
    mst_context *context;
    mst_deconvolution *plan;
    mst_report report;
    cli_progress progress;
    mst_deconvolution_state last; // that was told; iteration 0: none
    uint64_t bricks;              // 0: images passed whole
} deconvolve_job;

// Where the result goes; NULL: nothing is computed.
static inline const char *deconvolve_output(const deconvolve_job *job) { return job->text->dry_run ? NULL : job->text->output; }

extern const cli_command cmd_deconvolve;

// All return an exit code after printing what is wrong.
int deconvolve_read_options(deconvolve_job *job);
int deconvolve_read_psf(deconvolve_job *job); // by formula or file: into job->psf and the description
int deconvolve_open(deconvolve_job *job);     // image, weights, start and the output's place; completes the description
int deconvolve_execute(deconvolve_job *job);  // makes the plan, and the output

#endif
