// Which lines of a piece a tile has, counted from the piece's first one: `count` neighbours from `first` on. Or, where
// `left` is not 0, of the lines that runs have left over, so many each and from `first` on in the first of these runs,
// those from number `at` on.
typedef struct lines_of_tile {
    ulong first;
    uint count, left, at;
} lines_of_tile;

// What a pass's lines are cut into: tiles do not cross multiples of `run`, before the first of which are `before`
// lines. What is left of a run behind its whole tiles is one of its own, or, where `joins` runs fill tiles with what
// they have left, part of one of these, which come behind the whole tiles of so many runs.
typedef struct cut {
    ulong n_lines, before, run, joins;
} cut;

cut cut_lines(__global const any_pass *p, ulong n_lines, ulong first_line) {
    const ulong run = (ulong)p->run, before = run ? first_line % run : 0;
    const bool joined = p->joins && before == 0 && n_lines % run == 0;
    return (cut){n_lines, before, run, joined ? (ulong)p->joins : 0};
}

ulong tiles_of_runs(const cut *c, ulong runs) {
    return runs * (c->run / LANES) + (runs * (c->run % LANES) + LANES - 1) / LANES;
}

ulong count_tiles(const cut *c) {
    if (c->run == 0)
        return (c->n_lines + LANES - 1) / LANES;
    if (c->joins == 0)
        return (c->before + c->n_lines + c->run - 1) / c->run * ((c->run + LANES - 1) / LANES);
    const ulong runs = c->n_lines / c->run;
    return runs / c->joins * tiles_of_runs(c, c->joins) + tiles_of_runs(c, runs % c->joins);
}

lines_of_tile find_joined(const cut *c, ulong tile) {
    const ulong whole = c->run / LANES, left = c->run % LANES, each = tiles_of_runs(c, c->joins), block = tile / each;
    const ulong in = tile - block * each, first = block * c->joins, runs = min(c->joins, c->n_lines / c->run - first);
    if (in < runs * whole)
        return (lines_of_tile){(first + in / whole) * c->run + in % whole * LANES, LANES, 0, 0};
    const ulong at = (in - runs * whole) * LANES;
    return (lines_of_tile){first * c->run + whole * LANES, (uint)min((ulong)LANES, runs * left - at), (uint)left,
                           (uint)at};
}

lines_of_tile find_tile(const cut *c, ulong tile) {
    if (c->joins)
        return find_joined(c, tile);
    if (c->run == 0)
        return (lines_of_tile){tile * LANES, (uint)min((ulong)LANES, c->n_lines - tile * LANES), 0, 0};
    const ulong tiles_a_run = (c->run + LANES - 1) / LANES, r = tile / tiles_a_run,
                in_run = (tile - r * tiles_a_run) * LANES;
    const ulong from = max(r * c->run + in_run, c->before);
    const ulong to = min(r * c->run + min(in_run + LANES, c->run), c->before + c->n_lines);
    return (lines_of_tile){from - c->before, to > from ? (uint)(to - from) : 0, 0, 0};
}
