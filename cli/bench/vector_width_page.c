// Rates by vector width as a section of a page.
#include "vector_width.h"

static void put_type(const page *p, const width_bench *bench, int t, int length) {
    const width_type *type = &width_types[t];
    int best = width_best(bench, t, length);
    page_open(p, "tr");
    page_put(p, "td class=\"t\"", "%s", type->name);
    page_put(p, "td", "%s", length == 0 ? "n" : "n - 1");
    for (int w = 0; w < MST_MAP_N_WIDTHS; w++)
        page_number(p, "m", 1e-9 * width_rate(bench, t, length, w), best == 1 << w);
    page_put(p, "td class=\"m best\"", "%d", best);
    page_put(p, "td class=\"m\"", "%u", (unsigned)bench->device->preferred_width[type->claim]);
    if (type->paper)
        page_put(p, "td class=\"p\"", "%d", type->paper);
    else
        page_put(p, "td class=\"p\"", "not said");
    page_put(p, "td class=\"p\"", "1");
    page_close(p, "tr");
}

void width_page(const page *p, const width_bench *bench) {
    cli_plot plot = width_plot(bench);
    bool any = false;
    page_put(
        p, "p",
        "One kernel source, A[i] = (B[i] - C[i]) * D[i], compiled for vectors of 1 to 16 elements in every type; arrays of "
        "%.4g MiB on the device, medians of %d runs, every result checked. The second line of a type has one element less, "
        "which no width divides. The paper (on int, short and float) found ATI GPUs best just at the widths that they report as "
        "native, and NVIDIA GPUs to report 1 for everything, some of them no slower or even faster at wider ones; CPUs gained "
        "from every widening.",
        (double)bench->bytes / 0x1p20, bench->rounds);
    page_table(p, "GB/s of the four arrays by vector width", "||vector width*5|this device*2|published*2",
               "<type|elements|1|2|4|8|16|best|claims|ATI, best and native|NVIDIA claims");
    for (int t = 0; t < N_WIDTH_TYPES; t++)
        for (int length = 0; length < N_WIDTH_LENGTHS && bench->measured[t]; length++) {
            put_type(p, bench, t, length);
            any = true;
        }
    page_table_end(p);
    for (int t = 0; t < N_WIDTH_TYPES; t++)
        if (!bench->measured[t])
            page_put(p, "p class=\"note\"", "%s: %s.", width_types[t].name,
                     bench->device->preferred_width[width_types[t].claim] == 0 ? "the device does not support it"
                                                                               : "not measured");
    if (any)
        page_plot(p, &plot, "The rate of every type by vector width; the longer of the two lengths.");
}
