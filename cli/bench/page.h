// A page in HTML that stands alone: text, tables and pictures within it, nothing from elsewhere. It is XML as well.
#ifndef MASTABA_CLI_PAGE_H
#define MASTABA_CLI_PAGE_H

#include "plot.h"

typedef struct page {
    FILE *out;
    const cli_whole_file *file; // that this belongs to
    bool pictures;              // gnuplot can be run
} page;

void page_begin(const page *p, const char *title);
void page_end(const page *p);

// An element with text, in which &, < and > are escaped and control characters replaced: page_put(p, "td class=\"m\"", "%d", 5).
void page_put(const page *p, const char *element, const char *format, ...) __attribute__((format(printf, 3, 4)));
void page_open(const page *p, const char *element);
void page_close(const page *p, const char *element); // without attributes

// A table between these; rows are page_open(p, "tr"), cells, page_close(p, "tr"). Headings of columns are separated by '|'; one
// that begins with '<' is of text, aligned to the left. `groups` is a row above them, or NULL: "||here*5" is two empty headings
// and one over five columns.
void page_table(const page *p, const char *caption, const char *groups, const char *columns);
void page_table_end(const page *p);

// A cell with a number, a dash if it is not above 0. `kind`: "m" measured here, three digits; "p" published, all digits. `best`:
// marked.
void page_number(const page *p, const char *kind, double value, bool best);

// A picture and what is below it; a sentence in its place if it cannot be drawn.
void page_plot(const page *p, const cli_plot *plot, const char *caption);

#endif
