// How a line of a kernel's text is indented and broken.
#ifndef MST_TEXT_LAYOUT_H
#define MST_TEXT_LAYOUT_H

#include "text.h"

// Adds a complete line (without its end) to the text by `append`, indented by what is open before it and broken where it is
// longer than MST_TEXT_COLUMNS, and notes what it leaves open.
void mst_text_lay_out_line(mst_text *t, const char *line, void (*append)(mst_text *t, const char *letters, size_t n));

#endif
