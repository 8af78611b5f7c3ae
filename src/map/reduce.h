// Maps whose expressions hold reductions: sum(a * b) / sum(b). What stands in the parentheses is computed for every element and
// reduced, along some axes or all; what stands around them is computed from the results, and is the output.
//
// How elements are put together depends on the shape and the axes alone, so that the same bits come out whatever the blocks, the
// budgets and the number of devices (tiles.c). A tile of elements becomes a partial result; as many of these as a tile of partial
// results has become one again, until one is left.
#ifndef MST_MAP_REDUCE_H
#define MST_MAP_REDUCE_H

#include "plan.h"

typedef enum mst_map_reduction_kind {
    MST_MAP_SUM,
    MST_MAP_PRODUCT,
    MST_MAP_MEAN,
    MST_MAP_LEAST,
    MST_MAP_LARGEST,
    MST_MAP_WHERE_LEAST, // the first place
    MST_MAP_WHERE_LARGEST,
    MST_MAP_ANY,
    MST_MAP_ALL,
    MST_MAP_COUNT,
    MST_MAP_VARIANCE,
    MST_MAP_DEVIATION
} mst_map_reduction_kind;

typedef struct mst_map_reduction {
    mst_map_reduction_kind kind;
    int root;      // of the plan: what is reduced
    mst_type type; // in which it is
    mst_type result;
} mst_map_reduction;

// Elements of a tile. Along the last axis a tile's 1024 elements are summed in 32 lanes, which are then added pairwise; along
// another axis its 256 are summed in runs of 16, as are the 256 partial results that become one.
enum { MST_MAP_LANES = 32, MST_MAP_TILE = 1024, MST_MAP_RUN = 16, MST_MAP_COLUMN_TILE = 256 };

// The innermost reduced axes of a box, as one, with what stands before and behind them: elements [outer][length][inner].
typedef struct mst_map_span {
    size_t outer, length, inner;
    uint64_t each, total; // elements of the array in one of them (but for the last one), and in all
} mst_map_span;

// A part of the array, in which all reduced axes are whole.
typedef struct mst_map_box {
    size_t begin[MST_MAX_RANK], shape[MST_MAX_RANK];
    bool begun; // it is not the one before the first
} mst_map_box;

typedef enum mst_map_reducer {
    MST_MAP_TILES,
    MST_MAP_TILES_STRIDED,
    MST_MAP_COMBINE,
    MST_MAP_FINISH,
    MST_MAP_N_REDUCERS
} mst_map_reducer;

// Tiles from number `first` on that a device has reduced.
typedef struct mst_map_done {
    uint64_t first, n;
} mst_map_done;

typedef struct mst_map_reduce {
    int n;
    mst_map_reduction reductions[MST_MAP_MAX_REDUCTIONS + 1]; // room for one that may be equal to another
    bool reduced[MST_MAX_RANK];
    bool all, keep_axes; // axes are reduced; reduced ones stay, of length 1
    int64_t ddof;
    struct mst_map_apart *apart; // NULL: kernels are compiled for the expression
    uint64_t count;              // elements that become one
    mst_expr *finish;
    mst_expr_root results[MST_MAP_MAX_OUTPUTS];
    bool wide;    // numbers of elements are inverted in double whatever is reduced
    bool columns; // the last axis that has more than one element is not reduced
    mst_text texts[MST_MAP_N_REDUCERS];
    mst_kernel *kernels[MST_MAP_N_REDUCERS];
    size_t box[MST_MAX_RANK]; // the largest part that is worked on at once
    uint64_t partial_bytes[2];
    cl_mem partials[2];

    // Of the box that is worked on now
    mst_map_box now;
    mst_map_span span;
    mst_map_done *done;
    size_t n_done, room_done;
    cl_mem lines[MST_MAP_MAX_PORTS + 1];
} mst_map_reduce;

// reduce_text.c: the reductions in the plan's expressions; plan->reduce stays NULL without any.
mst_status mst_map_reduce_find(mst_map *plan, const mst_map_desc *desc, mst_error *error);
// The next reduction in a text: its kind, and where its name begins, what is in its parentheses, and where it ends (0: the
// closing one is missing). False: none.
typedef struct mst_map_call {
    mst_map_reduction_kind kind;
    size_t begin, inside, length, end;
} mst_map_call;
bool mst_map_next_reduction(const char *text, size_t from, mst_map_call *call);
size_t mst_map_find_end(const char *text, size_t at, int *commas); // the closing parenthesis from behind the opening one

// reduce_read.c: types and shapes.
mst_status mst_map_reduce_read(mst_map *plan, const mst_map_desc *desc, mst_error *error);
// The type in which elements of another are put together (`named`: in which all takes place, or 0); an expression's; a mistake.
mst_type mst_map_taken_type(mst_map_reduction_kind kind, mst_type type, mst_type named);
mst_status mst_map_type_of(const mst_expr *parsed, const mst_expr_typing *typing, mst_type *type, mst_error *error);
mst_status mst_map_refuse_at(const char *text, size_t at, const char *message, mst_error *error);
mst_layout mst_map_reduced_shape(const mst_map *plan, int output);
static inline mst_type mst_map_result(const mst_map *plan, int output) {
    return plan->reduce ? plan->reduce->results[output].type : plan->roots[output].type;
}
bool mst_map_computes_double(const mst_map *plan);

// reduce_parts.c: a partial result consists of up to three numbers, whose types in OpenCL C are these.
int mst_map_n_parts(const mst_map_reduction *r);
int mst_map_all_parts(const mst_map_reduce *reduce);
const char *mst_map_part_type(const mst_map_reduction *r, int part);
// reduce_write.c
unsigned mst_map_column_step(const mst_map *plan, mst_map_form form); // columns of one work-item
mst_status mst_map_reduce_write(const mst_map *plan, mst_map_reducer which, mst_text *t, mst_error *error);

// reduce_plan.c
mst_status mst_map_reduce_prepare(mst_map *plan, mst_error *error);
mst_status mst_map_reducer_find(mst_map *plan, mst_map_reducer which, mst_error *error); // if it need not be compiled
mst_status mst_map_make_partials(mst_map *plan, mst_error *error);
mst_status mst_map_reducer_build(mst_map *plan, mst_map_reducer which, const mst_kernel **out, mst_error *error);
void mst_map_reduce_destroy(mst_map *plan);
void mst_map_reduce_release_lines(mst_map *plan);
uint64_t mst_map_box_outputs(const mst_map *plan, const mst_map_box *box);
uint64_t mst_map_combined(const mst_map_span *span); // partial results that a combination makes

// reduce_outputs.c
typedef struct mst_map_box_output {
    mst_layout layout; // of the box's part of the output, with an axis of length 1 behind the others
    mst_location where;
    cl_mem buffer, lines;
    cl_long base;
    uint64_t bytes; // of memory made for it, 0: the caller's buffer
} mst_map_box_output;
mst_location mst_map_moved(mst_location where, int64_t bytes);
void mst_map_describe_output(const mst_map *plan, int k, const mst_map_box *box, const mst_location *where,
                             mst_map_box_output *out);
mst_status mst_map_place_output(mst_map *plan, uint64_t n, mst_map_box_output *out, mst_error *error);
mst_status mst_map_launch_finish(mst_map *plan, int in, uint64_t outputs, mst_map_box_output *out, mst_queue *queue,
                                 mst_error *error);
mst_status mst_map_bring_output(mst_map *plan, const mst_map_box_output *out, mst_queue *queue, mst_error *error);

// reduce.c
mst_status mst_map_reduce_execute(mst_map *plan, const mst_location *inputs, const mst_location *outputs,
                                  const mst_execution *how, mst_error *error);

#endif
