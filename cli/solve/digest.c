#include "digest.h"

#include "solve.h"

#include <errno.h>
#include <string.h>

static void add_text(XXH3_state_t *digest, const char *text) {
    XXH3_128bits_update(digest, text ? text : "", text ? strlen(text) + 1 : 0);
    XXH3_128bits_update(digest, text ? "+" : "-", 1);
}

static void add_number(XXH3_state_t *digest, double value) { XXH3_128bits_update(digest, &value, sizeof value); }

static int add_data(XXH3_state_t *digest, mst_npy *npy, uint64_t most, char *buffer) {
    const mst_location from = mst_npy_location(npy);
    const uint64_t whole = cli_layout_bytes(mst_npy_layout(npy)), all = whole < most ? whole : most;
    add_number(digest, (double)mst_npy_layout(npy)->type);
    for (uint64_t done = 0, bytes; done < all; done += bytes) {
        bytes = all - done < SOLVE_CHUNK_BYTES ? all - done : SOLVE_CHUNK_BYTES;
        if (!cli_read_bytes(&from, done, buffer, (size_t)bytes)) {
            cli_error(solve_command, "initial values: %s", errno ? strerror(errno) : "the file was cut short");
            return CLI_INPUT_OUTPUT;
        }
        XXH3_128bits_update(digest, buffer, (size_t)bytes);
    }
    return CLI_DONE;
}

static void add_layer(XXH3_state_t *digest, const mst_stencil_boundary *face) {
    add_number(digest, face->speed);
    add_number(digest, face->reflection);
    add_number(digest, face->order);
    add_number(digest, face->kappa);
    add_number(digest, face->alpha);
}

static void add_faces(XXH3_state_t *digest, const mst_stencil_boundary faces[2]) {
    for (int side = 0; side < 2; side++) {
        add_number(digest, faces[side].kind);
        add_text(digest, faces[side].value);
        add_number(digest, (double)faces[side].width);
        if (faces[side].kind == MST_BOUNDARY_ABSORB)
            add_layer(digest, &faces[side]);
    }
}

static int add_fields(XXH3_state_t *digest, const problem *p, uint64_t most, char *buffer) {
    int code = CLI_DONE;
    for (size_t i = 0; i < p->desc.n_fields && code == CLI_DONE; i++) {
        add_text(digest, p->fields[i].name);
        add_number(digest, p->fields[i].coefficient ? 0 : p->fields[i].levels);
        if (p->fields[i].storage_bytes)
            add_number(digest, (double)p->fields[i].storage_bytes);
        for (int k = 0; k < p->desc.rank && p->fields[i].boundaries; k++)
            add_faces(digest, p->fields[i].boundaries + 2 * k);
        add_text(digest, p->fields[i].initial.expression);
        add_text(digest, p->fields[i].previous.expression);
        for (int level = 0; level < 2 && code == CLI_DONE; level++)
            if (p->data[i][level])
                code = add_data(digest, p->data[i][level], most, buffer);
        for (size_t k = 0; k < p->fields[i].n_table; k++)
            add_number(digest, p->fields[i].table[k]);
    }
    if (p->materials && code == CLI_DONE)
        code = add_data(digest, p->materials, most, buffer);
    return code;
}

static void add_scheme(XXH3_state_t *digest, const mst_stencil_desc *desc) {
    add_number(digest, desc->precision);
    add_number(digest, desc->time_step);
    for (size_t i = 0; i < desc->n_parameters; i++) { // the size of the grid is among them
        add_text(digest, desc->parameters[i].name);
        add_number(digest, desc->parameters[i].value);
    }
    for (size_t i = 0; i < desc->n_run_parameters; i++)
        add_text(digest, desc->run_parameters[i]);
    for (size_t i = 0; i < desc->n_runs * desc->n_run_parameters; i++)
        add_number(digest, desc->run_values[i]);
    for (int k = 0; k < desc->rank; k++) {
        add_number(digest, desc->spacing[k]);
        add_faces(digest, desc->boundaries + 2 * k);
    }
    for (size_t i = 0; i < desc->n_updates; i++) {
        add_number(digest, (double)desc->updates[i].substep);
        add_text(digest, desc->updates[i].field);
        add_text(digest, desc->updates[i].expression);
    }
    for (size_t i = 0; i < desc->n_definitions; i++) {
        add_text(digest, desc->definitions[i].name);
        add_text(digest, desc->definitions[i].expression);
    }
}

static void add_positions(XXH3_state_t *digest, const double *positions, size_t n, mst_stencil_interpolation interpolation,
                          unsigned radius) {
    XXH3_128bits_update(digest, positions, n * sizeof *positions);
    add_number(digest, interpolation);
    add_number(digest, radius);
}

// Of a source at a node there is nothing, so that checkpoints of older versions go on.
static void add_place(XXH3_state_t *digest, const mst_stencil_source *source) {
    if (source->position)
        add_positions(digest, source->position, MST_MAX_AXES, source->interpolation, source->radius);
    if (!source->region)
        return;
    XXH3_128bits_update(digest, source->region, sizeof *source->region);
    add_text(digest, source->amplitude);
    add_text(digest, source->delay);
}

static void add_points(XXH3_state_t *digest, const mst_stencil_desc *desc) {
    for (size_t i = 0; i < desc->n_sources; i++) {
        const mst_stencil_source *source = &desc->sources[i];
        add_text(digest, source->field);
        add_text(digest, source->series);
        XXH3_128bits_update(digest, source->point, sizeof source->point);
        add_place(digest, source);
        for (size_t k = 0; k < source->n_samples; k++)
            add_number(digest, source->samples[k]);
    }
    for (size_t i = 0; i < desc->n_receivers; i++) {
        const mst_stencil_receiver *receiver = &desc->receivers[i];
        add_text(digest, receiver->field);
        if (receiver->points)
            XXH3_128bits_update(digest, receiver->points, receiver->n_points * sizeof receiver->points[0]);
        else
            add_positions(digest, receiver->positions[0], receiver->n_points * MST_MAX_AXES, receiver->interpolation,
                          receiver->radius);
    }
}

// Those that record; without any the digest is that of problems before there were some.
static void add_observations(XXH3_state_t *digest, const problem *p) {
    for (size_t i = 0; i < p->n_logs; i++) {
        add_text(digest, p->monitors[i].expression);
        add_number(digest, p->monitors[i].reduction);
        add_number(digest, (double)p->monitors[i].every);
        XXH3_128bits_update(digest, &p->monitors[i].region, sizeof p->monitors[i].region);
    }
    for (size_t i = 0; i < p->desc.n_spectra; i++) {
        add_text(digest, p->spectra[i].expression);
        add_number(digest, (double)p->spectra[i].every);
        XXH3_128bits_update(digest, &p->spectra[i].region, sizeof p->spectra[i].region);
        for (size_t k = 0; k < p->spectra[i].n_frequencies; k++)
            add_number(digest, p->spectra[i].frequencies[k]);
    }
}

int solve_digest_problem(const problem *p, uint64_t most, XXH3_state_t *digest, char *buffer, uint64_t out[2]) {
    XXH3_128bits_reset(digest);
    add_scheme(digest, &p->desc);
    add_points(digest, &p->desc);
    add_observations(digest, p);
    int code = add_fields(digest, p, most, buffer);
    XXH128_hash_t hash = XXH3_128bits_digest(digest);
    out[0] = hash.low64;
    out[1] = hash.high64;
    return code;
}
