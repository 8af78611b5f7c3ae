#if UNIT == 2
typedef ushort unit;
#elif UNIT == 4
typedef uint unit;
#else
typedef ulong unit;
#endif

// Boxes work.s0 .. work.s0 + work.s1 - 1 are an array's. Of each, s0: the number of its first unit among those of the
// array's boxes; s1: that behind its last one; s2, s3: rows and columns; s4: where it begins in the array, of which
// rows lie work.s2 and planes work.s3 apart; s5: where it begins in packed memory, s6, s7: how far rows and planes lie
// apart there.
__kernel void pack(__global unit *array, __global unit *packed, __global const long8 *boxes, long4 work, int spreads) {
    const long i = get_global_id(0);
    long k = work.s0;
    const long end = work.s0 + work.s1;
    while (k < end && i >= boxes[k].s1)
        k++;
    if (k == end)
        return;
    const long8 box = boxes[k];
    const uint within = (uint)(i - box.s0), columns = (uint)box.s3, line = within / columns;
    const uint plane = line / (uint)box.s2, row = line - plane * (uint)box.s2, column = within - line * columns;
    const long here = box.s4 + plane * work.s3 + row * work.s2 + column;
    const long there = box.s5 + plane * box.s7 + row * box.s6 + column;
    if (spreads)
        array[here] = packed[there];
    else
        packed[there] = array[here];
}
