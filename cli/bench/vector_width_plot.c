// Rates by vector width, a group of bars for each type: the templates paper's figure.
#include "vector_width.h"

static void write_data(FILE *gnuplot, const void *user) {
    const width_bench *bench = user;
    fputs("$rates << EOD\n", gnuplot);
    for (int t = 0; t < N_WIDTH_TYPES; t++) {
        if (!bench->measured[t])
            continue;
        fprintf(gnuplot, "%s", width_types[t].name);
        for (int w = 0; w < MST_MAP_N_WIDTHS; w++)
            fprintf(gnuplot, " %.9g", 1e-9 * width_rate(bench, t, 0, w));
        fputc('\n', gnuplot);
    }
    fputs("EOD\n", gnuplot);
}

static void write_picture(FILE *gnuplot, const void *user) {
    const width_bench *bench = user;
    char title[400];
    snprintf(title, sizeof title, "A = (B - C) * D, %.100s", bench->device->name);
    cli_plot_string(gnuplot, "set title ", title, " noenhanced");
    fputs("set style data histogram\nset style histogram clustered gap 1\nset style fill solid 0.9 noborder\n"
          "unset logscale\nset grid noxtics\nset yrange [0:*]\nset xrange [*:*]\nset xtics auto\nset ylabel 'GB/s, four arrays'\n"
          "set key outside right top Left reverse samplen 1.5 title 'vector width'\n"
          "plot for [w=1:5] $rates using w+1:xtic(1) ls w title sprintf('%d', 2**(w-1))\n",
          gnuplot);
}

cli_plot width_plot(const width_bench *bench) {
    return (cli_plot){.name = "vector-width",
                      .width = 1000,
                      .height = 420,
                      .write_data = write_data,
                      .write_picture = write_picture,
                      .user = bench};
}
