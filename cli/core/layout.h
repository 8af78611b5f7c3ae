#ifndef MASTABA_CLI_LAYOUT_H
#define MASTABA_CLI_LAYOUT_H

#include <mastaba/mastaba.h>

uint64_t cli_layout_bytes(const mst_layout *layout);

// Element i of an array of real numbers without gaps.
double cli_real_at(mst_type type, const void *values, size_t i);

#endif
