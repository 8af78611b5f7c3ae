// Boxes: passes that transform two or three axes at once (box.c, write_box.c).
#ifndef MST_FFT_BOX_H
#define MST_FFT_BOX_H

#include "exchange.h"

// One step: butterflies of a radix along one axis. Numbers of the box are counted in C order.
typedef struct mst_box_step {
    int number, axis;
    size_t n, inner; // the axis' length, and how far its elements are apart
    size_t span;     // the product of the radices before, of this axis
    unsigned radix;
    size_t table_at; // where its twiddles begin
} mst_box_step;

mst_box_step mst_box_step_at(const mst_pass *pass, int number);

// The first number that butterfly j of all takes, and the first place where its results go; the others are n / radix and span
// elements of the axis apart.
size_t mst_box_from(const mst_box_step *step, size_t j);
size_t mst_box_to(const mst_box_step *step, size_t j);

// Decides radices, work-items and local memory of a pass whose box, length, precision are set; false if it is too large.
bool mst_box_shape(mst_pass *pass, const mst_device_info *device);

#endif
