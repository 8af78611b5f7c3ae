#include "page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    "body{max-width:70rem;margin:2rem auto;padding:0 1.5rem;font:16px/1.5 system-ui,'Segoe UI',Helvetica,Arial,sans-serif;"
    "color:#222;background:#fff}"
    "h1{margin-bottom:.3rem}h2{margin-top:3rem;border-bottom:2px solid #0072B2;padding-bottom:.2rem}"
    "a{color:#0072B2}.wide{overflow-x:auto}"
    "table{border-collapse:collapse;margin:1.2rem 0;font-size:.86rem;font-variant-numeric:tabular-nums}"
    "caption{text-align:left;font-weight:600;padding-bottom:.4rem}"
    "th,td{padding:.18rem .6rem;border-bottom:1px solid #ddd;text-align:right;vertical-align:top}"
    "th{background:#f3f3f3;font-weight:600}th.t,td.t{text-align:left}th.g{text-align:center;border-left:2px solid #fff}"
    "td{white-space:nowrap}td.w{white-space:normal}"
    "td.m{background:#e8f2f9}td.best{font-weight:700}"
    "dl.about{display:grid;grid-template-columns:max-content auto;gap:.1rem 1rem;margin:1rem 0}dt{color:#666}dd{margin:0}"
    "figure{margin:1.5rem 0}figure svg{width:100%;height:auto;display:block}figcaption,.note{color:#555;font-size:.9rem}"
    ".failed{background:#fdecea;border-left:4px solid #D55E00;padding:.5rem .8rem}"
    ".short{background:#fff7e0;border-left:4px solid #E69F00;padding:.5rem .8rem}summary{cursor:pointer;color:#0072B2}"
    "@media(max-width:40em){body{padding:0 1rem}td.t{white-space:normal}}"
    "@media screen and (prefers-color-scheme:dark){body{color:#ddd;background:#1c1e22}a,summary{color:#6cb6e8}"
    "th{background:#2a2d33}th.g{border-color:#1c1e22}th,td{border-bottom-color:#3a3e45}td.m{background:#1f3444}"
    "dt,figcaption,.note{color:#aaa}figure svg{background:#fff}.failed{background:#4a2520}.short{background:#43391c}}"
    "@media print{body{max-width:none;margin:0}h2{break-after:avoid}figure,tr{break-inside:avoid}}";

// Bytes that are no UTF-8, as a driver may give, become '?', as do control characters, which XML does not allow.
static void put_text(FILE *out, const char *text) {
    for (const char *c = text; *c;) {
        size_t length = cli_utf8_length(c);
        if (*c == '&')
            fputs("&amp;", out);
        else if (*c == '<')
            fputs("&lt;", out);
        else if (*c == '>')
            fputs("&gt;", out);
        else if (length == 0 || (unsigned char)*c < 0x20 || *c == 0x7f)
            fputc('?', out);
        else
            fwrite(c, 1, length, out);
        c += length ? length : 1;
    }
}

void page_open(const page *p, const char *element) { fprintf(p->out, "<%s>", element); }

void page_close(const page *p, const char *element) { fprintf(p->out, "</%.*s>\n", (int)strcspn(element, " "), element); }

void page_put(const page *p, const char *element, const char *format, ...) {
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    page_open(p, element);
    put_text(p->out, text);
    page_close(p, element);
}

void page_begin(const page *p, const char *title) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n",
          p->out);
    page_put(p, "title", "%s", title);
    fprintf(p->out, "<style>%s</style>\n</head>\n<body>\n", style);
}

void page_end(const page *p) { fputs("</body>\n</html>\n", p->out); }

static void put_headings(const page *p, const char *titles) {
    page_open(p, "tr");
    for (const char *end; titles; titles = *end ? end + 1 : NULL) {
        char element[40];
        end = titles + strcspn(titles, "|");
        int length = (int)strcspn(titles, "|*"), text = *titles == '<';
        if (titles[length] == '*')
            snprintf(element, sizeof element, "th class=\"g\" colspan=\"%d\"", atoi(titles + length + 1));
        else
            snprintf(element, sizeof element, "th%s", text ? " class=\"t\"" : "");
        page_put(p, element, "%.*s", length - text, titles + text);
    }
    page_close(p, "tr");
}

void page_table(const page *p, const char *caption, const char *groups, const char *columns) {
    page_open(p, "div class=\"wide\"");
    page_open(p, "table");
    page_put(p, "caption", "%s", caption);
    page_open(p, "thead");
    if (groups)
        put_headings(p, groups);
    put_headings(p, columns);
    page_close(p, "thead");
    page_open(p, "tbody");
}

void page_table_end(const page *p) {
    page_close(p, "tbody");
    page_close(p, "table");
    page_close(p, "div");
}

void page_number(const page *p, const char *kind, double value, bool best) {
    char element[40], text[32];
    snprintf(element, sizeof element, "td class=\"%s%s\"", kind, best ? " best" : "");
    // Three digits, and more before the point where need be.
    int decimals = value < 0.000995 ? -1 : value < 0.00995 ? 5 : value < 0.0995 ? 4 : value < 0.9995 ? 3 : value < 9.995 ? 2 : 1;
    if (*kind == 'p')
        snprintf(text, sizeof text, "%.6g", value);
    else if (decimals < 0)
        snprintf(text, sizeof text, "%.2g", value);
    else
        snprintf(text, sizeof text, "%.*f", value < 99.95 ? decimals : 0, value);
    page_put(p, element, "%s", value > 0 ? text : "\xe2\x80\x93"); // an en dash
}

void page_plot(const page *p, const cli_plot *plot, const char *caption) {
    page_open(p, "figure");
    if (!p->pictures || !cli_plot_embed(plot, p->file))
        page_put(p, "p class=\"failed\"", "This picture is missing: gnuplot, which draws it, %s.",
                 p->pictures ? "failed" : "cannot be run (package gnuplot-nox)");
    page_put(p, "figcaption", "%s", caption);
    page_close(p, "figure");
}
