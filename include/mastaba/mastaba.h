// Mastaba: FFTs, convolutions, filters, integrals and finite differences on any OpenCL device. This header includes them all.
//
// Unless a function says something else: it may be called from any thread, but by one at a time for each file; destroy functions
// accept NULL and half-made objects are never given out; on failure, outputs of the call are NULL or undefined; what a call is
// given stays the caller's and is not needed after it.
//
// Threads: any number of them may make contexts, make plans and solvers of one context, and execute these, at once. Those that
// execute the same plan, or call the same solver, take turns: a call waits until the one before has returned. From the progress
// function of its own execution a plan or solver cannot be executed, read or written (MST_ERROR_ARGUMENT). An object is destroyed
// by one thread, when no other uses it any more, nor what was made of it.
// The program's locale changes nothing but the texts of the system's errors: numbers have a point everywhere.
//
// How the library can grow under programs that are not built again:
//   - A struct that a program gives or has filled by its address begins with struct_size. Start it from its INIT macro, which
//     sets that, and the members that you do not name get their defaults:
//         mst_fft_desc desc = MST_FFT_DESC_INIT;
//     A program built with older headers gives a smaller struct; members that it lacks have their defaults, and no more is
//     written than it has room for. One built with newer headers gives a larger struct; it is taken as long as the members that
//     the library does not know are 0.
//   - A description that points to an array holds the size of its elements, too (desc.field_size beside desc.fields). The INIT
//     macro sets it; leave it as it is. For elements holds what holds for structs; members that are missing are 0. Where the
//     library fills an array (results of integrals, stages of filters), its elements lie that far apart.
//   - A struct that the library owns (mst_device_info, mst_tuning_result) is reached through a pointer only. Its struct_size says
//     what it has, for programs that run with an older library than they were built for.
//   - Small structs have no size and never change: mst_layout, mst_location, mst_error, mst_symbol, mst_tuning_value,
//     mst_stencil_initial, mst_stencil_region and mst_stencil_part. Enumerations get new values at their ends.
// A struct_size or an element's size that no version of the library has, 0 say, gives MST_ERROR_ARGUMENT with a message that
// names the INIT macro.
#ifndef MASTABA_MASTABA_H
#define MASTABA_MASTABA_H

#include <mastaba/context.h>
#include <mastaba/convolution.h>
#include <mastaba/convolver.h>
#include <mastaba/deconvolution.h>
#include <mastaba/expression.h>
#include <mastaba/fft.h>
#include <mastaba/filter.h>
#include <mastaba/integral.h>
#include <mastaba/map.h>
#include <mastaba/npy.h>
#include <mastaba/spread.h>
#include <mastaba/stencil.h>
#include <mastaba/tune.h>

#endif
