// What monitors and spectra share. SUM is the type that sums are made in.

// The place among `n` planes or rows from `first` on of number i of an axis that has `whole`: those that are held may
// lie across the faces of a periodic axis.
long place_of(long i, long first, long n, long whole) {
    i -= first;
    return i < 0 ? i + whole : i >= n ? i - whole : i;
}

long line_of(long plane, long row, long8 grid, long8 held) {
    return grid.s5 + place_of(plane, held.s0, held.s1, grid.s0) * grid.s4 +
           place_of(row, held.s2, held.s3, grid.s1) * grid.s3;
}

// Adds to a sum; what the sum lacks for being rounded is added up beside it (Knuth, The Art of Computer Programming,
// vol. 2, 4.2.2, theorem B).
void add_to(SUM *sum, SUM *rest, SUM value) {
    const SUM total = *sum + value, part = total - *sum;
    *rest += (*sum - (total - part)) + (value - part);
    *sum = total;
}

// NaN stays.
SUM larger_of(SUM a, real b) { return b > a || isnan(b) ? b : a; }
SUM smaller_of(SUM a, real b) { return b < a || isnan(b) ? b : a; }
