// A pass as kernels for any length read it: in OpenCL C, where `cell` is long, and in C (any.h), where it is cl_long.
// All offsets in memory count real numbers, so that real and complex arrays are told apart by numbers alone.
enum {
    ANY_DIMS = 11,      // of the lines of a side
    ANY_RADICES = 16,   // of a pass
    ANY_LONGEST = 4096, // points of a transform
    ANY_TILE = 8192,    // numbers of a tile and of the room behind it,
    ANY_PRIME = 31      // for steps whose radices are above this, primes, which convolve
};

// How a tile is moved if its lines are found to allow it.
enum { ANY_BY_VALUES, ANY_BY_LANES, ANY_BY_ROWS, ANY_BY_REALS }; // reals: rows of numbers without imaginary parts

// What is done at the ends of a transform of n complex numbers that stand for 2 n real ones: results are combined to n
// + 1 numbers of their spectrum, or such a spectrum is split into the n. Alone: a line is a run of results and of their
// opposites. Even: the tile of a cosine or sine transform (any_even.cl). Of odd lengths n: of n results of real numbers
// n / 2 + 1 are kept, or the others are mirrors of these.
enum {
    ANY_WHOLE,
    ANY_COMBINE,
    ANY_SPLIT,
    ANY_KEEP,
    ANY_MIRROR,
    ANY_EVEN,
    ANY_COMBINE_ALONE,
    ANY_SPLIT_ALONE,
    ANY_EVEN_COMBINE_ALONE,
    ANY_EVEN_SPLIT_ALONE
};

enum { ANY_PLAIN, ANY_HERMITIAN };

typedef struct any_side {
    cell buffer;  // its number among the kernel's buffers
    cell scratch; // where it lies in the scratch memory of a work-item, with lines from a piece's first one on; -1: not
    cell lines_an_item; // of the whole array
    cell n_dims, last;  // lines are counted in C order over so many dimensions; last: the count of the last one
    cell counts[ANY_DIMS];
    cell starts[ANY_DIMS]; // from line to line along a dimension to where a line's element 0 lies: outer + position
                           // axis_stride
    cell outer[ANY_DIMS], positions[ANY_DIMS]; // the two parts of it (mst_view)
    cell axis_stride, step;                    // from position to position in memory; positions from element to element
    cell imaginary;                            // from real to imaginary part; 0: there is none
    cell way;
    cell lane_stride; // by lanes: from line to line
    cell wide;       // two tiles may be moved together: pairs side by side, of whole lines, and nothing happens to them
    cell neighbours; // by lanes: lines have neighbouring positions, by which numbers are treated
    cell n;          // elements that are moved
    cell element, axis_length, length, swap, factors; // mst_pass_op; factors: where in `numbers`, -1: none
    cell even, sine;                                  // mst_pass_op
} any_side;

typedef struct any_pass {
    cell n, n_steps, radices[ANY_RADICES];
    cell apart[ANY_RADICES]; // of a step: how far its elements are apart,
    cell
        inner[ANY_RADICES]; // how many neighbours have the same twiddles: 1, or in boxes the numbers of the axes behind
    cell tables[ANY_RADICES],
        odd[ANY_RADICES];      // where in `numbers`: the steps' twiddles; cosines and sines of a prime radix above 10
    cell places;               // where in `places`
    cell prime_m, prime_steps; // of a step that convolves (prime.h): points, 0: there is none; and the steps of these,
                               // which are behind the others
    cell prime_places, prime_results, prime_order; // behind `places`: where those leave results; of them, where those
                                                   // of the step are; and the order in which it takes numbers
    cell chirp,
        spectrum; // in `numbers`: what its numbers are multiplied by, -1: they are in order; and those in between
    cell rows,
        first_steps, // of boxes of real numbers: rows, 0: none; steps before the ends are treated, on first_n numbers,
        first_n, row_places; // behind which the later steps' lie; where in `places` those of a row are
    cell slots;              // of ANY_EVEN, in `places`: of the numbers of a line, coming and going
    cell near;               // how far apart results lie that a tile stores as a row, where that is one number; else 0
    cell ends, end_roots;    // ANY_WHOLE, ...; roots of unity for it, of a run where it is alone,
    cell run_roots;          // and those of its runs' beginnings
    cell lines_a_piece, run; // run: tiles do not cross multiples of it; 0: none
    cell joins; // so many runs fill tiles with what is left of each behind its whole ones; 0: each has one for it
    cell twiddled, column_dim, low, low_mask, low_shift, high, lanes; // twiddles between passes (pass_tables.h)
    cell scale;                                                       // in `numbers`, -1: 1
    cell several;                // tiles of short rows that are worked on at once: calls cost as much as they do
    cell strip;                  // neighbouring tiles of short columns that are worked on at once; 0: none
    cell columns;                // of such: each takes one step, in registers
    cell from_memory, to_memory; // of such: the first and last of several steps read and write memory
    cell wide;                   // tiles go by twos: a side is wide
    any_side source, target;
} any_pass;

// What a launch is told beside its buffers: one argument, since each costs a call as much as some hundred points do.
typedef struct any_call {
    cell passes_at, n_passes, places_at;          // in bytes of the tables, which begin with the numbers
    cell source_base, target_base;                // of the caller's arrays
    cell source_item, target_item, work_item;     // the first item, there and in work memory
    cell scratch_reals, n_pieces, joint, n_lines; // joint: pieces that a work-item takes together
    cell n_items;                                 // work-items, of all parts of a launch
} any_call;
