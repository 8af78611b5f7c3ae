// Mastaba: the ranks of an MPI job working on one array (libmastaba_mpi; docs/mpi.md).
//
// MPI 3 is enough, with MPI_THREAD_FUNNELED: the calls of a rank come from one thread, the one that initialised MPI. A
// communicator is the caller's and is duplicated; nothing here starts processes. Functions marked "collective" are called by all
// ranks of the communicator in the same order, with equal descriptions. They end with the same status everywhere: where one rank
// fails, all return its status and its message, which says which rank it was, and no rank is left waiting.
//
// An array is cut into boxes: along one axis (slabs), or along two (pencils). Of an axis of length n that p ranks share, each
// takes ceil(n / p) indices in turn, as FFTW's default blocks; the last ranks may have fewer, or none.
#ifndef MASTABA_MPI_H
#define MASTABA_MPI_H

#include <mastaba/mastaba.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Contexts

// Makes a context (as mst_context_create) for this rank of the communicator, which may be any: the devices that desc names, on
// each host, are handed out to the ranks there. With at least as many devices as ranks each rank gets a group of its own;
// otherwise rank l of a host gets device l modulo their number, and the device's memory, the staging memory and the copy threads
// are divided by the ranks that share it unless desc sets them. Collective. Errors are those of mst_context_create; also
// MST_ERROR_ARGUMENT: a rank has another build of the library than the first one.
MST_API mst_status mst_mpi_context_create(MPI_Comm communicator, const mst_context_desc *desc, mst_context **out,
                                          mst_error *error);

// ---- Transforms

// How the whole array is cut.
typedef enum mst_mpi_cut {
    MST_MPI_CUT_AUTO = 0,   // slabs as long as every rank gets some, else pencils
    MST_MPI_CUT_SLABS = 1,  // along axis 0; one exchange between the ranks
    MST_MPI_CUT_PENCILS = 2 // along axes 0 and 1 of at least three; two exchanges
} mst_mpi_cut;

// For transposed_input and transposed_output: as the transform begins or leaves it, whichever cut that is, without an exchange at
// that end (mst_mpi_part says which); for files, say.
enum { MST_MPI_AS_IT_IS = 2 };

// What mst_mpi_fft_create makes a plan of, the same for all ranks.
typedef struct mst_mpi_fft_desc {
    size_t struct_size;
    mst_type input;              // float32, float64, complex64 or complex128; real: forward only, or of another kind
    mst_type output;             // 0: complex, or real where the kind is; real: inverse only. The same precision
    int rank;                    // of the whole array, at least 2 where several ranks share it
    size_t shape[MST_MAX_RANK];  // of the whole array; where one side is real, of that side
    int n_axes;                  // 1..MST_MAX_AXES, as in mst_fft_desc, also for what is real and halved
    int axes[MST_MAX_AXES];      // other axes are batch
    mst_fft_direction direction; // and scale: as in mst_fft_desc
    double scale;
    mst_mpi_cut cut;
    int ranks[2];                           // of pencils: how many along axes 0 and 1; zeros: chosen
    int transposed_input;                   // 1: the input is cut as transposed output is (FFTW_MPI_TRANSPOSED_IN)
    int transposed_output;                  // 1: the output stays cut as the transform leaves it, which spares the exchange
                                            // that brings it back (FFTW_MPI_TRANSPOSED_OUT)
    ptrdiff_t input_strides[MST_MAX_RANK];  // of a rank's part, in elements; zeros: without gaps, the axes in their order,
    ptrdiff_t output_strides[MST_MAX_RANK]; // of a transposed side those first that are cut, as FFTW has them
    double timeout;                         // seconds that a rank waits for others before it gives up; 0: for ever. A rank whose
                                            // timeout cannot be read gives them 600 to hear of it
    mst_fft_kind kind;                      // other than MST_FFT_FOURIER: both sides are real, of one shape; either direction
} mst_mpi_fft_desc;

#define MST_MPI_FFT_DESC_INIT                                                                                                    \
    {                                                                                                                            \
        sizeof(mst_mpi_fft_desc), (mst_type)0, (mst_type)0, 0, {0}, 1, {-1, 0, 0}, MST_FFT_FORWARD, 1.0, MST_MPI_CUT_AUTO,       \
            {0, 0}, 0, 0, {0}, {0}, 0.0, MST_FFT_FOURIER                                                                         \
    }

// A rank's part of an array.
typedef struct mst_mpi_part {
    size_t struct_size;
    mst_layout layout;          // its type, shape and strides
    size_t start[MST_MAX_RANK]; // where it begins in the whole array
    int cut_axes[2];            // the axes that are cut, and over how many ranks (1: not cut): rank r stands at
    int cut_ranks[2];           // r / cut_ranks[1] along the first, r % cut_ranks[1] along the second
    int on_host;                // 1: it is exchanged as it is, and has to lie in host memory; 0: anywhere
} mst_mpi_part;

#define MST_MPI_PART_INIT                                                                                                        \
    { sizeof(mst_mpi_part), MST_LAYOUT_INIT, {0}, {0, 0}, {0, 0}, 0 }

// What rank `rank` of `n_ranks` holds of input and output, either of which may be NULL. Needs neither MPI nor a device.
// MST_ERROR_ARGUMENT; MST_ERROR_UNSUPPORTED: an array of one axis over several ranks. Thread-safe.
MST_API mst_status mst_mpi_fft_parts(const mst_mpi_fft_desc *desc, int n_ranks, int rank, mst_mpi_part *input,
                                     mst_mpi_part *output, mst_error *error);

// What one execution takes of one rank.
typedef struct mst_mpi_needs {
    size_t struct_size;
    uint64_t exchanges;  // between the ranks, each of all with all that have something for one another
    uint64_t messages;   // that this rank sends, of at most 2^30 bytes each, besides a few words at the end, if all ranks are on
                         // hosts of their own: within one, a message without bytes says that a piece can be read where it lies
    uint64_t sent_bytes; // in them
    uint64_t host_bytes; // of work memory beside input and output
} mst_mpi_needs;

#define MST_MPI_NEEDS_INIT                                                                                                       \
    { sizeof(mst_mpi_needs), 0, 0, 0, 0 }

// As mst_mpi_fft_parts.
MST_API mst_status mst_mpi_fft_needs(const mst_mpi_fft_desc *desc, int n_ranks, int rank, mst_mpi_needs *needs, mst_error *error);

// A rank's share of the plan of a transform.
typedef struct mst_mpi_fft mst_mpi_fft;

// Makes the plan of a transform of one array over all ranks of the communicator; the context is this rank's and outlives the
// plan. *out is the caller's; NULL on failure. Collective, blocks. Errors are those of mst_fft_create and mst_mpi_fft_parts, and
// MST_ERROR_IO where MPI fails.
MST_API mst_status mst_mpi_fft_create(MPI_Comm communicator, mst_context *context, const mst_mpi_fft_desc *desc,
                                      mst_mpi_fft **out, mst_error *error);
MST_API void mst_mpi_fft_destroy(mst_mpi_fft *plan); // collective, as MPI_Comm_free is, unless it is NULL or broken

// Transforms; each rank gives where its parts lie, which must not overlap. In host memory or in files: a part of a file that
// holds the whole array begins at its own first element and has the whole array's strides. An exchange at the end or the
// beginning (natural output of a transform, transposed input of another) is between parts in host memory only
// (MST_ERROR_ARGUMENT). On failure outputs are undefined. Collective, blocks. MST_ERROR_IO: MPI failed, or a rank waited longer
// than the timeout, after which the job should be ended (MPI_Abort): MPI may still write to the parts; else errors are those of
// mst_fft_execute. Method: transforms along whole axes and exchanges between them (Foster, Worley, Parallel algorithms for the
// spectral transform method, 1997; Pekurovsky, P3DFFT, 2012).
MST_API mst_status mst_mpi_fft_execute(mst_mpi_fft *plan, mst_location input, mst_location output, mst_error *error);

// 1: an execution broke off on this rank while others may be waiting, so that nothing collective can be done with the plan any
// more (MST_ERROR_IO): end the job by MPI_Abort. Destroying it then leaves the memory that MPI may still write to. Else 0.
MST_API int mst_mpi_fft_is_broken(const mst_mpi_fft *plan);

// ---- Convolutions

// A rank's share of the plan of a convolution.
typedef struct mst_mpi_convolution mst_mpi_convolution;

// What rank `rank` of `n_ranks` holds of the operands and the result of a convolution of whole arrays, any of which may be NULL:
// of desc, shapes, types, axes, mode and correlate are read. Parts are without gaps, axes in their order, all of the result's
// type or, if that is real, real. All are cut alike (mst_mpi_cut), each by its own length, but along the second axis of pencils
// as the padded array is, of which the first ranks have more; an operand that goes with all of a batch is with all. Needs neither
// MPI nor a device. MST_ERROR_ARGUMENT; MST_ERROR_UNSUPPORTED: an array of one axis over several ranks, or more than 2^48
// elements along an axis, padded. Thread-safe.
MST_API mst_status mst_mpi_convolution_parts(const mst_convolution_desc *desc, mst_mpi_cut cut, int n_ranks, int rank,
                                             mst_mpi_part *x, mst_mpi_part *y, mst_mpi_part *z, mst_error *error);

// What one execution takes of one rank, as mst_mpi_fft_needs. Errors as those of mst_mpi_convolution_parts.
MST_API mst_status mst_mpi_convolution_needs(const mst_convolution_desc *desc, mst_mpi_cut cut, int n_ranks, int rank,
                                             mst_mpi_needs *needs, mst_error *error);

// Makes the plan of a convolution over all ranks of the communicator, along the first axis, too, in a circle, and with operands
// of like lengths, by transforms that ranks share. The context is this rank's and outlives the plan; timeout as in
// mst_mpi_fft_desc. *out is the caller's; NULL on failure. Collective, blocks. Errors are those of mst_convolution_create,
// mst_fft_create and mst_mpi_convolution_parts; MST_ERROR_HOST_MEMORY; MST_ERROR_IO where MPI fails.
MST_API mst_status mst_mpi_convolution_create(MPI_Comm communicator, mst_context *context, const mst_convolution_desc *desc,
                                              mst_mpi_cut cut, double timeout, mst_mpi_convolution **out, mst_error *error);
MST_API void mst_mpi_convolution_destroy(mst_mpi_convolution *plan); // collective, unless it is NULL or broken

// Convolves this rank's parts of x and y into its part of z, all in host memory (NULL: it has none); z may be x or y, which takes
// as much memory as z has for the time where nothing is exchanged. On failure z is undefined. Results agree with those of one
// process but for rounding. Collective, blocks. Errors are those of mst_mpi_fft_execute and mst_convolution_execute.
MST_API mst_status mst_mpi_convolution_execute(mst_mpi_convolution *plan, const void *x, const void *y, void *z,
                                               mst_error *error);

// As mst_mpi_fft_is_broken.
MST_API int mst_mpi_convolution_is_broken(const mst_mpi_convolution *plan);

// ---- Filters of images

// A rank's share of the plan of a filter.
typedef struct mst_mpi_filter mst_mpi_filter;

// What rank `rank` of `n_ranks` holds of images and of their results, either of which may be NULL: parts of whole arrays
// [batch...][height][width][channels], of a volume [batch...][depth][height][width][channels], without gaps, axes in their order.
// Of desc.input and desc.output types and shapes are read. Images are cut along height (volumes: depth, and with pencils height)
// as what is transformed is, the image continued beyond its edges unless mst_filter_frame.cosine is set or it is repeated: then
// the first ranks have more of the result, and a rank has what its part of the continued image is made of. Needs neither MPI nor
// a device. Errors are those of mst_filter_describe; MST_ERROR_UNSUPPORTED: a Wiener filter over several ranks, or the paper's
// algorithm, stages or tiles. Thread-safe.
MST_API mst_status mst_mpi_filter_parts(const mst_filter_desc *desc, mst_mpi_cut cut, int n_ranks, int rank, mst_mpi_part *input,
                                        mst_mpi_part *output, mst_error *error);

// What one execution takes of one rank, as mst_mpi_fft_needs. Errors as those of mst_mpi_filter_parts.
MST_API mst_status mst_mpi_filter_needs(const mst_filter_desc *desc, mst_mpi_cut cut, int n_ranks, int rank, mst_mpi_needs *needs,
                                        mst_error *error);

// Makes the plan of a filter of images, each of them by all ranks of the communicator, by transforms that ranks share. The
// context is this rank's and outlives the plan; timeout as in mst_mpi_fft_desc. *out is the caller's; NULL on failure.
// Collective, blocks. Errors are those of mst_fft_create and mst_mpi_filter_parts; MST_ERROR_HOST_MEMORY; MST_ERROR_IO where MPI
// fails.
MST_API mst_status mst_mpi_filter_create(MPI_Comm communicator, mst_context *context, const mst_filter_desc *desc,
                                         mst_mpi_cut cut, double timeout, mst_mpi_filter **out, mst_error *error);
MST_API void mst_mpi_filter_destroy(mst_mpi_filter *plan); // collective, unless it is NULL or broken

// Filters this rank's part of the images into its part of the results, both in host memory (NULL: it has none), which must not
// overlap. On failure results are undefined. They agree with those of mst_filter_execute but for rounding and what that leaves
// out (mst_filter_edges). Collective, blocks. Errors are those of mst_mpi_fft_execute.
MST_API mst_status mst_mpi_filter_execute(mst_mpi_filter *plan, const void *input, void *output, mst_error *error);

// As mst_mpi_fft_is_broken.
MST_API int mst_mpi_filter_is_broken(const mst_mpi_filter *plan);

// ---- Finite differences

// A solver of one grid over all ranks: each has some planes of its slowest axis, and halos.
typedef struct mst_mpi_stencil mst_mpi_stencil;

// Cuts the grid into a brick for each rank (mst_stencil_brick_of), mostly some planes of its slowest axis, and makes this rank's
// solver, on its context, which outlives it. Of desc everything is of the whole grid; of desc->brick `bricks` is taken, how many
// of them there are to be along each axis (NULL, or all 0: chosen). `steps` between two exchanges of halos; 0: as many as a model
// holds to be best. By default they go on beside the interior on GPUs with memory of their own, else they wait (desc->exchange).
// `timeout` as in mst_mpi_fft_desc. A result has the same bits as that of one solver. *out is the caller's; NULL on failure.
// Collective, blocks. Errors are those of mst_stencil_create and mst_stencil_brick_of; MST_ERROR_IO where MPI fails.
MST_API mst_status mst_mpi_stencil_create(MPI_Comm communicator, mst_context *context, const mst_stencil_desc *desc,
                                          uint64_t steps, double timeout, mst_mpi_stencil **out, mst_error *error);
MST_API void mst_mpi_stencil_destroy(mst_mpi_stencil *solver); // collective, unless it is NULL or broken

// Advances by so many steps, or fewer where the condition `until` holds, exchanges halos where they are used up, and does what is
// due on the way: monitors have the bits of one solver. All ranks meet a few times a second, so a timeout is to exceed the time
// of a trip and of the steps between two exchanges. Collective, blocks. On failure the state is lost, but for MST_ERROR_CANCELLED
// (it can be read where a field diverged). Errors are those of mst_stencil_run; MST_ERROR_IO: also where MPI failed or a rank
// waited longer than the timeout, which breaks the solver; a broken one gives it at once.
MST_API mst_status mst_mpi_stencil_run(mst_mpi_stencil *solver, uint64_t steps, mst_error *error);

// The same as mst_stencil_run has it: how and report may be NULL. Each rank's progress is called a few times a second; where one
// returns false, all ranks stop at the same step, MST_ERROR_CANCELLED. Bytes of the report are this rank's, all else is of all.
MST_API mst_status mst_mpi_stencil_run_with(mst_mpi_stencil *solver, uint64_t steps, const mst_execution *how,
                                            mst_stencil_report *report, mst_error *error);

// The step that all ranks have reached, also where this one has no solver.
MST_API uint64_t mst_mpi_stencil_step(const mst_mpi_stencil *solver);

// This rank's solver, for mst_stencil_read of its own planes (the region may be NULL), mst_stencil_step and the like, but not to
// run it; NULL: this rank has no planes, as there are too many ranks. *part (unless NULL) says which planes they are (of a brick,
// those of its nodes); with one rank that has all, part->planes is that of the grid. Valid as long as the solver.
MST_API mst_stencil *mst_mpi_stencil_solver(const mst_mpi_stencil *solver, mst_stencil_part *part);

// Which nodes this rank has, count[0] being 0 if it has none, and how many bricks there are. *brick is from its INIT.
// MST_ERROR_ARGUMENT.
MST_API mst_status mst_mpi_stencil_brick(const mst_mpi_stencil *solver, mst_stencil_brick *brick, mst_error *error);

// Goes on from another state, of that step: before it, every rank with planes has written every array of the state to its own
// solver (mst_stencil_write_whole, from one file that any number of ranks wrote by mst_stencil_read_whole, say). Collective,
// blocks. MST_ERROR_ARGUMENT: a rank has not; MST_ERROR_IO: as mst_mpi_stencil_run.
MST_API mst_status mst_mpi_stencil_resume(mst_mpi_stencil *solver, uint64_t step, mst_error *error);

// What a receiver recorded at all of its points, as mst_stencil_read_receiver, for every rank, with the bits of one solver.
// Collective, blocks. MST_ERROR_IO: as mst_mpi_stencil_run; else errors are those of mst_stencil_read_receiver.
MST_API mst_status mst_mpi_stencil_read_receiver(mst_mpi_stencil *solver, size_t receiver, uint64_t first, uint64_t count,
                                                 double *values, mst_error *error);

// mst_stencil_read_monitor and mst_stencil_measure for every rank. (Of a spectrum each rank has the sums at its own planes, which
// mst_stencil_read_spectrum of its solver puts where they are among all.) What monitors recorded can be read after a run that
// failed, too. Collective, blocks. MST_ERROR_IO: as mst_mpi_stencil_run.
MST_API mst_status mst_mpi_stencil_read_monitor(mst_mpi_stencil *solver, size_t monitor, uint64_t first, uint64_t count,
                                                double *values, mst_error *error);
MST_API mst_status mst_mpi_stencil_measure(mst_mpi_stencil *solver, size_t monitor, double *values, mst_error *error);

// As mst_mpi_fft_is_broken.
MST_API int mst_mpi_stencil_is_broken(const mst_mpi_stencil *solver);

// ---- Integrals

// mst_integral_execute by all ranks, each of which has a plan of the same description (with the result_size of its INIT macro) on
// its own context, and gives all parameters, n_parameters a set. Rank r of p computes the sets r ceil(n_sets / p) and following;
// then every rank has all results, with the same bits whatever the number of ranks (devices of one kind provided). timeout as in
// mst_mpi_fft_desc; after it, end the job by MPI_Abort. Collective, blocks; messages pass by the communicator that is given.
// MST_ERROR_ARGUMENT: also more than 2^31 bytes of results; MST_ERROR_IO: MPI failed, or the timeout. Else as
// mst_integral_execute.
MST_API mst_status mst_mpi_integral_execute(MPI_Comm communicator, mst_integral *plan, const double *parameters,
                                            size_t n_parameters, size_t n_sets, mst_integral_result *results, double timeout,
                                            mst_error *error);

#ifdef __cplusplus
}
#endif
#endif
