#include "filter.h"

const size_t paper_groups[PAPER_N_GROUPS] = {1, 16, 32, 64, 128, 256, 512};

const paper_stage paper_stages[PAPER_N_STAGES] = {
    {"write buffer", NULL, {0.54, 0.53, 0.36, 0.52, 0.53, 0.54, 0.53}},
    {"spin factors", "spin factors", {0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01}},
    {"bit reverse", "bit reverse", {6.54, 0.60, 0.47, 0.47, 0.49, 0.50, 0.51}},
    {"butterfly", "butterfly", {37.75, 3.12, 2.87, 3.02, 3.41, 3.60, 3.88}},
    {"normalise", "normalise", {2.86, 0.20, 0.12, 0.09, 0.09, 0.10, 0.10}},
    {"transpose", "transpose", {2.83, 1.53, 1.49, 1.42, 1.07, 0.95, 0.96}},
    {"high-pass filter", "mask", {1.51, 0.10, 0.07, 0.06, 0.06, 0.06, 0.07}},
    {"read buffer", NULL, {0.62, 0.57, 0.57, 0.61, 0.58, 0.56, 0.58}},
};
