// mastaba filter: filter_options.c reads the options, filter_paths.c finds places for outputs, filter_files.c filters one image
// after the other by the plan of filter_plan.c.
#ifndef MASTABA_CLI_FILTER_H
#define MASTABA_CLI_FILTER_H

#include "array/files.h"
#include "array/output.h"
#include "core/json.h"
#include "image.h"

// A frequency: cycles along the shorter side of an image, or a fraction of Nyquist's, half a cycle per pixel.
typedef struct cli_frequency {
    double value;
    bool nyquist;
} cli_frequency;

// A frequency that is taken out, with what is around it.
typedef struct cli_notch {
    cli_frequency x, y, z, radius;
} cli_notch;

// The command line, as text.
typedef struct filter_text {
    char *output, *high_pass, *low_pass, *band_pass, *band_stop, *mask_file, *sharpen, *laplacian, *stripes, *shape, *edges,
        *output_as, *algorithm, *spectrum, *max_image, *wiener, *precision;
    int quality;
    char **notches; // NULL-ended, or NULL
    int stages, linear, volume, dry_run;
    double tiles;
    char *alpha;
} filter_text;

typedef struct filter_job {
    const char *command;
    mst_filter_desc desc; // all but layouts, radii and notches' places
    cli_frequency radii[2];
    cli_notch notches[MST_FILTER_MAX_NOTCHES];
    size_t n_notches;
    float *mask;
    const char *mask_path; // NULL: none
    uint64_t max_bytes;
    int quality;             // of JPEG files; 0: not said
    const char *output;      // OUT, or DIR, or "-"; NULL: there is only a spectrum, or kernels are shown
    cli_image_format format; // of standard output, if it was said
    const char *spectrum;    // NULL: none
    bool directory, stages, force, show_kernels, json;
    bool linear, weigh;          // in linear light; opacity weighs the colours
    bool dry_run;                // what would be done is printed
    bool together;               // each image by all processes of a team
    double timeout;              // that these give one another, seconds
    const char *const *inputs;   // NULL-ended
    size_t n_inputs, begin, end; // those from begin to end are filtered by this process
    char **paths;                // of the outputs, an input each; they depend on what is in the inputs, and are found once
    cli_place places[2];         // of the outputs, and of the spectrum

    mst_context *context;
    mst_filter *plan; // for the images before; NULL where they go by all of a team
    mst_filter_desc plan_desc;
    mst_filter_notch plan_notches[MST_FILTER_MAX_NOTCHES];
    mst_type result_type;
    mst_report report;        // sums
    uint64_t pixels, pages;   // of all results
    size_t n_handled, n_done; // inputs that came to an end, well or not; outputs written
    mst_filter_stage stage_sums[MST_FILTER_MAX_STAGES];
    int n_stages;
    uint64_t n_tiles; // of all images; 0: they went whole
    double bound;     // the largest of their tiles
} filter_job;

extern const cli_command cmd_filter;

// Reads the options; prints what is wrong. Returns an exit code. filter_job_free follows in any case.
int filter_read_options(const filter_text *text, filter_job *job);
void filter_job_free(filter_job *job);

// Filters all inputs: the next is read while one is filtered and the one before written. An input that cannot be read or filtered
// does not keep the others from being done. Returns an exit code.
int filter_run_files(filter_job *job);

// Makes the plans for all inputs, for their kernels to be shown, or for a dry run. Returns an exit code.
int filter_plan_files(filter_job *job);

// ---- filter_plan.c

// Makes the plan for an image, or keeps that of the image before if both are of the same kind. Returns an exit code.
int filter_plan_image(filter_job *job, const char *path, const cli_image *image);
mst_layout filter_plan_result(const filter_job *job); // of what is written

// The part of an image, which has a plan, that this process of a team is to read. Returns an exit code.
int filter_plan_part(const filter_job *job, const char *path, cli_image_part *part);

// Filters an image, which has a plan, into the pixels of `to`, or by a team into a file where one is given. Returns an exit code.
int filter_plan_execute(filter_job *job, const char *path, const cli_image *from, const cli_image *to, const cli_output *file);

// An image that a team filters together: each has the pixels of its part, and writes its part of the result, or the first process
// gets the whole.
typedef struct filter_together {
    const char *command, *path;
    mst_context *context;
    const mst_filter_desc *desc;
    const void *pixels;
    void *result;           // of the first process, where there is no file for the parts
    const cli_output *file; // which all write their parts to; NULL: none
    const cli_image *kind;  // of the whole result
    double timeout;
} filter_together;

// Whether images go by all processes of a team: those that are fewer than these.
void filter_choose_team(filter_job *job);

// Whether this process gets results; and what all that work together call: the exit code of all, and whether all read the same.
bool filter_has_result(const filter_job *job);
int filter_agree(const filter_job *job, int code);
int filter_agree_input(const filter_job *job, int code, const char *path, const cli_image *image);

// What a dry run says of an input that has a plan: as text, or an object of the list. Returns an exit code.
int filter_print_plan(const filter_job *job, size_t input, json_t *list);

// ---- filter_check.c: each returns an exit code after printing what is wrong

// Whether pixels become float32 numbers first (tone.h).
static inline bool filter_is_toned(const filter_job *job) { return job->linear || job->weigh; }

int filter_check_kind(const filter_job *job, const char *path, const cli_image *image);
int filter_check_input(const filter_job *job, const char *path, const cli_image *image);

// The values of a result, or of a part of it.
int filter_check_result(const char *command, const char *path, const cli_image *image);

// ---- The others

// The path of an input's output in a directory, or `output` itself; malloc'ed, NULL when out of memory.
char *filter_output_path(const filter_job *job, size_t input);

// The format of an output. Standard output has the one that was said, else that of the input, or one for floating-point numbers
// where that cannot hold them.
cli_image_format filter_output_format(const filter_job *job, const char *path, const cli_image *image);

// spectrum.c: writes to job->spectrum log(1 + |F|), where F is the spectrum of the mean over an image's colours, with frequency 0
// in the middle and stretched to 8 bits. Returns an exit code.
int cli_spectrum_write(const filter_job *job, const cli_image *image);

#endif
