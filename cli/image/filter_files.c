// Many images: while one is filtered, threads read the next ones and write those before, one a processor.
#include "core/standard.h"
#include "core/team.h"
#include "filter.h"
#include "tone.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct reading {
    const filter_job *job;
    filter_job *shared; // which gets the plan while the image is read, to read a part of it; NULL: all is read
    const char *path;
    cli_image image;
    int code;
} reading;

typedef struct writing {
    const filter_job *job;
    const char *path; // NULL: nothing to write
    cli_image_format format;
    cli_image image;
    int code;
} writing;

static void *read_image(void *user) {
    reading *r = user;
    r->code = cli_image_read(r->job->command, r->path, r->job->max_bytes, &r->image);
    return NULL;
}

static cli_tone tone_of(const filter_job *job, const cli_image *image) {
    return (cli_tone){.linear = job->linear, .weigh = job->weigh && image->alpha};
}

// Makes the plan for an image whose pixels are not read yet.
static int plan_kind(const reading *r, const cli_image *image) {
    const cli_tone tone = tone_of(r->job, image);
    const cli_image planned = tone.linear || tone.weigh ? cli_tone_kind(&tone, image) : *image;
    const int code = filter_check_kind(r->job, cli_input_name(r->path), image);
    return code == CLI_DONE ? filter_plan_image(r->shared, cli_input_name(r->path), &planned) : code;
}

// The part of an image that this process filters.
static int choose_part(void *user, cli_image *image) {
    const reading *r = user;
    const int code = plan_kind(r, image);
    return code == CLI_DONE ? filter_plan_part(r->shared, cli_input_name(r->path), &image->part) : code;
}

static int choose_nothing(void *user, cli_image *image) {
    image->part.rows = 0;
    return plan_kind(user, image);
}

static void *read_part(void *user) {
    reading *r = user;
    r->code = cli_image_read_part(r->job->command, r->path, r->job->max_bytes, choose_part, r, &r->image);
    return NULL;
}

static void *write_image(void *user) {
    writing *w = user;
    w->code = cli_image_write(w->job->command, &w->job->places[0], w->path, w->format, w->job->force, &w->image);
    return NULL;
}

// A thread that does some work. Where none can be started, start does the work itself.
typedef struct worker {
    pthread_t thread;
    bool running;
} worker;

static void start(worker *w, void *(*work)(void *), void *user) {
    w->running = pthread_create(&w->thread, NULL, work, user) == 0;
    if (!w->running)
        work(user);
}

static void finish(worker *w) {
    if (w->running)
        pthread_join(w->thread, NULL);
    w->running = false;
}

// Work that the others of a team may wait for long: by a thread, while this one says that it goes on.
typedef struct told_work {
    void *(*work)(void *);
    void *user;
    atomic_bool done;
} told_work;

static void *do_told(void *user) {
    told_work *t = user;
    t->work(t->user);
    atomic_store(&t->done, true);
    return NULL;
}

static void work_and_tell(void *(*work)(void *), void *user) {
    static const struct timespec tick = {.tv_nsec = 5000000};
    told_work t = {work, user, false};
    worker w;
    start(&w, do_told, &t);
    while (!atomic_load(&t.done)) {
        cli_work_goes_on();
        nanosleep(&tick, NULL);
    }
    finish(&w);
}

// Whether each of a team writes its part of the result: of .npy files, which have a place for it. Opacity and curves of light
// need the image that the pixels are of, which the first process has.
static bool writes_part(const filter_job *job, const char *output, const writing *w) {
    return job->together && w->format == CLI_NPY && !filter_is_toned(job) && !cli_is_standard(output);
}

// Makes the plan for `from`, the image itself or what cli_tone_begin made of it, and the result of the image's kind, or of real
// numbers for raw, where this process is to have it.
static int begin_result(filter_job *job, const char *path, const char *output, const cli_image *from, cli_image *image,
                        writing *w) {
    cli_image *result = &w->image;
    int code = filter_plan_image(job, path, from);
    if (code != CLI_DONE)
        return code;
    const mst_layout layout = filter_plan_result(job);
    cli_image kind = *image;
    kind.part = (cli_image_part){.pages = image->pages, .rows = image->height};
    kind.type = from == image || job->desc.output_as == MST_FILTER_RAW ? layout.type : image->type;
    w->format = filter_output_format(job, output, image);
    code = cli_image_check(job->command, output, w->format, &kind);
    if (code != CLI_DONE || !(filter_has_result(job) || writes_part(job, output, w)))
        return code;
    *result = kind;
    result->pixels = NULL;
    result->mapped = 0;
    result->white = cli_image_is_real(&kind) ? 1 : image->white;
    result->quality = job->quality;
    image->metadata = (cli_metadata){0}; // the result's now, as those of later pages
    image->later = NULL;
    return writes_part(job, output, w) ? CLI_DONE : cli_pixels_take(job->command, path, cli_layout_bytes(&layout), result);
}

static int filter_into_file(filter_job *job, const char *path, const char *output, const cli_image *image,
                            const cli_image *kind) {
    const mst_layout layout = cli_npy_layout(kind);
    cli_output file = {0};
    int code = cli_output_open(job->command, output, false, job->force, job->inputs, &file);
    if (code == CLI_DONE)
        code = cli_output_begin(&file, &layout, 0);
    if (code == CLI_DONE)
        code = cli_work_meet(job->command, filter_plan_execute(job, path, image, kind, &file));
    if (code == CLI_DONE)
        code = cli_output_commit(&file);
    cli_output_close(&file);
    return code;
}

static int filter_image(filter_job *job, const char *path, const char *output, cli_image *image, writing *w) {
    cli_tone tone = tone_of(job, image);
    cli_image light = {0};
    const bool toned = tone.linear || tone.weigh;
    int code = CLI_DONE;
    if (toned)
        code = cli_tone_begin(job->command, path, image, &tone, &light);
    if (code == CLI_DONE)
        code = begin_result(job, path, output, toned ? &light : image, image, w);
    code = filter_agree(job, code);
    if (code == CLI_DONE && writes_part(job, output, w))
        return filter_into_file(job, path, output, image, &w->image);
    if (code == CLI_DONE)
        code = filter_plan_execute(job, path, toned ? &light : image, &w->image, NULL);
    if (code == CLI_DONE && toned && filter_has_result(job))
        cli_tone_end(&tone, job->desc.output_as == MST_FILTER_RAW, &w->image);
    if (code == CLI_DONE && filter_has_result(job))
        code = filter_check_result(job->command, path, &w->image);
    cli_tone_free(&tone);
    cli_image_free(&light);
    return code;
}

static int take_spectrum(filter_job *job, const char *path, const cli_image *image) {
    if (job->spectrum && image->pages > 1) {
        cli_error(job->command, "%s: has %zu pages; --spectrum is for one", path, image->pages);
        return CLI_INPUT_OUTPUT;
    }
    return job->spectrum && filter_has_result(job) ? cli_spectrum_write(job, image) : CLI_DONE;
}

// Where several images failed, the program ends with the exit code of the last of them.
static int last_failure(int before, int code) { return code == CLI_DONE ? before : code; }

static void count_done(filter_job *job, const cli_image *image) {
    job->n_done++;
    job->pages += image->pages;
    job->pixels += (uint64_t)image->width * image->height * image->pages;
}

// Waits for an output to be written. Returns how it went.
static int end_writing(filter_job *job, worker *writer, writing *w) {
    finish(writer);
    if (w->path && w->code == CLI_DONE) {
        count_done(job, &w->image);
    }
    cli_image_free(&w->image);
    w->path = NULL;
    return w->code;
}

// Makes of an input that was read what is to be written.
static writing process(filter_job *job, size_t input, reading *r) {
    writing w = {.job = job, .code = r->code};
    const char *path = job->output ? job->paths[input] : NULL;
    if (w.code == CLI_DONE)
        w.code = filter_check_input(job, cli_input_name(r->path), &r->image);
    w.code = filter_agree_input(job, w.code, cli_input_name(r->path), &r->image);
    if (w.code == CLI_DONE && path)
        w.code = filter_image(job, cli_input_name(r->path), path, &r->image, &w);
    if (w.code == CLI_DONE)
        w.code = take_spectrum(job, cli_input_name(r->path), &r->image); // none of an image that was refused
    job->n_handled += w.code != CLI_INTERRUPTED;
    if (w.code == CLI_DONE && !path)
        count_done(job, &r->image);
    cli_image_free(&r->image);
    if (w.code == CLI_DONE)
        w.path = path;
    return w;
}

int filter_plan_files(filter_job *job) {
    json_t *list = job->dry_run && job->json ? json_array() : NULL;
    int code = CLI_DONE;
    for (size_t i = 0; i < job->n_inputs && code == CLI_DONE; i++) {
        reading r = {.job = job, .shared = job, .path = job->inputs[i]};
        code = cli_image_read_part(job->command, r.path, job->max_bytes, choose_nothing, &r, &r.image);
        if (code == CLI_DONE && job->dry_run)
            code = filter_print_plan(job, i, list);
        else if (code == CLI_INTERRUPTED)
            code = cli_fail_interrupted(job->command);
        cli_image_free(&r.image);
    }
    if (code == CLI_DONE && list)
        return cli_print_json(job->command, list);
    json_decref(list);
    return code == CLI_DONE ? cli_flush(job->command) : code;
}

// ---- The pipeline. Image i takes slot i % n_slots of those that are read, and of those that are written.

enum { MOST_SLOTS = 64 };

typedef struct pipeline {
    filter_job *job;
    size_t n_slots, n_begun; // images whose reading has begun
    size_t n_ended;          // images whose writing has ended
    reading reads[MOST_SLOTS];
    writing writes[MOST_SLOTS];
    worker readers[MOST_SLOTS], writers[MOST_SLOTS];
    int code;
} pipeline;

static size_t count_slots(const filter_job *job) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t slots = cores < 1 ? 1 : cores > MOST_SLOTS ? MOST_SLOTS : (size_t)cores;
    return slots < job->n_inputs ? slots : job->n_inputs;
}

// How many images may be read, and as many written, at a time: together they take about as much memory as one image may. What is
// written may lie in float32 still.
static size_t count_at_once(const pipeline *p, const cli_image *image) {
    bool wide = filter_is_toned(p->job) || p->job->desc.output_as == MST_FILTER_RAW;
    const size_t real = p->job->desc.type == MST_FLOAT64 ? sizeof(double) : sizeof(float);
    uint64_t bytes = (uint64_t)cli_image_values(image) * (wide ? real : mst_type_bytes(image->type));
    uint64_t fit = bytes > 0 ? p->job->max_bytes / 2 / bytes : 1;
    return fit < 1 ? 1 : fit > p->n_slots ? p->n_slots : (size_t)fit;
}

static void begin_reading(pipeline *p, size_t end) {
    for (; p->n_begun < end && p->n_begun < p->job->end; p->n_begun++) {
        size_t slot = p->n_begun % p->n_slots;
        p->reads[slot] = (reading){.job = p->job, .path = p->job->inputs[p->n_begun]};
        start(&p->readers[slot], read_image, &p->reads[slot]);
    }
}

static reading take_reading(pipeline *p, size_t i) {
    size_t slot = i % p->n_slots;
    finish(&p->readers[slot]);
    reading read = p->reads[slot];
    p->reads[slot] = (reading){0};
    return read;
}

// Waits for the outputs of all images before `end`.
static void end_writings(pipeline *p, size_t end) {
    for (; p->n_ended < end; p->n_ended++) {
        size_t slot = p->n_ended % p->n_slots;
        p->code = last_failure(p->code, end_writing(p->job, &p->writers[slot], &p->writes[slot]));
    }
}

static void run_image(pipeline *p, size_t i, size_t *at_once) {
    size_t slot = i % p->n_slots;
    begin_reading(p, i + 1);
    reading read = take_reading(p, i);
    *at_once = count_at_once(p, &read.image);
    begin_reading(p, i + *at_once);
    writing done = process(p->job, i, &read);
    end_writings(p, i + 1 > *at_once ? i + 1 - *at_once : 0);
    p->writes[slot] = done;
    if (done.path)
        start(&p->writers[slot], write_image, &p->writes[slot]);
}

static int run_pipeline(pipeline *p) {
    filter_job *job = p->job;
    size_t i = job->begin, at_once = 1;
    cli_progress progress = cli_progress_start(job->command, 0);
    for (; i < job->end && cli_progress_update(i - job->begin, job->end - job->begin, &progress); i++)
        run_image(p, i, &at_once);
    end_writings(p, i);
    for (; i < p->n_begun; i++) {
        reading left = take_reading(p, i);
        cli_image_free(&left.image);
    }
    cli_progress_end(&progress);
    return p->code;
}

// One image after the other, each by all of the team.
static int run_together(filter_job *job) {
    int code = CLI_DONE;
    for (size_t i = job->begin; i < job->end && code != CLI_INTERRUPTED; i++) {
        reading read = {.job = job, .shared = job, .path = job->inputs[i]};
        cli_take_time();
        work_and_tell(read_part, &read);
        writing w = process(job, i, &read);
        if (w.code == CLI_DONE && w.image.pixels)
            work_and_tell(write_image, &w);
        if (w.code == CLI_DONE && filter_has_result(job))
            count_done(job, &w.image);
        cli_image_free(&w.image);
        code = last_failure(code, cli_work_meet(job->command, w.code));
    }
    return code;
}

int filter_run_files(filter_job *job) {
    if (job->together)
        return run_together(job);
    pipeline *p = calloc(1, sizeof *p);
    if (!p)
        return cli_out_of_memory(job->command, NULL);
    p->job = job;
    p->n_slots = count_slots(job);
    p->n_begun = p->n_ended = job->begin;
    int code = run_pipeline(p);
    free(p);
    if (!cli_interrupted() || job->n_handled == job->end - job->begin)
        return code;
    if (job->n_done == 0)
        return cli_fail_interrupted(job->command);
    cli_error(job->command, "interrupted; %zu of %zu images written", job->n_done, job->end - job->begin);
    return CLI_INTERRUPTED;
}
