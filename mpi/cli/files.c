#include "files.h"

#include "core/file.h"
#include "core/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- Inputs

// A number that hardly two layouts have in common (FNV-1a).
static uint64_t digest(const cli_operand *input) {
    uint64_t values[3 + MST_MAX_RANK] = {(uint64_t)input->layout.type, (uint64_t)input->layout.rank, input->location.offset};
    uint64_t hash = 0xcbf29ce484222325;
    for (int k = 0; k < input->layout.rank; k++)
        values[3 + k] = input->layout.shape[k];
    for (size_t i = 0; i < sizeof values; i++)
        hash = (hash ^ ((const unsigned char *)values)[i]) * 0x100000001b3;
    return hash;
}

int ranks_open_input(const char *command, const char *path, cli_operand *input) {
    int code = cli_operand_open(command, path, input);
    if (code == CLI_DONE && input->sample_rate) {
        cli_error(command, "%s: is a sound; ranks share .npy files", path);
        code = CLI_INPUT_OUTPUT;
    }
    code = ranks_agree(command, code);
    if (code == CLI_DONE && !ranks_same(digest(input))) {
        cli_error(command, "%s: is not the same file for all ranks; put it where all hosts see it", path);
        return CLI_INPUT_OUTPUT;
    }
    return code;
}

// Elements of real numbers as those of a transform.
static void convert(mst_type from, const void *values, mst_type to, char *at, size_t n) {
    size_t bytes = mst_type_bytes(to);
    if (from == to) {
        memcpy(at, values, n * bytes);
        return;
    }
    for (size_t i = 0; i < n; i++, at += bytes) {
        double real = cli_real_at(from, values, i);
        if (to == MST_FLOAT32 || to == MST_COMPLEX64)
            *(float *)at = (float)real;
        else
            *(double *)at = real;
    }
}

// One line of a part: the elements along its last axis that the file has.
static bool read_line(const cli_operand *input, const mst_mpi_part *part, const size_t *index, void *buffer, char *at) {
    const mst_layout *whole = &input->layout;
    int last = whole->rank - 1;
    size_t element = 0, begin = part->start[last], n = part->layout.shape[last], bytes = mst_type_bytes(whole->type);
    for (int k = 0; k <= last; k++) {
        size_t i = part->start[k] + (k == last ? 0 : index[k]);
        if (k < last && i >= whole->shape[k])
            return true;
        element = element * whole->shape[k] + i;
    }
    n = begin >= whole->shape[last] ? 0 : n < whole->shape[last] - begin ? n : whole->shape[last] - begin;
    if (n == 0)
        return true;
    if (!cli_read_bytes(&input->location, element * bytes, buffer, n * bytes))
        return false;
    convert(whole->type, buffer, part->layout.type, at, n);
    return true;
}

static bool next_line(const mst_layout *part, size_t *index) {
    for (int k = part->rank - 2; k >= 0; k--) {
        if (++index[k] < part->shape[k])
            return true;
        index[k] = 0;
    }
    return false;
}

int ranks_read_part(const char *command, const cli_operand *input, const mst_mpi_part *part, void **out) {
    const mst_layout *l = &part->layout;
    size_t index[MST_MAX_RANK] = {0}, line = l->shape[l->rank - 1], bytes = mst_type_bytes(l->type);
    uint64_t all = cli_layout_bytes(l);
    int code = CLI_DONE;
    char *data = *out = calloc((size_t)all + 1, 1), *buffer = malloc(line * 16 + 1);
    if (!data || !buffer)
        code = cli_out_of_memory(command, "this rank's part of the input");
    else if (all > 0)
        do {
            if (!read_line(input, part, index, buffer, data))
                code = cli_fail_file(command, input->path, "cannot be read");
            data += line * bytes;
        } while (code == CLI_DONE && next_line(l, index));
    free(buffer);
    return code;
}

// ---- The result

int ranks_output_open(const char *command, const char *path, bool force, const char *const *inputs, ranks_output *o) {
    int code = ranks_number() == 0 ? cli_output_open(command, path, false, force, inputs, &o->output) : CLI_DONE;
    return ranks_agree(command, code);
}

static int open_shared(const char *command, const char *path, ranks_output *o) {
    o->file = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    o->open = o->file >= 0;
    if (o->open)
        return CLI_DONE;
    cli_error(command, "%s: cannot be opened: %s; put the result where all hosts see it", path, strerror(errno));
    return CLI_INPUT_OUTPUT;
}

int ranks_output_begin(const char *command, const mst_layout *layout, ranks_output *o) {
    struct {
        uint64_t offset;
        char path[4096];
    } told = {0};
    int code = ranks_number() == 0 ? cli_output_begin(&o->output, layout, 0) : CLI_DONE;
    if (ranks_number() == 0 && code == CLI_DONE) {
        char *path = cli_whole_path(&o->output.whole);
        told.offset = o->output.location.offset;
        if (!path || strlen(path) >= sizeof told.path)
            code = cli_out_of_memory(command, "the path of the result");
        else
            memcpy(told.path, path, strlen(path) + 1);
        free(path);
    }
    code = ranks_agree(command, code);
    if (code != CLI_DONE)
        return code;
    ranks_share(&told, sizeof told);
    code = ranks_agree(command, open_shared(command, told.path, o));
    o->location = mst_at_file(o->file, told.offset);
    return code;
}

// Network file systems tell of failed writes when a file is closed.
int ranks_output_commit(const char *command, ranks_output *o) {
    int code = CLI_DONE, second = fcntl(o->file, F_DUPFD_CLOEXEC, 0);
    if (second < 0 || close(second) != 0) {
        cli_error(command, "the result cannot be written: %s", strerror(errno));
        code = CLI_INPUT_OUTPUT;
    }
    code = ranks_agree(command, code);
    if (code == CLI_DONE && ranks_number() == 0)
        code = cli_output_commit(&o->output);
    return ranks_agree(command, code);
}

void ranks_output_close(ranks_output *o) {
    if (o->open)
        close(o->file);
    cli_output_close(&o->output);
    *o = (ranks_output){0};
}

mst_location ranks_part_location(mst_location whole, const mst_layout *layout, const mst_mpi_part *part) {
    uint64_t element = 0;
    for (int k = 0; k < layout->rank; k++)
        element += part->start[k] * (uint64_t)layout->strides[k];
    whole.offset += element * mst_type_bytes(layout->type);
    return whole;
}
