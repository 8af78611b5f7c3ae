// The kernels of sweeps, and their launch: a step of the whole grid, which stays on the device.
#ifndef MST_STENCIL_SWEEPER_H
#define MST_STENCIL_SWEEPER_H

#include "stepper.h"
#include "sweep.h"

// The memory of a grid: arrays of the state in their order, those that are spare, and the coefficient fields; all padded. A step
// changes which memory is which array.
typedef struct mst_sweep_state {
    cl_mem arrays[MST_STENCIL_MAX_ARRAYS], spares[2 * MST_STENCIL_MAX_FIELDS], coefficients[MST_STENCIL_MAX_FIELDS];
} mst_sweep_state;

// How sweeps of several steps follow one another: so many steps at a time, each sweep so many planes behind the one before, and
// so many planes of each sweep in turn; by launches, or in tiles.
typedef struct mst_stagger {
    int64_t steps, planes, lag;
    int64_t tiles; // not 0: work-groups, each of which does the steps of its planes,
    int64_t rows;  // and so many rows at a time, of whose lines parts of so many columns follow one another in all these planes
    int64_t columns;
} mst_stagger;

enum { MST_SWEEPER_WAYS = 5 };                             // at most
enum { MST_SWEEPER_MOST_SWEEPS = MST_STENCIL_MAX_FIELDS }; // that are staggered: those of a step, or of several

typedef struct mst_sweeper {
    mst_context *context;
    const mst_point_list *points;
    const mst_stepper_tables *tables;
    mst_sweeps sweeps;
    bool shares;         // launches go to all parts of a processor: where sweeps are measured on a part of the grid, too
    mst_stagger stagger; // one of the ways
    mst_stagger ways[MST_SWEEPER_WAYS];
    int n_ways;
    const mst_program *program;                   // the context's
    bool has_key;                                 // there is a cache
    mst_cache_key key;                            // of the kernels' text
    mst_kernel *sweep[MST_STENCIL_MAX_FIELDS][4]; // mst_sweep_of
    mst_kernel *time_tiles;                       // NULL: no way needs it
    // For arrays of the scheme's elements, and of float16; NULL: there are none of those.
    mst_kernel *margin[MST_STENCIL_MAX_FIELDS + 1][2]; // of a set of boundaries
    mst_kernel *coefficient_margin[2], *add_sources[2], *record_receivers[2];
    mst_kernel *copy_around[2];
    mst_kernel **add_region; // of the problem's regions
} mst_sweeper;

// What sweeps are over: the whole grid, by tiles if it is large; parts of its planes; tiles, however small it is, where these are
// possible; or on a GPU the whole grid but for a hole.
typedef enum mst_sweeper_use { MST_SWEEPER_WHOLE, MST_SWEEPER_PARTS, MST_SWEEPER_TILES, MST_SWEEPER_AROUND } mst_sweeper_use;

static inline int64_t mst_sweeper_units(const mst_sweeper *sweeper) {
    return sweeper->shares ? sweeper->context->units : sweeper->context->device.compute_units;
}

// Writes and builds, for as many steps as are expected (0: not known). `tables` are first looked at when steps are enqueued.
// Release accepts half-built ones.
mst_status mst_sweeper_create(mst_context *context, const mst_problem *problem, const mst_point_list *points,
                              const mst_stepper_tables *tables, mst_stencil_shape shape, mst_sweeper_use use, uint64_t steps,
                              mst_sweeper *out, mst_error *error);
void mst_sweeper_release(mst_sweeper *sweeper);

// The ways to follow one another that are worth measuring: plain, and on a CPU several steps at a time.
mst_status mst_sweeper_find_ways(mst_sweeper *sweeper, mst_error *error);

// Takes a way that was measured on a part of the planes, with as many tiles as suit the grid; plain where none do.
void mst_sweeper_take_way(mst_sweeper *sweeper, const mst_stagger *measured);

// Sweeps one after the other over all planes.
mst_stagger mst_sweeper_plain(const mst_sweeper *sweeper);

// The layout of arrays as kernels take it: s0, s1, s2: planes, rows, columns; s3, s4: elements from row to row and from plane to
// plane; s5: element of the first node.
cl_long8 mst_sweeps_grid(const mst_sweeps *sweeps);
// And where those of several runs lie (write_sweep.h).
cl_long8 mst_sweeps_runs(const mst_sweeps *sweeps);

// Planes of the grid that lie one behind the other in memory, with the margins around them: node (0, 0, 0) has element `first`,
// or would have it. The margins beyond the planes' faces are behind those that are like them, unless the planes are `inner`: then
// both sides of any plane are planes.
typedef struct mst_sweep_part {
    int64_t from, to, first;
    bool inner;
    mst_box hole;     // outside layers, whose nodes are left out by sweeps that are made for that
    mst_box recorded; // whose receivers are others'
} mst_sweep_part;

// The whole grid.
mst_sweep_part mst_sweeps_whole(const mst_sweeps *sweeps);

// The planes that margins beyond the lower face of the planes' axis are like, and which follow as a whole are behind a part.
int64_t mst_sweeps_reach(const mst_sweeps *sweeps, int side);
bool mst_sweep_part_ends(const mst_sweeps *sweeps, const mst_sweep_part *part, int side);

// Enqueues the filling of all margins of a part, for a state whose next step has that row of the tables.
mst_status mst_sweeper_fill_margins(const mst_sweeper *sweeper, mst_queue *queue, const mst_sweep_state *state, uint64_t row,
                                    const mst_sweep_part *part, mst_error *error);

// The state behind sweep k of a step, which changes what memory is what array.
void mst_sweeper_rotate(const mst_sweeper *sweeper, int k, mst_sweep_state *state);

// Enqueues sweep k over a part, with what sources add there and receivers get, and fills the margins if they change. `state` is
// that before, `after` that behind the sweep; the step has that row of the tables.
mst_status mst_sweeper_sweep(const mst_sweeper *sweeper, mst_queue *queue, int k, mst_sweep_state *state,
                             const mst_sweep_state *after, uint64_t row, const mst_sweep_part *part, mst_error *error);

// Enqueues the sweeps of several steps by tiles.
mst_status mst_sweeper_time_tiles(const mst_sweeper *sweeper, mst_queue *queue, mst_sweep_state *state, int n_sweeps,
                                  uint64_t row, mst_error *error);

// Enqueues n steps, the first of which has that row of the tables. The margins are filled, before and after.
mst_status mst_sweeper_steps(const mst_sweeper *sweeper, mst_queue *queue, mst_sweep_state *state, uint64_t n, uint64_t row,
                             mst_error *error);

#endif
