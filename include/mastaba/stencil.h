// Mastaba: explicit finite-difference schemes on grids of any size.
//
// The state is one array a field, of the grid's shape, in C order; node [i0]..[ir-1] lies at x = i_(r-1) dx, y = i_(r-2) dy,
// z = i_(r-3) dz: the last axis is x. A step takes the state from time t = k dt to (k + 1) dt by the updates, in their order:
//     f(node) = expression(values at the node and its neighbours)
// Updates of the same sub-step read the state that the sub-step found; a later sub-step reads what earlier ones wrote.
//
// Expressions know: fields (`u` at the node, `u[-1,0]` at an offset, one number an axis, slowest first; `u.prev` a field of two
// levels one step earlier), the parameters, x, y, z, t, dt, dx, dy, dz, numbers, + - * / ^, comparisons, ?: and the usual
// functions. An offset is at most 8 along any axis. They also know:
// - offsets behind parentheses: (k*u)[0,1] is k*u at the neighbour: fields by their offsets, x by x + dx. t stays;
// - names of definitions, below, with their arguments: lap(u, c); [0,1] behind one moves it as well;
// - differences of even order n = 2 .. 16 (without n: 2): dx(u, n) and dy, dz, the derivative along an axis from the nodes on
//   both sides; dx_minus(u, n), dx_plus(u, n) .., the derivative half a spacing before or behind the node, for staggered grids;
//   dxx(u, n), dyy, dzz; laplace(u, n), the sum of these. u may be any expression, dx(dy(u)). The coefficients are exact
//   fractions, rounded once (closed forms of the weights of Fornberg, SIAM Review 40, 1998). The sum goes from the outermost
//   pair of neighbours to the middle, c2*(u[2] - u[-2]) + c1*(u[1] - u[-1]), c2*(u[-2] + u[2]) + c1*(u[-1] + u[1]) + c0*u,
//   and is divided by dx or dx^2 at the end. dx without parentheses is the spacing.
//
// A result does not depend on the schedule, the fusing, the block, or any budget: it is the same in every bit.
#ifndef MASTABA_STENCIL_H
#define MASTABA_STENCIL_H

#include <mastaba/context.h>

#ifdef __cplusplus
extern "C" {
#endif

// Limits: how far an update reads, and how many fields, definitions and parts there may be.
#define MST_STENCIL_MAX_RADIUS 8
#define MST_STENCIL_MAX_FIELDS 32
#define MST_STENCIL_MAX_DEFINITIONS 64
#define MST_STENCIL_MAX_PARTS 64

// A solver: a scheme, its plan and its state.
typedef struct mst_stencil mst_stencil;

// What neighbours outside the grid are, beyond one face. Coefficient fields are mirrored as by MST_BOUNDARY_NEUMANN unless the
// face is periodic. Nodes are counted here from the face inwards: node 0 is the last inside, node -1 the first outside. A mirror
// lies half a node outside node 0, or on it; staggered fields need both. An antisymmetric one makes the field 0 where it lies:
// the stress at a free surface (stress imaging: Levander, Geophysics 53, 1988), the electric field along a perfect conductor. On
// node 0 that is left to the update, which keeps a 0 there if the scheme is symmetric.
typedef enum mst_boundary_kind {
    MST_BOUNDARY_DIRICHLET = 0, // the value of an expression of x, y, z (there, outside) and t; 0 without one. t is the time of
                                // the value that is read: k dt, one step less for .prev, one more for what a sub-step wrote
    MST_BOUNDARY_NEUMANN = 1,   // mirrored half a node outside: node -k is node k - 1, so nothing flows through the face
    MST_BOUNDARY_PERIODIC = 2,  // the other side; both faces of the axis must be
    MST_BOUNDARY_SPONGE = 3,    // 0 outside, and new values are multiplied by exp(-(0.3 d / width)^2) in the `width` nodes before
                                // the face, d = width at the face, 1 at the last (Cerjan et al., Geophysics 50, 1985)
    MST_BOUNDARY_ABSORB = 4, // 0 outside, and the `width` nodes before the face are a convolutional perfectly matched layer for
                             // derivatives that updates mark by stretch_x, y or z (Roden and Gedney 2000)
    MST_BOUNDARY_ANTIMIRROR = 5,      // mirrored half a node outside with the other sign: node -k is minus node k - 1
    MST_BOUNDARY_MIRROR_NODE = 6,     // mirrored about node 0: node -k is node k
    MST_BOUNDARY_ANTIMIRROR_NODE = 7, // the same with the other sign: node -k is minus node k
} mst_boundary_kind;

// What is beyond a face of the grid.
typedef struct mst_stencil_boundary {
    mst_boundary_kind kind;
    const char *value; // Dirichlet: NULL is 0
    size_t width;      // sponge, absorbing layer
    // Of an absorbing layer; 0 means the default. At depth d of the width w its conductivity is sigma (d/w)^order, where sigma
    // makes a wave of `speed` that goes straight in and comes back from the face `reflection` times as large; its coordinate
    // stretch is 1 + (kappa - 1) (d/w)^order.
    double speed;      // 1 / (time_step sqrt(1/dx^2 + 1/dy^2 + 1/dz^2)), at which Yee's scheme is just stable
    double reflection; // 0.01 for 5 nodes, 0.001 for 10, 0.0001 for 20 (Collino and Tsogka, Geophysics 66, 2001)
    double order;      // 3
    double kappa;      // 1
    double alpha;      // the shift of the pole, 1 by time: 0.03 speed / spacing; none if it is negative
} mst_stencil_boundary;

// A number that expressions name.
typedef struct mst_stencil_parameter {
    const char *name;
    double value;
} mst_stencil_parameter;

// Initial values: dense or strided data of the grid's shape, float16, float32, float64, integers or bool, in host memory or a
// file; or an expression of x, y, z and the parameters; or, with neither, 0.
typedef struct mst_stencil_initial {
    const char *expression;
    mst_layout layout; // rank 0: no data
    mst_location data; // only read, and only during create
} mst_stencil_initial;

// A value at every node.
typedef struct mst_stencil_field {
    const char *name;
    int levels;       // 1, or 2: the scheme uses `name.prev` too; 0 means 1
    bool coefficient; // a coefficient field: never updated
    mst_stencil_initial initial;
    mst_stencil_initial previous; // of name.prev; with neither expression nor data: as `initial` (a start at rest)
    // Bytes of a value in memory: 0, those of the precision, or 2: float16 (with MST_FLOAT32), by which arrays, transfers and the
    // backing store are half as large. All is computed in float32. A value is rounded to float16, to nearest even, when an update
    // has made it, and again when a source was added, whether it goes to memory then or not, so results depend on no schedule; so
    // are initial values and those beyond faces. float16 has 11 bits from 6.1e-5 to 65504, steps of 6e-8 below, and infinity from
    // 65520 on, which check_every finds; initial values that large are refused.
    size_t storage_bytes;
    // The field's own faces, 2 rank as desc->boundaries, of which periodic ones and sponges are the same for all fields. NULL:
    // those; a coefficient field has none of its own.
    const mst_stencil_boundary *boundaries;
    // Materials by index: the initial data of a coefficient field are integers k, and its values table[k], computed during
    // create; `table` is only read then. A row that is NaN is none: data that name it are refused, as are those beyond the last.
    // Fields with the same data are tied together for the largest stable time step: their values are those of one row.
    const double *table;
    size_t n_table; // rows; 0: the data are the values
} mst_stencil_field;

// What a field becomes in a step.
typedef struct mst_stencil_update {
    const char *field; // at most once in the list
    const char *expression;
    size_t substep; // does not decrease along the list
} mst_stencil_update;

// What a place between nodes is to the nodes around it: weights that are products of one number an axis, computed in double. A
// whole number along an axis takes the node alone. Nodes beyond a periodic face are those at the other side; beyond a mirroring
// face they are their images; beyond a Dirichlet face of the value 0, which lies a node outside the grid, their images with the
// opposite sign; beyond other faces there are none (Hicks 2002, of free surfaces).
typedef enum mst_stencil_interpolation {
    // sinc(d) I0(b sqrt(1 - (d / r)^2)) / I0(b) at the distance d < r = `radius`, the Kaiser-windowed sinc of Hicks (Geophysics
    // 67, 2002), with b from his table 1 for waves of at least four nodes: 2 r nodes an axis, and an error of 1.3e-3 for r = 4
    MST_STENCIL_INTERPOLATION_SINC = 0,
    MST_STENCIL_INTERPOLATION_LINEAR = 1 // the two nodes beside it, an axis
} mst_stencil_interpolation;

struct mst_stencil_region;

// After its field's update in the step from k dt to (k + 1) dt, the value at `point` is raised by series(k dt), or by samples[k]
// (0 beyond n_samples). At a `position` between nodes the nodes around it are raised by that times their weights. In a `region`
// every node is raised by amplitude series(k dt - delay), computed in the solver's precision; regions take what their nodes
// cost, however many these are. Where several sources feed a node, those at points come first, then regions, each in the order
// of the list.
typedef struct mst_stencil_source {
    const char *field;
    size_t point[MST_MAX_AXES]; // node, slowest axis first
    const char *series;         // of t and the parameters; NULL: samples
    const double *samples;      // copied
    size_t n_samples;
    const double *position; // NULL: `point`. `rank` numbers of nodes, slowest axis first, which need not be whole: a coordinate
                            // divided by its spacing. From the first node to the last, or to a mirroring face (-0.5), a
                            // Dirichlet face of the value 0 (beyond -1), or the first node again of a periodic axis
    mst_stencil_interpolation interpolation;
    unsigned radius;                         // r of the sinc, 1 to 10; 0: 4
    const struct mst_stencil_region *region; // NULL: `point` or `position`. The source is at all of its nodes; steps are 1
    const char *amplitude;                   // of a region: of x, y, z and the parameters; NULL: 1
    const char *delay;                       // the same: what the time of the series is less by; NULL: 0. Not with samples
} mst_stencil_source;

// Values of a field at some nodes after every step; or at some positions, as the sums of their nodes' values times weights, added
// up in double.
typedef struct mst_stencil_receiver {
    const char *field;
    size_t n_points;
    const size_t (*points)[MST_MAX_AXES];
    const double (*positions)[MST_MAX_AXES]; // instead of points; each as mst_stencil_source.position
    mst_stencil_interpolation interpolation; // of positions
    unsigned radius;                         // as mst_stencil_source.radius
} mst_stencil_receiver;

// A part of the grid: number [k0][k1].. is node [start[0] + k0 step[0]][start[1] + k1 step[1]].., with k = 0 .. count - 1 along
// each axis. Where all of it is 0 it is the whole grid.
typedef struct mst_stencil_region {
    size_t start[MST_MAX_AXES], step[MST_MAX_AXES], count[MST_MAX_AXES];
} mst_stencil_region;

// How the values of an expression at the nodes of a region become one number. Sums are carried in pairs of numbers (Knuth's
// TwoSum, in double where the device has it), in an order that depends on the region alone, so they have the same bits whatever
// the schedule, the block or the budget, and their error is that of the values. A NaN among the values makes each of them NaN.
typedef enum mst_stencil_reduction {
    MST_STENCIL_SUM = 0,
    MST_STENCIL_MAX = 1,
    MST_STENCIL_MIN = 2,
    MST_STENCIL_MEAN = 3, // the sum divided by the number of nodes
    MST_STENCIL_NORM = 4  // the root of the sum of squares
} mst_stencil_reduction;

// A number made of the whole state: energy, a largest value, a mean. The expression may use what updates may, and is computed in
// the scheme's precision; fields are those of the step that is reached, t is its time k dt, and neighbours beyond faces are what
// updates of the next step find there.
typedef struct mst_stencil_monitor {
    const char *name; // by which `until` knows it
    const char *expression;
    mst_stencil_reduction reduction;
    uint64_t every; // it is recorded after every so many steps: every, 2 every, ..; 0: only mst_stencil_measure and `until` ask
    mst_stencil_region region;
} mst_stencil_monitor;

// The discrete Fourier transform in time of an expression (mostly the name of a field) at the nodes of a region:
//     sum over the steps k = every, 2 every, .. of value(k dt) exp(-i 2 pi f k dt) every dt
// for each frequency f, in cycles a unit of time: an approximation of the integral of value exp(-i 2 pi f t) dt from 0 to now.
// What a signal holds above 1 / (every dt) - f is taken for f (aliasing). The sums lie on the device, two numbers of the scheme's
// precision for each frequency and node, and are added to in that precision: after n additions the error is at most about
// n epsilon / 2 times the sum of the magnitudes, and as a rule its root of n.
typedef struct mst_stencil_spectrum {
    const char *expression;
    size_t n_frequencies;
    const double *frequencies; // copied
    uint64_t every;            // 0 is 1
    mst_stencil_region region;
} mst_stencil_spectrum;

// A name that stands for an expression, with arguments, "lap(f, c)", or without, "lap". Expressions call it with as many
// expressions, a field among them; in its own expression f[0,1] is what f stands for at the neighbour, and f.prev wants a field
// of two levels. It may use fields, x, t and the definitions before it. An argument hides what else has its name.
typedef struct mst_stencil_definition {
    const char *name;
    const char *expression;
} mst_stencil_definition;

// How a grid larger than the device goes through it: in blocks, each of which is advanced by several steps on a trip (temporal
// blocking). n is the depth of such a time tile, the steps a trip; m the steps fused in one kernel.
typedef enum mst_stencil_schedule {
    MST_STENCIL_AUTO = 0,    // the fastest by the model
    MST_STENCIL_IN_CORE = 1, // the whole state stays on the device
    MST_STENCIL_TRIVIAL = 2, // slabs, one step a trip
    MST_STENCIL_PYRAMID_SLABS =
        3, // overlapped tiling: slabs whose halos are computed twice (Golovashkin and Kochurov's pyramids)
    MST_STENCIL_PYRAMID_TILES = 4, // the same with blocks cut along the two slowest axes
    MST_STENCIL_SKEWED = 5,       // time skewing: slabs in order, each step shifted; what the next slab needs stays on the device
    MST_STENCIL_SWEEPS = 6,       // in core as well: every sub-step of every step is one pass over the grid, by plain kernels
    MST_STENCIL_SKEWED_SWEEPS = 7 // time skewing by these plain kernels, in place in one ring of planes on the device
} mst_stencil_schedule;

// How kernels use the device. GPU: the work-items of a group stream along the slowest axis, with registers along it and local
// memory sideways. CPU: a work-item keeps a tile in its cache and works on it with vectors. Either runs anywhere.
typedef enum mst_stencil_shape {
    MST_STENCIL_SHAPE_AUTO = 0, // by the device's type
    MST_STENCIL_SHAPE_GPU = 1,
    MST_STENCIL_SHAPE_CPU = 2
} mst_stencil_shape;

// The backing store: where a state lies that does not stay on the device.
typedef enum mst_stencil_store {
    MST_STENCIL_STORE_AUTO = 0,   // pinned on a device with memory of its own, else ordinary
    MST_STENCIL_STORE_PINNED = 1, // memory that the device copies from and to directly; taking it costs about 0.35 s a GiB
    MST_STENCIL_STORE_MEMORY = 2, // ordinary memory
    MST_STENCIL_STORE_FILE = 3    // `file`, from byte `file_offset`: mst_stencil_plan.state_bytes of it
} mst_stencil_store;

// How the devices of a context exchange halos. Beside the interior: a device computes what its neighbours are given first, and
// while that goes through the host's memory the rest. It needs a state that stays on the devices, and computes a little twice.
typedef enum mst_stencil_halo_exchange {
    MST_STENCIL_EXCHANGE_AUTO = 0,  // by a model; always waits with no_overlap
    MST_STENCIL_EXCHANGE_WAITS = 1, // nothing is computed meanwhile
    MST_STENCIL_EXCHANGE_BESIDE = 2 // where it is possible; else it waits
} mst_stencil_halo_exchange;

// Numbers smaller than the smallest normal one (1.2e-38 in float32, 2.2e-308 in float64), with which a CPU computes many times as
// slowly. Flushed: such a number becomes 0 as soon as an update has made it, and where it is an initial value, or one that
// mst_stencil_write gives, so no array holds one; and kernels are built so that the device may take what comes up on the way for
// 0, too, as CPUs under PoCL and float32 on NVIDIA's GPUs do. A result is then still the same in every bit whatever the schedule,
// the block or the budget, but on another device it may differ by as much as such numbers are.
typedef enum mst_stencil_subnormals { MST_STENCIL_SUBNORMALS_KEEP = 0, MST_STENCIL_SUBNORMALS_FLUSH = 1 } mst_stencil_subnormals;

// A part of the grid: some planes of its slowest axis (runs, of an ensemble), which a solver has alone while others have the
// rest: ranks of a job, say. It also holds halos, planes of its neighbours on both sides, as deep as `steps` steps read. A result
// has the same bits as that of one solver with the whole grid.
typedef struct mst_stencil_part {
    size_t first, planes;
    uint64_t steps; // that can be run until halos have to be written again; at least 1
} mst_stencil_part;

// A brick of the grid, which a solver has alone in the same way: its nodes first .. first + count - 1 along each axis, of a grid
// that is cut along any of them (mst_stencil_brick_of). It also holds halos on all sides where others have what is beside it.
typedef struct mst_stencil_brick {
    size_t struct_size;
    size_t first[MST_MAX_AXES], count[MST_MAX_AXES];
    uint64_t steps;              // that can be run until halos have to be written again; at least 1
    size_t bricks[MST_MAX_AXES]; // along each axis, how many there are; for the caller: a solver does not read what follows
    uint64_t messages, bytes;    // that it gives in an exchange: one for each neighbour
} mst_stencil_brick;

#define MST_STENCIL_BRICK_INIT                                                                                                   \
    { sizeof(mst_stencil_brick), {0, 0, 0}, {0, 0, 0}, 0, {0, 0, 0}, 0, 0 }

// What mst_stencil_create makes a solver of.
typedef struct mst_stencil_desc {
    size_t struct_size;
    int rank; // 1..3
    size_t grid[MST_MAX_AXES];
    double spacing[MST_MAX_AXES]; // an axis, in the order of `grid`
    double time_step;
    mst_type precision; // MST_FLOAT32 or MST_FLOAT64

    size_t n_parameters, n_fields, n_updates, n_sources, n_receivers;
    const mst_stencil_parameter *parameters;
    const mst_stencil_field *fields;
    const mst_stencil_update *updates;
    const mst_stencil_source *sources;
    const mst_stencil_receiver *receivers;
    const mst_stencil_boundary *boundaries; // 2 rank: of an axis at index 0, then at the last; NULL: all Dirichlet with 0;
                                            // fields may have others
    size_t parameter_size, field_size, update_size, source_size, receiver_size, boundary_size; // sizeof the elements

    mst_stencil_schedule schedule;
    size_t depth;    // n, at most 2^20; 0: chosen
    unsigned fuse;   // m; 0: chosen
    size_t block;    // nodes of a block along the slowest axis (tiles: along each of the two slowest); 0: chosen
    bool no_overlap; // uploads, kernels and downloads one after the other
    mst_stencil_shape shape;
    mst_stencil_store store;
    int file;
    uint64_t file_offset;
    // Of all runs together, so that planning takes no longer than it saves; 0: not known. A context with a cache adds those of
    // solvers that were made for the same scheme and grid within a day.
    uint64_t expected_steps;
    // Steps after which a run looks whether the fields are still finite, which it also does when it ends; UINT64_MAX: only then;
    // 0: never. Each time all fields are read once, by the device if the state is there, else by the host.
    uint64_t check_every;

    // What is looked at while the scheme runs. The device reads what an expression uses once each time; trips through the device
    // end at these steps, so the depth is chosen by how far they lie apart. A state in a backing store goes to the device for it.
    size_t n_monitors, n_spectra;
    const mst_stencil_monitor *monitors;
    const mst_stencil_spectrum *spectra;
    size_t monitor_size, spectrum_size; // sizeof the elements
    // A run ends where this holds (NULL: nowhere): a condition of the names of monitors, t, dt and the parameters, looked at
    // after the steps until_every, 2 until_every, .. (0 is 1) and where a run begins at one of these.
    const char *until;
    uint64_t until_every;

    // An ensemble: n_runs problems that differ in parameters, computed together, to the bits of each alone. 0: one problem. Run r
    // has run_values[r * n_run_parameters + k] for the parameter run_parameters[k], in place of the value that `parameters` may
    // have. Arrays that are read and written (regions, initial data, where these have one axis more than the grid) get the runs
    // as their slowest axis, and a receiver records the values at its points run by run. Of grids of three axes regions, and
    // memory variables, have the planes of all runs in their first axis, plane k of run r being number r grid[0] + k; they stay
    // on the device (MST_STENCIL_SWEEPS), there are at most 65535 runs, and no parts. So does a monitor: its values are n_runs
    // numbers a look. Regions of monitors and spectra are of a run's grid; a spectrum's sums are those of its nodes run by run,
    // for each frequency. A run of the solver ends where `until` holds in every run at once.
    size_t n_runs, n_run_parameters;
    const char *const *run_parameters;
    const double *run_values;
    size_t n_definitions, definition_size; // definition_size: sizeof the elements
    const mst_stencil_definition *definitions;

    // NULL: the whole grid. Else all else is of the whole grid, places and initial data, too, of which the solver reads the
    // planes that it holds. What monitors see, and the condition, all parts find together (mst_stencil_look_part); of spectra
    // it has the sums at its own planes. mst_stencil_read is of its own planes (region NULL: all of
    // them; nodes are numbered in the whole grid), mst_stencil_write of all planes that it holds. A point of a receiver is
    // that of the part that has the node with its largest weight; in others it is NaN. Points between nodes make halos deeper by
    // as far as their nodes reach. The grid has two axes or three (an ensemble's, one or two).
    const mst_stencil_part *part;

    // How the grid is shared out among the devices of the context: a number for each, not negative, of which 3 and 1 mean three
    // quarters and one. 0: by their compute units, or as measured where they are of different makes. With one device they do not
    // matter.
    size_t n_shares;
    const double *shares;
    mst_stencil_halo_exchange exchange; // of halos between these devices (of a part: in mst_stencil_run_part),
    uint32_t exchange_every;            // and the steps between two, which parts have to be thick enough for; 0: chosen
    // A brick in place of a part; NULL: none. All that is said of a part's planes is so of its nodes along every axis. An
    // ensemble has parts only.
    const mst_stencil_brick *brick;
    uint64_t subnormals; // mst_stencil_subnormals
} mst_stencil_desc;

#define MST_STENCIL_DESC_INIT                                                                                                    \
    {                                                                                                                            \
        sizeof(mst_stencil_desc), 0, {0, 0, 0}, {1.0, 1.0, 1.0}, 1.0, MST_FLOAT32, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL,  \
            NULL, sizeof(mst_stencil_parameter), sizeof(mst_stencil_field), sizeof(mst_stencil_update),                          \
            sizeof(mst_stencil_source), sizeof(mst_stencil_receiver), sizeof(mst_stencil_boundary), MST_STENCIL_AUTO, 0, 0, 0,   \
            false, MST_STENCIL_SHAPE_AUTO, MST_STENCIL_STORE_AUTO, -1, 0, 0, 0, 0, 0, NULL, NULL, sizeof(mst_stencil_monitor),   \
            sizeof(mst_stencil_spectrum), NULL, 0, 0, 0, NULL, NULL, 0, sizeof(mst_stencil_definition), NULL, NULL, 0, NULL,     \
            MST_STENCIL_EXCHANGE_AUTO, 0, NULL, MST_STENCIL_SUBNORMALS_KEEP                                                      \
    }

// What is chosen, and what the model says of it: times from rates that are measured on the device. They
// are kept for a day with the compiled kernels, where these are, and taken from there for plans of the same kernels.
typedef struct mst_stencil_plan {
    size_t struct_size;
    mst_stencil_schedule schedule;
    mst_stencil_shape shape;
    mst_stencil_store store;
    size_t depth;  // n; of an in-core run: m
    unsigned fuse; // m
    size_t block;
    uint64_t state_bytes;    // of the backing store, or of the state on the device: all fields, both levels
    uint64_t device_bytes;   // taken of the device, tables included
    uint64_t host_bytes;     // of the backing store in memory
    double seconds;          // predicted for the steps asked for
    uint64_t upload_bytes;   // over the bus, for those steps
    uint64_t download_bytes; //
    double duplicated;       // updates computed / updates needed - 1
    // Of a context of several devices: how many of them have a part of the grid (0: one has all of it), after how many steps they
    // exchange halos, and the planes of the first MST_STENCIL_MAX_PARTS devices. The members above are those
    // of the first (schedule, depth, fuse, block) or of all together.
    size_t n_parts;
    uint64_t part_steps;
    size_t part_planes[MST_STENCIL_MAX_PARTS]; // of each device
    uint64_t part_beside;                      // 1: exchanges go on beside the interior; 0: they wait
} mst_stencil_plan;

#define MST_STENCIL_PLAN_INIT                                                                                                    \
    {                                                                                                                            \
        sizeof(mst_stencil_plan), MST_STENCIL_AUTO, MST_STENCIL_SHAPE_AUTO, MST_STENCIL_STORE_AUTO, 0, 0, 0, 0, 0, 0, 0.0, 0, 0, \
            0.0, 0, 0, {0}, 0                                                                                                    \
    }

// What a run did. mst_stencil_describe says what the model predicts for as many steps.
typedef struct mst_stencil_report {
    size_t struct_size;
    uint64_t steps;             // done
    double seconds;             // wall clock
    double node_steps_a_second; // grid nodes x steps / seconds
    uint64_t upload_bytes;      // moved in fact
    uint64_t download_bytes;
    bool ended; // the condition `until` holds: fewer steps than asked for may have been done
} mst_stencil_report;

#define MST_STENCIL_REPORT_INIT                                                                                                  \
    { sizeof(mst_stencil_report), 0, 0.0, 0.0, 0, 0, false }

// The program's name of a schedule, "pyramid-slabs" say; "unknown schedule" for a value that is none. Static. Thread-safe.
MST_API const char *mst_stencil_schedule_name(mst_stencil_schedule schedule);

// The plan that mst_stencil_create would choose with expected_steps = `steps`, with the model's figures for so many steps,
// without taking memory for the state or reading initial data. Blocks while kernels are built and rates measured. Errors as
// mst_stencil_create. Thread-safe on one context.
MST_API mst_status mst_stencil_predict(mst_context *context, const mst_stencil_desc *desc, uint64_t steps, mst_stencil_plan *plan,
                                       mst_error *error);

// What an expression may read besides parameters, spacings and the time step.
typedef enum mst_stencil_reads {
    MST_STENCIL_READS_PLACES = 1, // x, y, z
    MST_STENCIL_READS_TIME = 2,   // t
    MST_STENCIL_READS_FIELDS = 4,
    MST_STENCIL_READS_ALL = 7
} mst_stencil_reads;

// Checks one expression of a description as mst_stencil_create will, while its updates, sources and the like may still be
// missing: of desc, the grid, time_step, precision, parameters, fields (without initial values) and definitions are read. `reads`
// says what it may read, mst_stencil_reads added together. `what` names it in messages. MST_ERROR_ARGUMENT;
// MST_ERROR_HOST_MEMORY. Thread-safe.
MST_API mst_status mst_stencil_check_expression(const mst_stencil_desc *desc, const char *text, const char *what, unsigned reads,
                                                mst_error *error);
// The same for the definition of that number, whose arguments are not known yet.
MST_API mst_status mst_stencil_check_definition(const mst_stencil_desc *desc, size_t number, mst_error *error);

// Makes a solver: checks everything, chooses the plan, writes and builds kernels, takes memory, and sets the initial state as
// step 0. *out is the caller's, freed by mst_stencil_destroy before the context; NULL on failure. Strings and tables of desc are
// copied. MST_ERROR_ARGUMENT: anything in desc, with its place (for expressions, the column and what was expected);
// MST_ERROR_UNSUPPORTED: float64 on a device without it; MST_ERROR_BUDGET: with the least device memory that works;
// MST_ERROR_DEVICE_MEMORY; MST_ERROR_HOST_MEMORY; MST_ERROR_IO; MST_ERROR_BUILD; MST_ERROR_OPENCL. Blocks. Thread-safe on one
// context.
MST_API mst_status mst_stencil_create(mst_context *context, const mst_stencil_desc *desc, mst_stencil **out, mst_error *error);
MST_API void mst_stencil_destroy(mst_stencil *solver);

// Advances by `steps` steps, or fewer where the condition `until` holds, and blocks until they are done. how may be NULL; of its
// members progress is used, with steps that are done or queued, and cancels between trips through the device; event, wait list
// and report are not taken. report may be NULL. MST_ERROR_CANCELLED: the state is that of mst_stencil_step, a step reached
// before. MST_ERROR_DIVERGED (desc->check_every): the same, and a field has more values that are infinite or NaN than it began
// with, or than mst_stencil_write gave it, so a mask of NaN is not taken for a failure; the message has the field and the steps
// between. After any other failure the state is lost: run and read give MST_ERROR_ARGUMENT until every level of every field but
// coefficient fields was written again. Threads take turns, in this and in what follows.
MST_API mst_status mst_stencil_run(mst_stencil *solver, uint64_t steps, const mst_execution *how, mst_stencil_report *report,
                                   mst_error *error);

// The number of the step that the state has reached. Setting it (after mst_stencil_write, to resume) changes t = step *
// time_step, and forgets what receivers and monitors recorded; sums of spectra stay. A progress function may ask for it.
// MST_ERROR_ARGUMENT: no solver.
MST_API uint64_t mst_stencil_step(const mst_stencil *solver);
MST_API mst_status mst_stencil_set_step(mst_stencil *solver, uint64_t step, mst_error *error);

// The choices that were made, with the model's figures for `steps` steps. MST_ERROR_ARGUMENT. Thread-safe.
MST_API mst_status mst_stencil_describe(const mst_stencil *solver, uint64_t steps, mst_stencil_plan *plan, mst_error *error);

// Reads a region of a field (NULL: all of it; its nodes are numbered as above) into `to`, host memory or a file, in C order
// without gaps, in the solver's precision. level 0 is the field, 1 its .prev. Blocks. MST_ERROR_ARGUMENT: no such field, level or
// nodes; MST_ERROR_IO; MST_ERROR_OPENCL.
MST_API mst_status mst_stencil_read(mst_stencil *solver, const char *field, int level, const mst_stencil_region *region,
                                    mst_location to, mst_error *error);

// Replaces a field's level by an array of the grid's shape from host memory or a file, in C order without gaps, in the solver's
// precision; only read. Coefficient fields too. Blocks. Errors as mst_stencil_read.
MST_API mst_status mst_stencil_write(mst_stencil *solver, const char *field, int level, mst_location from, mst_error *error);

// The same with a type of the numbers in memory or the file. Reading takes the solver's precision (as 0), and float16 of a field
// stored so; both hold its values exactly. Writing takes every real type, and rounds to the solver's precision and then to what
// the field is stored as: bits read as float16 are the same once they are written and read again (but for those of NaN).
// MST_ERROR_ARGUMENT: another type, or a finite value beyond float32 in a solver of float32 or beyond float16 for a field stored
// so; else errors as mst_stencil_read.
MST_API mst_status mst_stencil_read_as(mst_stencil *solver, const char *field, int level, const mst_stencil_region *region,
                                       mst_type type, mst_location to, mst_error *error);
MST_API mst_status mst_stencil_write_as(mst_stencil *solver, const char *field, int level, mst_type type, mst_location from,
                                        mst_error *error);

// The same of an array of the whole grid (of a memory variable, of all of its shape), for solvers of a part: what `to` has of the
// part's own planes is written, and of `from` what the part holds is read. So all parts write one file, and any others read it.
MST_API mst_status mst_stencil_read_whole(mst_stencil *solver, const char *field, int level, mst_type type, mst_location to,
                                          mst_error *error);
MST_API mst_status mst_stencil_write_whole(mst_stencil *solver, const char *field, int level, mst_type type, mst_location from,
                                           mst_error *error);

// The memory variables of a scheme's absorbing layers, parts of the state beside the fields. mst_stencil_read and
// mst_stencil_write take each by its name, at level 0, as an array of its shape, and a state is written again only when all of
// them are.
typedef struct mst_stencil_memory {
    size_t struct_size;
    size_t n; // of them in all
    size_t
        shape[MST_MAX_AXES]; // of number `index`, if there is one: the nodes in the layers of its axis, the lower layer's first
    char name[64];
} mst_stencil_memory;

#define MST_STENCIL_MEMORY_INIT                                                                                                  \
    { sizeof(mst_stencil_memory), 0, {0, 0, 0}, "" }

// Memory variable number `index` (from 0 on) of the scheme that desc describes; with none, only how many there are.
// MST_ERROR_ARGUMENT: as mst_stencil_create. Thread-safe.
MST_API mst_status mst_stencil_find_memory(const mst_stencil_desc *desc, size_t index, mst_stencil_memory *out, mst_error *error);

// What receiver number `receiver` recorded after the steps first .. first + count - 1 (step 1 is the first after step 0):
//     values[k * n_points + p] = the field at point p after step first + k.
// `values` has room for count * n_points numbers. MST_ERROR_ARGUMENT: no such receiver, or steps not run since creation or
// mst_stencil_set_step.
MST_API mst_status mst_stencil_read_receiver(const mst_stencil *solver, size_t receiver, uint64_t first, uint64_t count,
                                             double *values, mst_error *error);

// How to cut the grid of a description into n parts, by shares (n numbers, none negative, not all 0; NULL: equal ones). Each of
// parts[0 .. n - 1] gets its planes, in order, and the same `steps`: those given, or (0) as many as a model holds to be best.
// A share of 0 has no planes, and so have the last parts if there are too few planes for halos. A grid of one axis is not cut:
// the first part that has a share has all its nodes. Needs no context. Thread-safe. MST_ERROR_ARGUMENT: as mst_stencil_create;
// MST_ERROR_HOST_MEMORY.
MST_API mst_status mst_stencil_divide(const mst_stencil_desc *desc, const double *shares, size_t n, uint64_t steps,
                                      mst_stencil_part *parts, mst_error *error);

// Brick number `number` of n, in the order of their places, into which the grid of a description is cut: `bricks` of them along
// each axis, whose product is n; NULL, or all 0: as many as a model of messages and bytes finds best, cut along the slowest axis
// alone where that is as good. `steps` between exchanges; 0: as many as the model holds to be best. Where only the slowest axis
// is cut, the last ones of n may have no nodes, as by mst_stencil_divide. *brick is from its INIT. Needs no context. Thread-safe.
// MST_ERROR_ARGUMENT: as mst_stencil_create; also too many bricks for the nodes of an axis, which are to have as many as halos
// are deep; MST_ERROR_UNSUPPORTED: an ensemble that is cut along another axis than that of its runs; MST_ERROR_HOST_MEMORY.
MST_API mst_status mst_stencil_brick_of(const mst_stencil_desc *desc, const size_t bricks[MST_MAX_AXES], size_t n, size_t number,
                                        uint64_t steps, mst_stencil_brick *brick, mst_error *error);

// The halos of a part: [0] is the side below, of planes with smaller numbers, [1] that above. Where the slowest axis is periodic
// the first part is above the last one. Of a brick, `planes` are nodes along the slowest axis, and bytes [0] are those of all
// neighbours together.
typedef struct mst_stencil_halo {
    size_t struct_size;
    size_t planes[2];                        // that are held beside its own; 0: at a face, or nothing is read there
    uint64_t given_bytes[2], taken_bytes[2]; // of mst_stencil_read_halo and mst_stencil_write_halo
    uint64_t steps_left;                     // for which halos still hold
} mst_stencil_halo;

#define MST_STENCIL_HALO_INIT                                                                                                    \
    { sizeof(mst_stencil_halo), {0, 0}, {0, 0}, {0, 0}, 0 }

// A neighbour of a brick. Whoever it is lies `side` bricks away along each axis, -1, 0 or 1, around a periodic axis, and has this
// one at the opposite side. What it is given are the bytes from given_at on of mst_stencil_neighbours.given[0].
typedef struct mst_stencil_neighbour {
    size_t struct_size;
    size_t n; // of them in all
    int side[MST_MAX_AXES];
    uint64_t given_at, given_bytes, taken_at, taken_bytes;
} mst_stencil_neighbour;

#define MST_STENCIL_NEIGHBOUR_INIT                                                                                               \
    { sizeof(mst_stencil_neighbour), 0, {0, 0, 0}, 0, 0, 0, 0 }

// Neighbour number `index` (from 0 on) of a solver's brick; with none, only how many there are. (Of a part, those below and
// above.) MST_ERROR_ARGUMENT: the solver has the whole grid, or neighbour is NULL or not from its INIT.
MST_API mst_status mst_stencil_describe_neighbour(mst_stencil *solver, size_t index, mst_stencil_neighbour *neighbour,
                                                  mst_error *error);

// Says what a solver of a part of a grid holds of its neighbours. MST_ERROR_ARGUMENT: halo is NULL, or not from its INIT.
MST_API mst_status mst_stencil_describe_halo(mst_stencil *solver, mst_stencil_halo *halo, mst_error *error);

// Fetches what the neighbour at a side needs of this part, given_bytes of it, which the neighbour writes as the halo at its other
// side, taken_bytes, as many. When both sides with bytes are written, halos hold for part->steps steps again; both are to be read
// before either is written by parts that are neighbours on both sides. They block. MST_ERROR_ARGUMENT: no part, or no such side;
// MST_ERROR_OPENCL; MST_ERROR_IO. A solver begins with halos that hold, and has such again when all arrays of the state were
// written. Of a brick, `side` is the number of a neighbour, and all are to be read before any is written.
MST_API mst_status mst_stencil_read_halo(mst_stencil *solver, int side, void *to, mst_error *error);
MST_API mst_status mst_stencil_write_halo(mst_stencil *solver, int side, const void *from, mst_error *error);

// How a part of a grid meets its neighbours while it runs. `given` and `taken` are host memory of the caller's for given_bytes
// and taken_bytes of mst_stencil_halo (NULL where those are 0), best pinned; of a brick [0] is for all neighbours. `exchange` is
// called by the thread that runs, when `given` is there, and returns when the neighbours at both sides have that and `taken` has
// what they give; any other status than MST_OK ends the run with it.
typedef struct mst_stencil_neighbours {
    size_t struct_size;
    void *given[2], *taken[2];
    uint64_t first; // the steps before the first exchange, for which halos still hold; behind it come part->steps at a time
    mst_status (*exchange)(void *user, mst_error *error);
    void *user;
    uint64_t goes_on; // 1: another run follows, so fields are not looked at when this one ends (check_every), and halos that it
                      // has used up are exchanged at its end, which may be beside its last steps
} mst_stencil_neighbours;

#define MST_STENCIL_NEIGHBOURS_INIT                                                                                              \
    { sizeof(mst_stencil_neighbours), {NULL, NULL}, {NULL, NULL}, 0, NULL, NULL, 0 }

// mst_stencil_run of a part of a grid by more steps than halos hold for: they are exchanged where they are used up and there are
// steps to come (or goes_on). With MST_STENCIL_EXCHANGE_BESIDE, and a state that stays on the device, what the neighbours need is
// computed first, and `exchange` called while the device computes the rest. Errors are those of mst_stencil_run, and what
// `exchange` returns. MST_ERROR_ARGUMENT: also no part, memory that is missing, or `first` steps for which halos do not hold.
MST_API mst_status mst_stencil_run_part(mst_stencil *solver, uint64_t steps, const mst_stencil_neighbours *neighbours,
                                        const mst_execution *how, mst_stencil_report *report, mst_error *error);

// How the parts of a grid meet to find what monitors see of all of it: functions of the caller's, called by the thread that
// looks, which return when that is done. `take` receives what the part below gave, and `give` gives to the part above: the next
// ones that have planes. `join` makes each of n numbers of 8 bytes the exclusive or, bit by bit, of those of all parts that have
// planes, for all of them. `error` may be NULL. Where one returns another status than MST_OK the look ends at once with that, on
// this part. A part whose own work fails goes on meeting the others and ends with its own status; theirs is MST_OK, and what they
// found is wrong, so all parts have to tell each other whether they failed. Bricks that are cut along other axes than the slowest
// only join.
typedef struct mst_stencil_meeting {
    size_t struct_size;
    mst_status (*take)(void *user, void *to, size_t bytes, mst_error *error);
    mst_status (*give)(void *user, const void *from, size_t bytes, mst_error *error);
    mst_status (*join)(void *user, void *numbers, size_t n, mst_error *error);
    void *user;
} mst_stencil_meeting;

#define MST_STENCIL_MEETING_INIT                                                                                                 \
    { sizeof(mst_stencil_meeting), NULL, NULL, NULL, NULL }

// By all parts of a grid at the same step, in the same order. The first does what is due after the step that they have reached,
// once: monitors record, spectra are added to; *ended: the condition `until` was looked at, and holds; false after a failure.
// Where it holds the part's fields are looked at, too (check_every; MST_ERROR_DIVERGED, after which the state can be read). A
// part is not run beyond a step behind which something is due before that is done. The second is mst_stencil_measure. Every part
// gets the value that one solver of the whole grid would find, in every bit. Both block until the other parts have come.
// MST_ERROR_ARGUMENT: no part, or a state that was lost, which meet nobody; else errors are those of mst_stencil_measure and what
// the functions of the meeting return. After another failure of the first the state is lost.
MST_API mst_status mst_stencil_look_part(mst_stencil *solver, const mst_stencil_meeting *meeting, bool *ended, mst_error *error);
MST_API mst_status mst_stencil_measure_part(mst_stencil *solver, size_t monitor, const mst_stencil_meeting *meeting,
                                            double *value, mst_error *error);

// The step, the one that a solver of a part has reached or a later one, after which something is due next that is not done yet: a
// monitor, a spectrum, the condition; UINT64_MAX: there is none.
MST_API uint64_t mst_stencil_next_look(const mst_stencil *solver);

// What von Neumann's analysis finds of a scheme.
typedef struct mst_stencil_stability {
    size_t struct_size;
    double time_step_limit;    // the largest stable time step; INFINITY: any is stable; 0: none is
    double wave[MST_MAX_AXES]; // the plane wave that grows first beyond it: radians from node to node, an axis of `grid`
    double growth_rate;        // solutions of eight nodes a wavelength and more grow by at most exp(growth_rate t), however
                               // small the time step, which counts as stable; 0: none does
} mst_stencil_stability;

#define MST_STENCIL_STABILITY_INIT                                                                                               \
    { sizeof(mst_stencil_stability), 0.0, {0.0, 0.0, 0.0}, 0.0 }

// The largest time step at which no plane wave grows, for a scheme whose updates are linear in the fields: the spectral radius of
// the amplification matrix of a whole step, at most 1, numerically over all wave numbers (von Neumann's analysis: Charney,
// Fjortoft and von Neumann, Tellus 2, 1950). Coefficients are frozen at their extremes: coefficient fields given as data at the
// least and the largest value in all combinations, expressions of x, y and z at nodes where what multiplies a field is least or
// largest. Boundaries, sources and rounding are left out, and so is what coefficients that vary from node to node may add: take
// a little less, 0.95 of it say. Of desc the time step matters only as the place where the search begins. Needs no context and
// no device, and reads the data of coefficient fields. Takes a millisecond for one field and seconds for twenty in three
// dimensions; blocks. MST_ERROR_UNSUPPORTED: not known, with the reason, the product of two fields say; else errors as
// mst_stencil_create's. Thread-safe.
MST_API mst_status mst_stencil_time_step_limit(const mst_stencil_desc *desc, mst_stencil_stability *stability, mst_error *error);

// A monitor's value of the state as it is; of an ensemble, n_runs of them, one a run. *value is written on success. Blocks.
// MST_ERROR_ARGUMENT: no such monitor, or the state was lost; MST_ERROR_HOST_MEMORY; MST_ERROR_IO; MST_ERROR_OPENCL.
MST_API mst_status mst_stencil_measure(mst_stencil *solver, size_t monitor, double *value, mst_error *error);

// What monitor number `monitor` recorded: values[k] is that after step (first + k) every, for k = 0 .. count - 1; first is at
// least 1. Of an ensemble values[k * n_runs + r] is that of run r. A progress function may ask for it. MST_ERROR_ARGUMENT: no
// such monitor, or steps not run since creation or mst_stencil_set_step.
MST_API mst_status mst_stencil_read_monitor(const mst_stencil *solver, size_t monitor, uint64_t first, uint64_t count,
                                            double *values, mst_error *error);

// A spectrum's sums so far, for frequency j at node k of the region (in C order) the complex number j n_nodes + k, to or from
// host memory or a file: complex64 for float32 schemes, else complex128. Writing them, as after mst_stencil_write to resume,
// replaces them; both block. A part of a grid moves those of its own planes, to and from where they are among all.
// MST_ERROR_ARGUMENT: no such spectrum, or memory of a device; MST_ERROR_HOST_MEMORY; MST_ERROR_IO; MST_ERROR_OPENCL.
MST_API mst_status mst_stencil_read_spectrum(mst_stencil *solver, size_t spectrum, mst_location to, mst_error *error);
MST_API mst_status mst_stencil_write_spectrum(mst_stencil *solver, size_t spectrum, mst_location from, mst_error *error);

#ifdef __cplusplus
}
#endif
#endif
