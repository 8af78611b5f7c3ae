// Even or odd data by way of local memory, in the order of global memory on that side. A line there holds real and
// imaginary parts in turns, as they are transformed; `i` is the number's index.
void even_put(uint map, bool sine, uint n, __local real *line, uint i, real value) {
    if (map == EVEN_PAIRED) {
        line[i % 2 ? n - (i + 1) / 2 : i / 2] = even_signed(value, sine && i % 2);
    } else if (map == EVEN_FOLDED) {
        line[i % 2 ? n - 1 - i + !sine : i + sine] = value;
    } else if (!sine) { // EVEN_MIRRORED
        line[i] = value;
        if (i > 0 && i < n - 1)
            line[2 * (n - 1) - i] = value;
    } else {
        line[i + 1] = value;
        line[2 * n + 1 - i] = -value;
        if (i == 0)
            line[0] = line[n + 1] = 0;
    }
}

real even_take(uint map, bool sine, uint n, __local const real *line, uint i) {
    if (map == EVEN_PAIRED)
        return even_signed(line[i % 2 ? n - (i + 1) / 2 : i / 2], sine && i % 2);
    return i % 2 ? even_signed(line[n - i], !sine) : line[i]; // EVEN_FOLDED
}
