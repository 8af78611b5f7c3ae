// The number of the tile, counted over all strips, that a work-group of the boundary kernel takes. First come all tiles
// of the strips at the faces of the slowest axis, then the tiles at the sides of the other strips, each as often as it
// has parts. `launch` and `sides` are the kernel's.
long boundary_tile(long group, long8 box, long8 launch, long8 sides) {
    const long rows = launch.s1, columns = launch.s2, tiles = rows * columns, has_first_edge = box.s7 > 0;
    const long strips = (launch.s0 + box.s6 - 1) / box.s6;
    const long side_columns = sides.s0 + columns - sides.s1, side_rows = sides.s2 + rows - sides.s3;
    const long side_tiles = side_rows * columns + (rows - side_rows) * side_columns;
    if (group < (has_first_edge + sides.s4) * tiles)
        return group < has_first_edge * tiles ? group : group % tiles + (has_first_edge + strips) * tiles;
    group = (group - (has_first_edge + sides.s4) * tiles) / launch.s3;
    const long strip = has_first_edge + group / side_tiles;
    long row, column;
    group %= side_tiles;
    if (group < side_rows * columns) {
        row = group / columns;
        row += row < sides.s2 ? 0 : sides.s3 - sides.s2;
        column = group % columns;
    } else {
        group -= side_rows * columns;
        row = sides.s2 + group / side_columns;
        column = group % side_columns;
        column += column < sides.s0 ? 0 : sides.s1 - sides.s0;
    }
    return (strip * rows + row) * columns + column;
}
