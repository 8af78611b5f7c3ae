// Mastaba: FFTs, convolutions, filters, integrals and finite differences on any OpenCL device. This header includes them all.
#ifndef MASTABA_MASTABA_H
#define MASTABA_MASTABA_H

#include <mastaba/context.h>
#include <mastaba/convolution.h>
#include <mastaba/expression.h>
#include <mastaba/fft.h>
#include <mastaba/filter.h>
#include <mastaba/integral.h>
#include <mastaba/map.h>
#include <mastaba/npy.h>
#include <mastaba/stencil.h>
#include <mastaba/tune.h>

#endif
