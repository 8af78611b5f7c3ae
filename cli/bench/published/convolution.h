// What the paper measured (Burtsev: batched fast convolution of complex vectors on OpenCL): speed-ups of the variants A to E over
// its sequential reference, transfers included, for M x J vectors of length N.
#ifndef MASTABA_PAPER_CONVOLUTION_H
#define MASTABA_PAPER_CONVOLUTION_H

#include <stddef.h>

enum { PAPER_N_VARIANTS = 5, PAPER_N_PLATFORMS = 2, PAPER_N_CELLS = 72 };
enum { PAPER_SPLIT = 512 }; // its finding: C is mostly best below this length, E from it on

typedef struct paper_cell {
    size_t n, side;                                       // M = J = side
    double speedups[PAPER_N_PLATFORMS][PAPER_N_VARIANTS]; // 0: not published, for it did not fit
} paper_cell;

extern const paper_cell paper_cells[PAPER_N_CELLS]; // by n, then side
extern const char *const paper_platforms[PAPER_N_PLATFORMS];
extern const char *const paper_machines[PAPER_N_PLATFORMS]; // device / processor of the reference

// The variant, 0 for A, with the highest speed-up, the first of equals as the paper counts; -1 if all are 0.
int paper_best(const double speedups[PAPER_N_VARIANTS]);

#endif
