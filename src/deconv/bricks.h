// One image, or volume, that does not fit the device: bricks with halos, each of which runs all its iterations alone. An inner
// plan takes bricks as its items. What the whole decides, the mean that iterations start from and the size of rounding, is summed
// over the bricks before. What two neighbours make of the points at their seam is compared.
#ifndef MST_DECONV_BRICKS_H
#define MST_DECONV_BRICKS_H

#include "plan.h"

#include "stream/scratch.h"

// Points of a face that two bricks share, and what they differ by.
typedef struct mst_seam {
    void *face; // of the brick that came first; NULL: none has, or both have
} mst_seam;

struct mst_bricks {
    mst_deconvolution *inner; // NULL: to be made
    double halo;              // in reaches of the psf
    // Of the image at hand:
    size_t image;           // number of the batch
    double (*sums)[3];      // of each brick: values, how many, squares
    double mean, unit, rms; // of what was seen
    mst_seam *seams;     // [side][brick]: between that brick and the next one, behind the last the first where windows go round
    uint64_t begun;      // iterations of items when the execution of this image began
    double seam;         // the largest of the execution
    bool is_too_far;     // that, for what is allowed
    mst_scratch objects; // exact: the object between iterations,
    bool measures;       // and of points that are a brick's own, sums over the bricks of an iteration, in `unit`:
    double missed[2];    // of the squares of what is missed of the image, and of the image's
};

// One image of the batch.
typedef struct mst_brick_run {
    mst_deconvolution *plan;
    mst_location given[N_ARRAYS];
    mst_execution how;
    mst_report report, part;
} mst_brick_run;

// ---- brick_cut.c: by numbers only.
// Whether the whole may fit the budgets, if the transforms work in nothing.
bool mst_bricks_may_whole(const mst_deconvolution *plan);
// The quickest cut whose bricks take less than so many bytes; false if there is none.
bool mst_brick_cut_find(const mst_deconvolution *plan, double halo, uint64_t below, mst_brick_cut *cut);
uint64_t mst_brick_cut_bytes(const mst_deconvolution *plan, const mst_brick_cut *cut); // about, of one brick
size_t mst_brick_count(const mst_brick_cut *cut);
int64_t mst_brick_origin(const mst_deconvolution *plan, size_t item, int side); // place of an item's point 0 in the whole
size_t mst_brick_face(const mst_deconvolution *plan, int side);                 // points of a face across a side
size_t mst_brick_faces(const mst_deconvolution *plan);                          // and of all faces of a brick
// The port of a cut plan for an array of one image; or, exact, for the state that an iteration writes.
void mst_brick_windows(const mst_deconvolution *plan, int array, bool state, mst_port *port, mst_windows *windows);
// Points of the object along a side, which bricks share out: more than the image's, exact, where it goes on beyond that.
size_t mst_brick_object(const mst_deconvolution *plan, int side);

// ---- bricks.c
bool mst_bricks_take(const mst_deconvolution *plan, const mst_location *where); // arrays that lie there
mst_status mst_bricks_make(mst_deconvolution *plan, mst_error *error);          // plan->bricks, and its inner plan
mst_status mst_bricks_execute(mst_deconvolution *plan, const mst_location *given, const mst_execution *how, mst_error *error);
void mst_bricks_destroy(struct mst_bricks *bricks);
// One pass over all bricks, between `given`.
mst_status mst_bricks_run_stream(mst_brick_run *run, mst_stream *stream, const int *ports, mst_error *error);

// ---- exact.c: all iterations, each over all bricks; what `given` has for start and result is the object's place then.
mst_status mst_bricks_run_exact(mst_brick_run *run, mst_error *error);

// ---- look.c: of the inner plan
// The error where a brick does not fit the budgets.
mst_status mst_bricks_say_least(const mst_deconvolution *inner, uint64_t host, mst_error *error);
// Its streams, from the description of the one that writes the result.
mst_status mst_bricks_make_streams(mst_deconvolution *inner, const mst_stream_desc *desc, mst_error *error);
void mst_bricks_add_sums(struct mst_bricks *bricks); // of all bricks, when they have been looked at
// Tells that so many bricks are done, where iterations do not.
mst_status mst_bricks_report(mst_deconvolution *inner, size_t done, mst_error *error);
// What iterations of a block begin with.
mst_status mst_bricks_begin(mst_deconvolution *inner, const mst_block *block, mst_error *error);

// ---- seams.c
mst_status mst_bricks_compare(mst_deconvolution *inner, const mst_block *block, int which, mst_error *error);
void mst_seams_forget(const mst_deconvolution *inner, struct mst_bricks *bricks);

#endif
