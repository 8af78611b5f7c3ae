// Passes of any length: the kernel, and which tiles its work-items take.

// A work-item takes pieces, one or `joint` after the other, each through all passes; where n_lines is not zero, there
// is one pass and one piece of so many lines, and work-items share its tiles.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fft_any(__global const uchar *tables, __global real *source, __global real *target, __global real *work,
        __global real *padded, __global real *spectrum, __global real *scratch, any_call call) {
    vreal v[2 * ANY_TILE + 2];
    __global const any_pass *passes = (__global const any_pass *)(tables + call.passes_at);
    __global const real *numbers = (__global const real *)tables;
    __global const uint *places = (__global const uint *)(tables + call.places_at);
    const uint n_passes = (uint)call.n_passes;
    const ulong scratch_reals = (ulong)call.scratch_reals, n_pieces = (ulong)call.n_pieces,
                n_lines = (ulong)call.n_lines;
    const ulong joint = (ulong)call.joint, n_joint = (n_pieces + joint - 1) / joint;
    const ulong id = get_global_id(0), n_items = (ulong)call.n_items, end = n_lines ? 1 : (id + 1) * n_joint / n_items;
    __global real *buffers[] = {source, target, work, padded, spectrum};
    const long bases[] = {call.source_base, call.target_base, 0, 0, 0};
    const ulong items[] = {(ulong)call.source_item, (ulong)call.target_item, (ulong)call.work_item,
                           (ulong)call.work_item, (ulong)call.work_item};
    for (ulong piece = n_lines ? 0 : id * n_joint / n_items; piece < end; piece++)
        for (uint k = 0; k < n_passes; k++) {
            __global const any_pass *p = passes + k;
            __global const any_side *s = &p->source, *t = &p->target;
            const ulong lines_a_piece = (ulong)p->lines_a_piece, before_piece = piece * joint * lines_a_piece;
            const ulong lines = n_lines ? n_lines : min(joint, n_pieces - piece * joint) * lines_a_piece;
            const ulong s_first = s->scratch >= 0 ? 0 : items[s->buffer] * (ulong)s->lines_an_item + before_piece;
            const ulong t_first = t->scratch >= 0 ? 0 : items[t->buffer] * (ulong)t->lines_an_item + before_piece;
            __global real *from = s->scratch >= 0 ? scratch + id * scratch_reals + s->scratch : buffers[s->buffer];
            __global real *to = t->scratch >= 0 ? scratch + id * scratch_reals + t->scratch : buffers[t->buffer];
            const long s_base = s->scratch >= 0 ? 0 : bases[s->buffer], t_base = t->scratch >= 0 ? 0 : bases[t->buffer];
            const cut c = cut_lines(p, lines, s_first);
            const ulong n_tiles = count_tiles(&c);
            const ulong tiles_end = n_lines ? (id + 1) * n_tiles / n_items : n_tiles;
            const ulong several = (ulong)p->several, strip = (ulong)p->strip;
            const real scale = p->scale >= 0 ? numbers[p->scale] : 1;
            for (ulong tile = n_lines ? id * n_tiles / n_items : 0, done; tile < tiles_end; tile += done) {
                done = 1;
                if (several > 1 && tile + several <= tiles_end && (tile + several) * LANES <= lines) {
                    done = several;
                    transform_rows(v, p, from, to, numbers, places + p->places,
                                   s_base + (long)(s_first + tile * LANES) * s->lane_stride,
                                   t_base + (long)(t_first + tile * LANES) * t->lane_stride, scale);
                    continue;
                }
                const lines_of_tile l = find_tile(&c, tile);
                if (l.count == 0)
                    continue;
                if (l.left) {
                    transform_apart(v, p, from, to, numbers, places + p->places, &l, s_first, t_first, s_base, t_base,
                                    scale);
                    continue;
                }
                if (strip && l.count == LANES) {
                    done = count_strip(s, t, &c, &l, s_first + l.first, t_first + l.first,
                                       (uint)min(strip, tiles_end - tile));
                    if (done > 1) {
                        transform_strip(v, p, from, to, numbers, places + p->places, s_first + l.first,
                                        t_first + l.first, s_base, t_base, (uint)done, scale);
                        continue;
                    }
                    done = 1;
                }
                if (p->wide && l.count == LANES && tile + 1 < tiles_end && is_next(&l, find_tile(&c, tile + 1))) {
                    done = 2;
                    transform_wide(v, p, from, to, numbers, places + p->places, s_first + l.first, t_first + l.first,
                                   s_base, t_base, scale);
                    continue;
                }
#ifdef EVEN_DATA
                if (p->ends >= ANY_EVEN_COMBINE_ALONE) {
                    even_runs(p, from, to, numbers, s_first + l.first, t_first + l.first, l.count, s_base, t_base,
                              scale);
                    continue;
                }
#endif
                if (p->ends >= ANY_COMBINE_ALONE) {
                    treat_runs(p, from, to, numbers, s_first + l.first, t_first + l.first, l.count, s_base, t_base);
                    continue;
                }
                long s_at[LANES], t_at[LANES];
                find_lines(s, s_first + l.first, l.count, s_base, s_at);
                find_lines(t, t_first + l.first, l.count, t_base, t_at);
#ifdef EVEN_DATA
                if (p->ends == ANY_EVEN) {
                    long s_next[LANES], t_next[LANES];
                    const lines_of_tile next =
                        tile + 1 < tiles_end ? find_tile(&c, tile + 1) : (lines_of_tile){l.first, 0, 0, 0};
                    find_lines(s, s_first + next.first, max(next.count, 1u), s_base, s_next);
                    find_lines(t, t_first + next.first, max(next.count, 1u), t_base, t_next);
                    done = even_tiles(v, p, from, to, numbers, places, s_at, t_at, s_next, t_next, l.count, next.count,
                                      scale);
                    continue;
                }
#endif
                load_tile(v, p, from, numbers, s_first + l.first, l.count, s_base, s_at);
                if (p->rows)
                    transform_box(v, p, numbers, places);
                else
                    transform_tile(v, p, (uint)p->n, numbers, places + p->places);
                store_tile(v + 2 * p->first_n, p, to, numbers, places + p->places, t_first + l.first, s_first + l.first,
                           l.count, t_base, t_at, scale);
            }
        }
}
