// Decides the radices and the shape of passes, and of their launches.
#include "exchange.h"
#include "half.h"
#include "prime.h"

#include "runtime/numbers.h"

#include <string.h>

#define GPU_GROUP 64u           // work-items of a work-group that small transforms share; twice as many for several lines
#define GPU_ROW_BYTES 64u       // where elements of a line are far apart, so many bytes of neighbouring lines are read together,
#define GPU_WIDE_ROW_BYTES 128u // or so many, if the work-group has no more work-items than
#define GPU_WIDEST_GROUP 256u   // this
#define GPU_SECTOR_BYTES 32u    // the least that memory moves: enough where elements are wide, in small work-groups
// Rows of up to so many work-items come and go by way of local memory, twice as many if numbers are real or become a spectrum of
// real ones.
#define GPU_STAGED_RUN 8u
#define GPU_LONE_RUN 4u                 // of up to so many always
#define GPU_REALS_GROUP 128u            // work-items of a work-group whose lines of real numbers come and go so
#define GPU_WHOLE_EXCHANGE_BYTES 36864u // local memory up to which real and imaginary parts are exchanged together
#define GPU_LONGEST_POWER 16384u        // the longest transform of one pass in float, half as long in double
#define GPU_FEW_TWIDDLES_FROM 512u      // passes with lines side by side have small tables of twiddles from this length on
#define GPU_SMALL_LENGTH 100u           // transforms up to this length have composite radices
#define GPU_SMALL_RADIX 16u             // of at most this,
#define GPU_LARGE_RADIX 25u             // longer ones of at most this; if fused, with registers for two operands and
#define GPU_FUSED_RADIX 16u             // what loading takes, of at most this,
#define GPU_FUSED_STEPS 3               // as long as so few steps do

#define HALF_MOST_HELD 32u    // numbers that a work-item holds in passes that combine or split, half as many in double
#define HALF_SHORT 256u       // up to here eight are preferred, beyond it 16
#define HALF_WIDE_FROM 16384u // from here on, where fewer would leave too few registers for as many work-items

#define CPU_LARGEST_RADIX 10u  // larger ones leave too few registers for vectors
#define CPU_VECTOR_BYTES 32u   // wider ones are halved by compilers, or leave too few registers for a radix-8 step
#define CPU_LOCAL_BYTES 36864u // of what a CPU reports: its local memory is ordinary memory, good while it stays in the cache

bool mst_pass_suits_cpu(const mst_device_info *device) {
    return !(device->type & CL_DEVICE_TYPE_GPU) && !device->local_memory_dedicated;
}

unsigned mst_pass_lanes(bool is_double) { return CPU_VECTOR_BYTES / (is_double ? 8 : 4); }

size_t mst_pass_local_limit(const mst_device_info *device) {
    size_t reported = (size_t)device->local_memory_bytes;
    return device->local_memory_dedicated || reported < CPU_LOCAL_BYTES ? reported : CPU_LOCAL_BYTES;
}

size_t mst_pass_longest(const mst_device_info *device, bool cpu, bool is_double) {
    if (cpu)
        return 4096;
    // One real number an element in local memory, padded, and at most 16 elements a work-item.
    size_t fits = is_double ? mst_pass_local_limit(device) / 8 * 16 / 17 : mst_pass_local_limit(device) / 4 * 32 / 33;
    size_t held = 16 * device->max_work_group_size;
    return mst_smaller(fits - 1, held);
}

// Beyond that, a power of two with 32 elements a work-item, as long as half a line of reals fits local memory.
// A work-group here has at most half as many work-items as the device allows, so that each of them may have twice the registers.
bool mst_pass_takes(const mst_device_info *device, bool cpu, bool is_double, size_t n) {
    if (n <= mst_pass_longest(device, cpu, is_double))
        return true;
    size_t number = is_double ? sizeof(double) : sizeof(float);
    return !cpu && (n & (n - 1)) == 0 && n * number <= GPU_LONGEST_POWER * sizeof(float) &&
           n / 32 <= device->max_work_group_size / 2 &&
           (n / 2 + n / (is_double ? 32 : 64) + 1) * number <= mst_pass_local_limit(device);
}

// Powers of two by few steps of radices that registers hold: 16 on GPUs, 8 on CPUs if nothing else is chosen.
static void factor_power_of_two(unsigned log_n, bool cpu, unsigned radix, unsigned *radices, int *count) {
    unsigned log_radix = radix == 4 ? 2 : radix == 16 ? 4 : 3;
    while (cpu && log_radix != 3 && log_n > 0) {
        unsigned log = log_n < log_radix ? log_n : log_radix;
        radices[(*count)++] = 1u << log;
        log_n -= log;
    }
    if (!cpu && log_n == 13) // too many work-items at 16 elements each
        radices[(*count)++] = 32, log_n = 8;
    if (!cpu && log_n == 14) {
        radices[(*count)++] = 32, radices[(*count)++] = 16, radices[(*count)++] = 32;
        return;
    }
    if (!cpu && log_n % 4 == 0 && log_n > 4) {
        for (; log_n; log_n -= 4)
            radices[(*count)++] = 16;
        return;
    }
    if (!cpu && log_n >= 7 && log_n != 9) { // 16s, and 8s or a 4 for the rest
        while (log_n > 4 && log_n % 3 != 0) {
            radices[(*count)++] = 16;
            log_n -= 4;
        }
    }
    while (log_n > 4 || log_n == 3) {
        radices[(*count)++] = 8;
        log_n -= 3;
    }
    if (log_n == 4) {
        radices[(*count)++] = 4;
        log_n = 2;
    }
    if (log_n > 0)
        radices[(*count)++] = 1u << log_n;
}

// All numbers up to 25 but primes can be made of others; primes cannot, and may be larger than `largest`.
static bool is_radix(unsigned r, unsigned largest) {
    bool prime = r == 11 || r == 13 || r == 17 || r == 19 || r == 23 || r == 29 || r == 31;
    return prime || r <= largest;
}

// The fewest radices, none above `most` and composite ones of at most `largest`, whose product is n; of several ways the one with
// the smallest sum. `best` is filled from the front; returns their number, or more than MST_PASS_RADICES if there is no way.
static int factor_search(size_t n, unsigned largest, unsigned most, unsigned *best) {
    int fewest = MST_PASS_RADICES + 1;
    unsigned least = 0;
    if (n == 1)
        return 0;
    for (unsigned r = most; r >= 2; r--) {
        unsigned rest[MST_PASS_RADICES + 1], sum = r;
        if (n % r != 0 || !is_radix(r, largest))
            continue;
        int count = 1 + factor_search(n / r, largest, r, rest + 1);
        if (count > MST_PASS_RADICES)
            continue;
        rest[0] = r;
        for (int k = 1; k < count; k++)
            sum += rest[k];
        if (count < fewest || (count == fewest && sum < least)) {
            fewest = count;
            least = sum;
            memcpy(best, rest, (size_t)count * sizeof *best);
        }
    }
    return fewest;
}

bool mst_pass_factor(size_t n, bool cpu, unsigned radix, unsigned *radices, int *n_radices) {
    *n_radices = 0;
    if (n == 0)
        return false;
    if ((n & (n - 1)) == 0) {
        unsigned log_n = 0;
        while (((size_t)1 << log_n) < n)
            log_n++;
        factor_power_of_two(log_n, cpu, radix, radices, n_radices);
        return true;
    }
    unsigned found[MST_PASS_RADICES + 1];
    unsigned largest = cpu ? CPU_LARGEST_RADIX : n > GPU_SMALL_LENGTH ? GPU_LARGE_RADIX : GPU_SMALL_RADIX;
    int count = factor_search(n, largest, MST_PASS_MAX_PRIME, found);
    if (count > MST_PASS_RADICES)
        return false;
    memcpy(radices, found, (size_t)count * sizeof *radices);
    *n_radices = count;
    return true;
}

static bool factor_fused(mst_pass *pass) {
    unsigned found[MST_PASS_RADICES + 1];
    if ((pass->n & (pass->n - 1)) == 0)
        return false;
    int count = factor_search(pass->n, GPU_FUSED_RADIX, MST_PASS_MAX_PRIME, found);
    if (count > GPU_FUSED_STEPS)
        return false;
    memcpy(pass->radices, found, (size_t)count * sizeof *found);
    pass->n_radices = count;
    return true;
}

static bool elements_adjacent(const mst_view *v) { return (int64_t)v->step * v->axis_stride == 1; }

static size_t local_bytes(const mst_pass *pass) {
    return mst_pass_own_reals(pass) * pass->areas * pass->lines * (pass->is_double ? sizeof(double) : sizeof(float));
}

unsigned mst_pass_choose_threads(const mst_pass *pass, unsigned held, unsigned most_held, size_t limit) {
    unsigned best = 0;
    size_t least = SIZE_MAX;
    for (int s = 0; s < pass->n_radices; s++)
        held = mst_larger(held, pass->radices[s]);
    for (; best == 0 && held <= most_held; held *= 2)
        for (unsigned t = 1; t <= limit; t++) {
            size_t work = 0, most = 0;
            for (int s = 0; s < pass->n_radices; s++) {
                size_t mine = mst_pass_rounds(pass, s, t) * pass->radices[s];
                work += mine * t;
                most = mst_larger(most, mine);
            }
            if (most <= held && work < least) {
                least = work;
                best = t;
            }
        }
    return best;
}

// Real numbers are transformed as complex ones, of whose spectrum half is kept.
static bool has_reals(const mst_pass *pass) {
    return (pass->load.element == MST_ELEMENT_REAL || pass->store.element == MST_ELEMENT_REAL) && !mst_pass_halves(pass);
}

static unsigned choose_threads(const mst_pass *pass, const mst_device_info *device) {
    const size_t limit = mst_smaller(mst_smaller(device->max_work_group_size, (size_t)1024), pass->n);
    const bool real = has_reals(pass);                                     // less is moved for the same work
    const bool through_real = pass->fused && pass->half == MST_HALF_SPLIT; // two transforms of such
    const unsigned held = !pass->is_double && (pass->n >= 1024 || (real && pass->n >= 512) || through_real) ? 16 : 8;
    return mst_pass_choose_threads(pass, held, 64, limit);
}

// A butterfly behind an exchange takes half of its elements from before the middle of the line.
static bool can_halve(const mst_pass *pass) {
    for (int s = 1; s < pass->n_radices; s++)
        if (pass->radices[s] % 2 != 0)
            return false;
    return !pass->fused;
}

// Local memory is taken from the cache, which also holds the tables, and the lines that are read piece by piece. So where lines
// lie side by side the exchange goes in parts, which take less local memory, although each part costs two barriers.
static void choose_exchange(mst_pass *pass, const mst_device_info *device, bool wide) {
    size_t limit = mst_pass_local_limit(device), most = mst_smaller(limit, (size_t)GPU_WHOLE_EXCHANGE_BYTES);
    pass->exchange_parts = 1;
    pass->whole_exchange = pass->fused && !pass->wide_elements;
    pass->areas = pass->whole_exchange && pass->two_operands ? 2 : 1;
    if (local_bytes(pass) > most)
        pass->areas = 1;
    if (local_bytes(pass) <= most && (!wide || pass->fused))
        return;
    pass->whole_exchange = false;
    pass->exchange_parts = 2;
    if (can_halve(pass) && (!wide || pass->n_radices == 2 || local_bytes(pass) > limit))
        pass->exchange_parts = 4;
}

// Whether lines pass through local memory: where a work-item holds a whole one, or several have it in runs of neighbours that are
// no whole sectors, or very short; of real numbers and their spectra, always, if few have it. Real numbers that become a
// spectrum by the parts of complex ones are read as they lie: staging them was measured to be slower.
static void choose_staging(mst_pass *pass, bool rows_in, bool rows_out, size_t limit) {
    const bool real = has_reals(pass), even = pass->load.even || pass->store.even;
    const bool to_spectrum = pass->half == MST_HALF_COMBINE;
    const unsigned most = real || to_spectrum ? 2 * GPU_STAGED_RUN : GPU_STAGED_RUN;
    const unsigned sector = GPU_SECTOR_BYTES / (pass->is_double ? 16 : 8);
    const bool parts = pass->threads % sector != 0 || pass->n % sector != 0 || pass->threads <= GPU_LONE_RUN;
    const bool whole = pass->n > 1 && !pass->fused && rows_in && rows_out;
    const bool fits = 2 * mst_pass_staged_pitch(pass) * (pass->is_double ? sizeof(double) : sizeof(float)) <= limit;
    const bool runs = whole && fits && pass->threads <= most && !even && pass->twiddle_n == 0;
    pass->staged_load = whole && (pass->threads == 1 || (runs && (real || parts) && !to_spectrum));
    pass->staged_store = whole && (pass->threads == 1 || (runs && (real || parts || to_spectrum)));
}

static mst_status shape_gpu(mst_pass *pass, const mst_device_info *device, mst_error *error) {
    unsigned most = (unsigned)mst_smaller(device->max_work_group_size, (size_t)1024);
    unsigned group = pass->choice.group ? pass->choice.group : GPU_GROUP;
    unsigned number = pass->is_double ? 16 : 8, adjacent = GPU_ROW_BYTES / number, wide_row = GPU_WIDE_ROW_BYTES / number;
    bool rows_in = elements_adjacent(&pass->source), rows_out = elements_adjacent(&pass->target);
    pass->threads = choose_threads(pass, device);
    if (pass->threads == 0)
        return mst_fail(error, MST_ERROR_UNSUPPORTED, "no work-group of %s holds a transform of length %zu", device->name,
                        pass->n);
    pass->lines = 1;
    bool wide = !rows_in || !rows_out;
    if (pass->wide_elements) {
        adjacent = wide_row = GPU_SECTOR_BYTES / (2 * number);
        group /= 2;
    }
    while (pass->lines * pass->threads < (wide ? 2 * group : group) || (wide && pass->lines < adjacent) ||
           (wide && pass->lines < wide_row && 2 * pass->lines * pass->threads <= GPU_WIDEST_GROUP))
        pass->lines *= 2;
    choose_staging(pass, rows_in, rows_out, mst_pass_local_limit(device));
    pass->areas = pass->exchange_parts = 1; // what choose_exchange begins with
    while (has_reals(pass) && pass->staged_load && pass->lines * pass->threads < GPU_REALS_GROUP &&
           2 * local_bytes(pass) <= GPU_WHOLE_EXCHANGE_BYTES)
        pass->lines *= 2;
    pass->load_run = rows_in ? pass->threads : 1;
    pass->run = rows_out ? pass->threads : 1;
    if (pass->fused)
        pass->load_run = pass->run;
    choose_exchange(pass, device, wide);
    while (pass->lines > 1 && (local_bytes(pass) > mst_pass_local_limit(device) || pass->lines * pass->threads > most))
        pass->lines /= 2;
    if (local_bytes(pass) > mst_pass_local_limit(device))
        return mst_fail(error, MST_ERROR_UNSUPPORTED, "a transform of length %zu does not fit the local memory of %s", pass->n,
                        device->name);
    return MST_OK;
}

// Radices of float transforms on GPUs that were measured to be faster than the general rule's: for lines whose elements are
// neighbours in memory (rows), and for lines that are neighbours themselves. A single radix is staged and needs no exchange;
// 32 x 32 needs one exchange and few work-items, so that a work-group has many lines.
static const struct {
    size_t n;
    bool rows;
    int n_radices;
    unsigned radices[3];
} measured[] = {{32, true, 1, {32}}, {128, true, 3, {8, 4, 4}}, {256, true, 3, {4, 8, 8}}, {1024, false, 2, {32, 32}}};

// A way to radices of a pass that combines or splits.
typedef struct half_way {
    unsigned radices[MST_PASS_RADICES + 1], held, sum;
    int n_radices;
} half_way;

// With `paired` as the radix of the paired step (mst_pass_paired_step), of which a work-item takes two butterflies at once,
// behind the others; false if there are no others that make n.
static bool half_way_of(size_t n, unsigned paired, half_way *way) {
    bool wide = n >= HALF_WIDE_FROM && n % (32 * paired) == 0;
    *way = (half_way){.held = paired == n ? paired : 2 * paired, .sum = paired};
    if (n % paired != 0 || !(is_radix(paired, GPU_LARGE_RADIX) || paired == 32) || (paired == 1 && n > 1))
        return false;
    way->radices[0] = 32;
    if (paired < n && !mst_pass_factor(n / paired / (wide ? 32 : 1), false, 0, way->radices + wide, &way->n_radices))
        return false;
    way->n_radices += wide;
    for (int k = 0; k < way->n_radices; k++) {
        way->held = mst_larger(way->held, way->radices[k]);
        way->sum += way->radices[k];
    }
    if (way->n_radices >= MST_PASS_RADICES)
        return false;
    way->radices[way->n_radices++] = paired;
    return true;
}

// The fewest steps of those that hold no more than is preferred, then the fewest numbers. In the order of COMBINE: the paired
// step is the last.
static bool choose_half_radices(mst_pass *pass) {
    const unsigned most = pass->is_double ? HALF_MOST_HELD / 2 : HALF_MOST_HELD;
    const bool power = (pass->n & (pass->n - 1)) == 0;
    const unsigned preferred = !power ? GPU_LARGE_RADIX : pass->n <= HALF_SHORT ? 8 : 16;
    half_way way, best = {.n_radices = 0};
    for (unsigned paired = most; paired >= 1; paired--) {
        if (!half_way_of(pass->n, paired, &way) || way.held > most)
            continue;
        bool worse = way.held > preferred && paired<pass->n, was_worse = best.held> preferred && best.n_radices > 1;
        bool better = worse != was_worse                ? was_worse
                      : way.n_radices != best.n_radices ? way.n_radices < best.n_radices
                      : way.held != best.held           ? way.held < best.held
                                                        : way.sum < best.sum;
        if (best.n_radices == 0 || better)
            best = way;
    }
    memcpy(pass->radices, best.radices, sizeof pass->radices);
    pass->n_radices = best.n_radices;
    return best.n_radices > 0;
}

bool mst_pass_choose_radices(mst_pass *pass) {
    bool rows = elements_adjacent(&pass->source) && elements_adjacent(&pass->target);
    pass->few_twiddles = !pass->cpu && !rows && !pass->fused && pass->n >= GPU_FEW_TWIDDLES_FROM;
    if (mst_pass_halves(pass)) {
        const mst_pass_half half = pass->half;
        pass->half = MST_HALF_COMBINE;
        bool found = choose_half_radices(pass);
        if (half == MST_HALF_SPLIT)
            *pass = mst_pass_back(pass);
        return found;
    }
    for (size_t k = 0; k < MST_COUNT(measured) && !pass->cpu && !pass->is_double; k++)
        if (pass->n == measured[k].n && rows == measured[k].rows && !(rows && pass->fused)) {
            memcpy(pass->radices, measured[k].radices, sizeof measured[k].radices);
            pass->n_radices = measured[k].n_radices;
            return true;
        }
    if (pass->fused && !pass->cpu && factor_fused(pass))
        return true;
    if (!mst_pass_factor(pass->n, pass->cpu, pass->choice.radix, pass->radices, &pass->n_radices))
        return pass->primes && mst_prime_factor(pass->n, pass->radices, &pass->n_radices);
    if (pass->n_radices == 0) // length 1
        pass->radices[pass->n_radices++] = 1;
    return true;
}

mst_status mst_pass_shape(mst_pass *pass, const mst_device_info *device, mst_error *error) {
    if (!pass->cpu)
        return shape_gpu(pass, device, error);
    pass->lanes = pass->choice.lanes ? pass->choice.lanes : mst_pass_lanes(pass->is_double);
    return MST_OK;
}
