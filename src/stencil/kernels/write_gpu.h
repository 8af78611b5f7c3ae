// What the parts of the writer of GPU-shaped kernels share: see write_gpu.c.
#ifndef MST_STENCIL_WRITE_GPU_H
#define MST_STENCIL_WRITE_GPU_H

#include "exchange.h"
#include "names.h"
#include "write.h"

enum { MST_STENCIL_MOST_AHEAD = 8 };

// What updates read of a coefficient field, by its place from the plane that is being loaded and the nodes of the work-item.
typedef struct mst_coefficient_read {
    int field, offsets[N_AXES];
} mst_coefficient_read;

typedef struct mst_stencil_gpu_writer {
    const mst_writer *w;
    const mst_tile *tile;
    mst_text *out;
    bool is_boundary; // writing the boundary kernel
    int width, deep;  // columns and rows of a work-item
    int first, last;  // iterations, from the first of the strip's planes and from the one behind it
    mst_stencil_exchange exchange;
    int n_ahead; // reads of coefficient fields that are done an iteration ahead
    mst_coefficient_read ahead[MST_STENCIL_MOST_AHEAD];
} mst_stencil_gpu_writer;

// gpu_names.c: the names of a version's registers and of their component for a column: u_step1_plane0_row2, s3.
typedef char mst_register_name[MST_NAME_SIZE + 24];
void mst_stencil_gpu_name_register(const mst_stencil_gpu_writer *g, int version, int age, int row, mst_register_name out);
typedef char mst_component_name[4];
void mst_stencil_gpu_name_component(int column, mst_component_name out);

// gpu_choice.c: whether the tile is an interior one, which decides between the kernels; then the part of the strip.
void mst_stencil_gpu_write_choice(const mst_stencil_gpu_writer *g);

// gpu_exchange.c: the work-item's place in the tile and local memory; exchanging planes; and the vector that leaf i of a
// version's formula reads of another version for one of the work-item's rows, declared under the leaf's name.
void mst_stencil_gpu_write_place(const mst_stencil_gpu_writer *g);
void mst_stencil_gpu_write_exchange(const mst_stencil_gpu_writer *g);
void mst_stencil_gpu_write_neighbour(const mst_stencil_gpu_writer *g, const mst_field_version *v, size_t i, int row);

// gpu_coefficients.c: which reads of coefficient fields are done an iteration ahead, these reads, and the vector that a leaf of
// a version's formula reads for one of the work-item's rows, declared under the leaf's name.
void mst_stencil_gpu_choose_ahead(mst_stencil_gpu_writer *g);
void mst_stencil_gpu_write_first_coefficients(const mst_stencil_gpu_writer *g);
void mst_stencil_gpu_write_next_coefficients(const mst_stencil_gpu_writer *g);
void mst_stencil_gpu_write_coefficient(const mst_stencil_gpu_writer *g, const mst_field_version *v, const mst_leaf *leaf,
                                       int row);

// gpu_memory.c: reading planes of the state ahead; storing results. An input is loaded late if the plane that is loaded is not
// read before the next iteration, so that nothing waits for it; the others are loaded an iteration before.
bool mst_stencil_gpu_loads_late(const mst_stencil_gpu_writer *g, int input);
void mst_stencil_gpu_write_first_load(const mst_stencil_gpu_writer *g);
void mst_stencil_gpu_write_late_load(const mst_stencil_gpu_writer *g);
void mst_stencil_gpu_write_next_load(const mst_stencil_gpu_writer *g);
void mst_stencil_gpu_write_targets(const mst_stencil_gpu_writer *g);
void mst_stencil_gpu_write_store(const mst_stencil_gpu_writer *g, const mst_field_version *v, int row);
void mst_stencil_gpu_write_next_targets(const mst_stencil_gpu_writer *g);

// gpu_faces.c: which nodes of the work-item lie beyond faces; the values there and of sources; factors of sponges.
void mst_stencil_gpu_write_masks(const mst_stencil_gpu_writer *g);
void mst_stencil_gpu_write_faces(const mst_stencil_gpu_writer *g, const mst_field_version *v);
void mst_stencil_gpu_write_damping(const mst_stencil_gpu_writer *g);
void mst_stencil_gpu_write_points(const mst_stencil_gpu_writer *g, const mst_field_version *v);

#endif
