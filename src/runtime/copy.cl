__kernel void copy(__global const float4 *from, __global float4 *to, ulong n) {
    size_t i = get_global_id(0);
    if (i < n)
        to[i] = from[i];
}
