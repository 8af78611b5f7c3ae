// Where the complex numbers of a line lie in local memory between two steps of a fused pass.
#include "pass.h"

#define GPU_BANKS_BYTES 128u // neighbouring ones of local memory that are accessed at once

static size_t numbers_in_banks(const mst_pass *pass) { return GPU_BANKS_BYTES / (pass->is_double ? 16 : 8); }

// Work-items of one line among neighbours that use different banks: others belong to the lines beside it.
static size_t line_neighbours(const mst_pass *pass) {
    size_t banks = numbers_in_banks(pass), own = pass->run == 1 ? banks / pass->lines : pass->threads;
    return own < 1 ? 1 : own < banks ? own : banks;
}

// A step leaves runs of `span` neighbours, span * radix apart: with a gap after each they follow one another in the banks.
mst_exchange mst_pass_exchange(const mst_pass *pass, int step) {
    size_t banks = numbers_in_banks(pass), span = 1, r = pass->radices[step];
    for (int k = 0; k < step; k++)
        span *= pass->radices[k];
    mst_exchange e = {.block = span * r};
    if (span == 1) {
        e.gap = r % 2 == 0;
        while ((r & (r - 1)) == 0 && e.block < line_neighbours(pass))
            e.block *= 2;
    } else if (span < banks) {
        e.gap = (span + banks - e.block % banks) % banks;
    }
    return e;
}

static size_t most_numbers(const mst_pass *pass) {
    size_t most = pass->n;
    for (int s = 0; s + 1 < pass->n_radices; s++) {
        mst_exchange e = mst_pass_exchange(pass, s);
        size_t count = pass->n + (pass->n - 1) / e.block * e.gap;
        most = count > most ? count : most;
    }
    return most;
}

// There and back take the same place. Lines beside one another continue one another in the banks.
size_t mst_pass_exchange_numbers(const mst_pass *pass) {
    const mst_pass back = mst_pass_back(pass);
    size_t banks = numbers_in_banks(pass), there = most_numbers(pass), most = most_numbers(&back);
    most = there > most ? there : most;
    return pass->lines == 1 ? most : most + (line_neighbours(pass) + banks - most % banks) % banks;
}
