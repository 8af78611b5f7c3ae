#include "files.h"

#include "core/file.h"
#include "core/layout.h"

#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 1 << 23 }; // bytes

// ---- Inputs

int ranks_open_input(const char *command, const char *path, cli_operand *input) {
    int code = cli_operand_open(command, path, input);
    if (code == CLI_DONE && input->sample_rate) {
        cli_error(command, "%s: is a sound; ranks share .npy files", path);
        code = CLI_INPUT_OUTPUT;
    }
    code = cli_agree(command, code);
    return code == CLI_DONE ? cli_operands_agree(command, input, 1) : code;
}

// Elements of real numbers as those of a transform.
static void convert(mst_type from, const void *values, mst_type to, char *at, size_t n) {
    size_t bytes = mst_type_bytes(to);
    if (from == to) {
        memcpy(at, values, n * bytes);
        return;
    }
    const size_t width = from == MST_COMPLEX64 || from == MST_COMPLEX128 ? 2 : 1; // which become wider
    const mst_type number = from == MST_COMPLEX64 ? MST_FLOAT32 : from == MST_COMPLEX128 ? MST_FLOAT64 : from;
    for (size_t i = 0; i < width * n; i++, at += bytes / width) {
        double real = cli_real_at(number, values, i);
        if (to == MST_FLOAT32 || to == MST_COMPLEX64)
            *(float *)at = (float)real;
        else
            *(double *)at = real;
    }
}

// How a part lies in the whole: in pieces of its indices along an axis with all that is behind, which it has whole.
typedef struct pieces {
    int axis;
    size_t behind; // elements of an index along that axis
} pieces;

static pieces pieces_of(const mst_layout *whole, const mst_mpi_part *part) {
    pieces p = {part->layout.rank - 1, 1};
    for (; p.axis > 0 && part->layout.shape[p.axis] == whole->shape[p.axis] && part->start[p.axis] == 0; p.axis--)
        p.behind *= whole->shape[p.axis];
    return p;
}

// The next index along the axes before one.
static bool next_before(int axis, const mst_layout *part, size_t *index) {
    for (int k = axis - 1; k >= 0; k--) {
        if (++index[k] < part->shape[k])
            return true;
        index[k] = 0;
    }
    return false;
}

// n elements from one on, a few MiB at once, by way of the buffer where they are converted.
static bool read_elements(const cli_operand *input, mst_type type, size_t element, size_t n, void *buffer, char *at) {
    const mst_type from = input->layout.type;
    const size_t bytes = mst_type_bytes(from), most = AT_ONCE / bytes;
    for (size_t done = 0, some; done < n; done += some) {
        void *to = from == type ? at + done * bytes : buffer;
        some = n - done < most ? n - done : most;
        if (input->location.place == MST_PLACE_HOST) // read whole: in Fortran order, or of foreign bytes
            memcpy(to, (const char *)input->location.host + (element + done) * bytes, some * bytes);
        else if (!cli_read_bytes(&input->location, (element + done) * bytes, to, some * bytes))
            return false;
        if (from != type)
            convert(from, buffer, type, at + done * mst_type_bytes(type), some);
        ranks_go_on();
    }
    return true;
}

// The elements of a piece that the file has.
static bool read_piece(const cli_operand *input, const mst_mpi_part *part, pieces p, const size_t *index, void *buffer,
                       char *at) {
    const mst_layout *whole = &input->layout;
    const size_t begin = part->start[p.axis], end = begin + part->layout.shape[p.axis], there = whole->shape[p.axis];
    size_t element = 0;
    for (int k = 0; k < p.axis; k++) {
        if (part->start[k] + index[k] >= whole->shape[k])
            return true;
        element = element * whole->shape[k] + part->start[k] + index[k];
    }
    element = (element * there + begin) * p.behind;
    const size_t n = begin >= there ? 0 : (end < there ? end : there) - begin;
    return read_elements(input, part->layout.type, element, n * p.behind, buffer, at);
}

int ranks_read_part(const char *command, const cli_operand *input, const mst_mpi_part *part, void **out) {
    const mst_layout *l = &part->layout;
    const pieces p = pieces_of(&input->layout, part);
    const size_t bytes = l->shape[p.axis] * p.behind * mst_type_bytes(l->type);
    const uint64_t all = cli_layout_bytes(l);
    size_t index[MST_MAX_RANK] = {0};
    int code = CLI_DONE;
    char *data = *out = calloc((size_t)all + 1, 1), *buffer = malloc(AT_ONCE);
    if (!data || !buffer)
        code = cli_out_of_memory(command, "this rank's part of the input");
    else if (all > 0)
        do {
            if (!read_piece(input, part, p, index, buffer, data))
                code = cli_fail_file(command, input->path, "cannot be read");
            data += bytes;
        } while (code == CLI_DONE && next_before(p.axis, l, index));
    free(buffer);
    return code;
}

int ranks_write_part(const char *command, const char *path, mst_location whole, const mst_layout *layout,
                     const mst_mpi_part *part, const void *values) {
    const mst_layout *l = &part->layout;
    const pieces p = pieces_of(layout, part);
    const size_t element = mst_type_bytes(l->type), bytes = element * l->shape[p.axis] * p.behind;
    size_t index[MST_MAX_RANK] = {0};
    const mst_location to = ranks_part_location(whole, layout, part);
    const char *from = values;
    if (cli_layout_bytes(l) == 0)
        return CLI_DONE;
    do {
        size_t at = 0;
        for (int k = 0; k < p.axis; k++)
            at += index[k] * (size_t)layout->strides[k];
        for (size_t done = 0, n; done < bytes; done += n, from += n) {
            n = bytes - done < AT_ONCE ? bytes - done : AT_ONCE;
            if (!cli_write_bytes(&to, at * element + done, from, n))
                return cli_fail_file(command, path, "cannot be written");
            ranks_go_on();
        }
    } while (next_before(p.axis, l, index));
    return CLI_DONE;
}

// "0:3,0:10,0:9"
static void print_part(const char *name, const mst_mpi_part *p) {
    printf("%s [", name);
    for (int k = 0; k < p->layout.rank; k++)
        printf("%s%zu:%zu", k ? "," : "", p->start[k], p->start[k] + p->layout.shape[k]);
    printf("], ");
}

static int add_part(json_t *object, const char *name, const mst_mpi_part *p) {
    return json_object_set_new(object, name,
                               json_pack("{s:o, s:o}", "start", cli_json_sizes(p->start, p->layout.rank), "shape",
                                         cli_json_sizes(p->layout.shape, p->layout.rank)));
}

int ranks_add_plan(json_t *list, int rank, int n, const ranks_array_name *names, const mst_mpi_part *parts,
                   const mst_mpi_needs *needs) {
    char sent[32], host[32];
    if (!list) {
        printf("rank %d: ", rank);
        for (int i = 0; i < n; i++)
            print_part(names[i][0], &parts[i]);
        printf("sends %llu message%s of %s, %s of work memory\n", (unsigned long long)needs->messages,
               needs->messages == 1 ? "" : "s", cli_size_text(needs->sent_bytes, sent), cli_size_text(needs->host_bytes, host));
        return 0;
    }
    json_t *object = json_object();
    int failed = 0;
    for (int i = 0; i < n; i++)
        failed |= add_part(object, names[i][1], &parts[i]);
    failed |= json_object_set_new(object, "messages", json_integer((json_int_t)needs->messages));
    failed |= json_object_set_new(object, "sent_bytes", json_integer((json_int_t)needs->sent_bytes));
    failed |= json_object_set_new(object, "host_bytes", json_integer((json_int_t)needs->host_bytes));
    return json_array_append_new(list, cli_json_complete(object, failed));
}

mst_location ranks_part_location(mst_location whole, const mst_layout *layout, const mst_mpi_part *part) {
    uint64_t element = 0;
    for (int k = 0; k < layout->rank; k++)
        element += part->start[k] * (uint64_t)layout->strides[k];
    if (whole.place == MST_PLACE_HOST) // what was read whole
        whole.host = (char *)whole.host + element * mst_type_bytes(layout->type);
    else
        whole.offset += element * mst_type_bytes(layout->type);
    return whole;
}
