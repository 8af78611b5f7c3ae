// The steps of a transform whose length and radices are arguments: in OpenCL C, where `cell` is long, and in C
// (any_steps.h), where it is cl_long.
enum { ANY_STEPS = 16, ANY_LENGTH = 4096 }; // of a transform: steps, and points

typedef struct any_steps {
    cell n, n_steps, radices[ANY_STEPS];
    cell n_twiddles;     // numbers of the steps' table
    cell odd[ANY_STEPS]; // where in `odd` cosines and sines of a large radix begin
    cell places;         // where in `places` the transform's begin
} any_steps;
