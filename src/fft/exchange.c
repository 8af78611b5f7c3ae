#include "exchange.h"

#include "runtime/numbers.h"

#define GPU_BANKS_BYTES 128u // neighbouring ones of local memory that are accessed at once

static size_t numbers_in_banks(const mst_pass *pass) { return GPU_BANKS_BYTES / (pass->is_double ? 16 : 8); }

// Work-items of one line among neighbours that use different banks: others belong to the lines beside it.
static size_t line_neighbours(const mst_pass *pass) {
    size_t banks = numbers_in_banks(pass), own = pass->run == 1 ? banks / pass->lines : pass->threads;
    return mst_smaller(mst_larger(own, (size_t)1), banks);
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
        most = mst_larger(most, pass->n + (pass->n - 1) / e.block * e.gap);
    }
    return most;
}

// The transform and the one that goes back share this memory, so the larger need counts. Lines are so far apart that the
// neighbours of the next line use the banks behind those that the neighbours of this one use.
static size_t whole_numbers(const mst_pass *pass) {
    const mst_pass back = mst_pass_back(pass);
    size_t banks = numbers_in_banks(pass), most = mst_larger(most_numbers(pass), most_numbers(&back));
    return pass->lines == 1 ? most : most + (line_neighbours(pass) + banks - most % banks) % banks;
}

// Neighbouring work-items belong to the lines in turn, so that the 32 banks of local memory serve 32 / lines elements of each at
// once. With lines that many banks apart, and elements one further every 16, neither neighbours nor every 16th element, which
// radix 16 leaves, meet in a bank.
static bool takes_turns(const mst_pass *pass) { return pass->wide_elements && pass->lines > 1; }

unsigned mst_pass_pad_shift(const mst_pass *pass) {
    if (pass->n_box > 0)
        return pass->pad_shift;
    return pass->is_double || takes_turns(pass) ? 4 : 5;
}

size_t mst_pass_padded_reals(const mst_pass *pass) {
    size_t there = pass->exchange_parts == 4 ? pass->n / 2 : pass->n, reals = there + (there >> mst_pass_pad_shift(pass));
    if (takes_turns(pass))
        return mst_round_up(reals, (size_t)32) + mst_larger(32 / pass->lines, 1u);
    return reals | 1;
}

size_t mst_pass_staged_pitch(const mst_pass *pass) { return (pass->n + (pass->half != MST_HALF_NONE)) | 1; }

size_t mst_pass_own_reals(const mst_pass *pass) {
    size_t parts = pass->exchange_parts > 1 ? 1 : 2;
    size_t exchange = parts * (pass->whole_exchange ? whole_numbers(pass) : mst_pass_padded_reals(pass));
    if (pass->n_radices < 2)
        return pass->staged_load || pass->staged_store ? 2 * mst_pass_staged_pitch(pass) : 0;
    if (pass->staged_load || pass->staged_store)
        return mst_larger(exchange, 2 * mst_pass_staged_pitch(pass));
    return pass->convolution == MST_PASS_RADER ? mst_larger(exchange, 2 * (pass->n + 1)) : exchange;
}
