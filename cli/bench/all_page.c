// The page of `mastaba bench all`.
#include "all.h"

static void put_about(const page *p, const char *name, const char *value) {
    page_put(p, "dt", "%s", name);
    page_put(p, "dd", "%s", value);
}

static void put_head(const page *p, const all_bench *bench) {
    char text[200];
    page_put(p, "h1", "Mastaba on %s", bench->run.device->name);
    page_put(
        p, "p",
        "The five systems that this library grew from, measured on this machine beside what their authors published, and what "
        "the library reaches today. Blue cells are measured here, the others published.");
    page_open(p, "dl class=\"about\"");
    put_about(p, "device", bench->run.device->name);
    put_about(p, "platform", bench->run.device->platform_name);
    put_about(p, "driver", bench->run.device->driver_version);
    put_about(p, "OpenCL", bench->run.device->device_version);
    put_about(p, "host", bench->run.processor);
    put_about(p, "date", bench->run.date);
    put_about(p, "mastaba", mst_version());
    snprintf(text, sizeof text, "%.0f s, of %.0f s given%s", bench->seconds, bench->budget,
             bench->quick ? "; quick, so fewer points of everything" : "");
    put_about(p, "time taken", text);
    page_close(p, "dl");
}

static void put_summary(const page *p, const all_bench *bench) {
    page_table(p, "At a glance", NULL, "<system|<published|<here");
    for (int k = 0; k < ALL_N_PARTS; k++) {
        char published[200] = "", here[200] = "", link[64];
        all_benchmarks[k]->headline(bench->parts[k].run, published, here);
        snprintf(link, sizeof link, "a href=\"#%s\"", all_benchmarks[k]->name);
        page_open(p, "tr");
        page_open(p, "td class=\"t\"");
        page_put(p, link, "%s", all_benchmarks[k]->part);
        page_close(p, "td");
        page_put(p, "td class=\"t w\"", "%s", published);
        page_put(p, "td class=\"t m w\"", "%s", here[0] ? here : bench->parts[k].code ? "failed" : "not measured");
        page_close(p, "tr");
    }
    page_table_end(p);
}

static void put_part(const page *p, const all_bench *bench, int k) {
    const all_part *part = &bench->parts[k];
    char element[64], left_out[64];
    snprintf(element, sizeof element, "section id=\"%s\"", all_benchmarks[k]->name);
    page_open(p, element);
    page_put(p, "h2", "%s", all_benchmarks[k]->part);
    if (part->code)
        page_put(p, "p class=\"failed\"", "This part failed; what it had measured by then is below. %s", part->message);
    else if (part->run->cut_short)
        page_put(p, "p class=\"short\"", "This part's share of the time was %.1f s%s.", part->seconds,
                 all_left_out(bench, k, left_out));
    all_benchmarks[k]->page(p, part->run);
    page_close(p, "section");
}

void all_page(const page *p, const all_bench *bench) {
    char title[320];
    snprintf(title, sizeof title, "Mastaba on %.250s", bench->run.device->name);
    page_begin(p, title);
    put_head(p, bench);
    put_summary(p, bench);
    for (int k = 0; k < ALL_N_PARTS; k++)
        put_part(p, bench, k);
    page_put(p, "p class=\"note\"",
             "Made by `mastaba bench all`. Times on a machine that does other work as well are longer than they need be; "
             "`mastaba bench NAME` measures one part at length.");
    page_end(p);
}
