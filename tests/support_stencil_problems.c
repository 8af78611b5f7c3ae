#include "support_stencil.h"

#include <unistd.h>

// Problems that between them have every feature. Grids and faces are set by the tests.
typedef struct problem {
    const char *name;
    int rank;
    mst_type precision;
    size_t grid[MST_MAX_AXES];
    mst_stencil_boundary boundaries[MST_MAX_AXES][2];
    mst_stencil_field fields[4];
    mst_stencil_update updates[4];
    mst_stencil_source sources[5];
    mst_stencil_receiver receivers[2];
} problem;

#define DIRICHLET(text)                                                                                                          \
    { .kind = MST_BOUNDARY_DIRICHLET, .value = text }
#define NEUMANN                                                                                                                  \
    { .kind = MST_BOUNDARY_NEUMANN }
#define PERIODIC                                                                                                                 \
    { .kind = MST_BOUNDARY_PERIODIC }
#define SPONGE(nodes)                                                                                                            \
    { .kind = MST_BOUNDARY_SPONGE, .width = nodes }
#define ANTIMIRROR                                                                                                               \
    { .kind = MST_BOUNDARY_ANTIMIRROR }
#define MIRROR_NODE                                                                                                              \
    { .kind = MST_BOUNDARY_MIRROR_NODE }
#define ANTIMIRROR_NODE                                                                                                          \
    { .kind = MST_BOUNDARY_ANTIMIRROR_NODE }
#define INITIAL(text)                                                                                                            \
    { .expression = text }

static const mst_stencil_parameter parameters[] = {{"a", 0.1875}, {"c", 0.37}};
static const size_t points_2d[][MST_MAX_AXES] = {{0, 0}, {5, 7}, {30, 40}, {17, 20}, {17, 3}};
static const double samples[] = {0.5, -0.25, 0.125, 0.3};

// Places near faces, regions over whole axes and over one node.
static const double at_corner[] = {36.3, 1.25}, at_face[] = {2.5, 22.75, -0.5}, near_zero[] = {3.4, -0.5};
static const double positions_2d[][MST_MAX_AXES] = {{0.3, 48.75}, {17, 20.5}, {36.875, 3}};
static const double positions_3d[][MST_MAX_AXES] = {{18.25, 0.5, 36}, {0, 11.125, 35.875}};
static const mst_stencil_region line_2d = {{11, 0}, {1, 1}, {1, 50}}, corner_2d = {{38, 17}, {1, 1}, {3, 29}},
                                row_2d = {{12, 300}, {1, 1}, {2, 600}}, plane_3d = {{4, 0, 3}, {1, 1, 1}, {1, 23, 30}},
                                seam_box_3d = {{0, 50, 5}, {1, 1, 1}, {8, 6, 100}}, seam_part_1d = {{1900}, {1}, {48}};

static const problem heat_2d = {
    .name = "heat 2-D",
    .rank = 2,
    .precision = MST_FLOAT32,
    .grid = {53, 71},
    .boundaries = {{DIRICHLET(NULL), DIRICHLET("0.5 + 0.01 * x")}, {NEUMANN, DIRICHLET("sin(3 * t) > 0 ? y : 0.25")}},
    .fields = {{.name = "u", .initial = INITIAL("sin(0.3 * x) * cos(0.2 * y + 1) + x * y / 1000")}},
    .updates = {{"u", "u + a * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)", 0}},
};

static const problem wave_2d = {
    .name = "wave 2-D",
    .rank = 2,
    .precision = MST_FLOAT64,
    .grid = {37, 50},
    .boundaries = {{PERIODIC, PERIODIC}, {SPONGE(9), SPONGE(5)}},
    .fields = {{.name = "u", .levels = 2, .initial = INITIAL("exp(-((x - 20)^2 + (y - 11)^2) / 20)")},
               {.name = "speed", .coefficient = true, .initial = INITIAL("1 + 0.01 * x + 0.02 * y")}},
    .updates = {{"u",
                 "2*u - u.prev + (c * speed * dt / dx)^2 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)"
                 " + 0.01 * (speed[0,1] - speed[1,0])",
                 0}},
    .sources = {{.field = "u", .point = {5, 7}, .series = "sin(t) * a"},
                {.field = "u", .point = {5, 7}, .samples = samples, .n_samples = 4},
                {.field = "u", .point = {36, 49}, .samples = samples, .n_samples = 4},
                {.field = "u", .position = at_corner, .series = "cos(t)"},
                {.field = "u", .region = &line_2d, .series = "t - 0.1 * t^2", .amplitude = "1 + x / 50", .delay = "x / 20"}},
    .receivers = {{.field = "u", .n_points = 5, .points = points_2d}, {.field = "u", .n_points = 3, .positions = positions_2d}},
};

static const problem gray_scott = {
    .name = "Gray-Scott",
    .rank = 2,
    .precision = MST_FLOAT32,
    .grid = {45, 41},
    .boundaries = {{NEUMANN, NEUMANN}, {PERIODIC, PERIODIC}},
    .fields = {{.name = "u", .initial = INITIAL("1 - 0.5 * (x > 10 && x < 20 && y > 9 && y < 25)")},
               {.name = "v", .initial = INITIAL("0.25 * (x > 10 && x < 20 && y > 12 && y < 25)")}},
    .updates = {{"u", "u + dt * (a * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u) - u*v^2 + 0.04 * (1 - u))", 0},
                {"v", "v + dt * (a / 2 * (v[-1,0] + v[1,0] + v[0,-1] + v[0,1] - 4*v) + u*v^2 - 0.1 * v)", 0}},
    .receivers = {{.field = "v", .n_points = 4, .points = points_2d}, {.field = "u", .n_points = 2, .points = points_2d + 3}},
};

static const problem yee_2d = {
    .name = "Yee 2-D",
    .rank = 2,
    .precision = MST_FLOAT64,
    .grid = {41, 46},
    .boundaries = {{DIRICHLET(NULL), NEUMANN}, {DIRICHLET("0.1"), SPONGE(6)}},
    .fields = {{.name = "ez", .initial = INITIAL("sin(x / 3)")}, {.name = "hx"}, {.name = "hy", .initial = INITIAL("y / 50")}},
    .updates = {{"hx", "hx - c * (ez[1,0] - ez)", 0},
                {"hy", "hy + c * (ez[0,1] - ez)", 0},
                {"ez", "ez + c * (hy - hy[0,-1] - hx + hx[-1,0])", 1}},
    .sources = {{.field = "ez", .point = {17, 20}, .series = "sin(t)"},
                {.field = "hx", .region = &corner_2d, .samples = samples, .n_samples = 4},
                {.field = "ez", .region = &corner_2d, .series = "cos(t)", .amplitude = "(x - 20)^2 / 90"}},
    .receivers = {{.field = "ez", .n_points = 5, .points = points_2d}},
};

// Corners, long reaches, one-sided reads, values of t on a face at the step before.
static const problem wide_2d = {
    .name = "wide 2-D",
    .rank = 2,
    .precision = MST_FLOAT32,
    .grid = {33, 39},
    .boundaries = {{NEUMANN, DIRICHLET("x - y")}, {DIRICHLET("t"), NEUMANN}},
    .fields = {{.name = "u", .levels = 2, .initial = INITIAL("x * y / 500"), .previous = INITIAL("sin(x + y)")}},
    .updates = {{"u", "0.2*u + 0.1*u.prev[1,-1] + a*(u[-4,0] - u[0,4] + u[1,-1] - u[1,1]) + 0.01*(u[3,2] - u[0,-3]) + x*t/1000",
                 0}},
    .sources = {{.field = "u", .point = {0, 0}, .samples = samples, .n_samples = 3},
                {.field = "u",
                 .position = (const double[]){15.5, 37.6},
                 .samples = samples,
                 .n_samples = 4,
                 .interpolation = MST_STENCIL_INTERPOLATION_LINEAR}},
};

static const problem heat_3d = {
    .name = "heat 3-D",
    .rank = 3,
    .precision = MST_FLOAT32,
    .grid = {19, 23, 37},
    .boundaries = {{SPONGE(3), NEUMANN}, {PERIODIC, PERIODIC}, {NEUMANN, DIRICHLET("y + z")}},
    .fields = {{.name = "u", .initial = INITIAL("sin(x) + cos(y * z)")},
               {.name = "k", .coefficient = true, .initial = INITIAL("0.1 + x / 1000")}},
    .updates = {{"u", "u + k[0,0,1] * (u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1] - 6*u)", 0}},
    .sources = {{.field = "u", .point = {3, 22, 30}, .series = "a * t"},
                {.field = "u", .position = at_face, .series = "a * t", .radius = 2},
                {.field = "u", .region = &plane_3d, .series = "0.3 - t", .amplitude = "y / 20", .delay = "0.1 * y + 0.2 * x"}},
    .receivers = {{.field = "u", .n_points = 2, .points = points_2d},
                  {.field = "u", .n_points = 2, .positions = positions_3d, .radius = 3}},
};

static const problem advection_1d = {
    .name = "advection 1-D",
    .rank = 1,
    .precision = MST_FLOAT64,
    .grid = {301},
    .boundaries = {{PERIODIC, PERIODIC}},
    .fields = {{.name = "u", .initial = INITIAL("exp(-(x - 150)^2 / 90)")}},
    .updates = {{"u", "u - c * (u - u[-1]) + 0.01 * (u[-3] - u[2])", 0}},
    .receivers = {{.field = "u", .n_points = 2, .points = points_2d + 1}},
};

// Large enough for tiles that touch no face.
static const problem large_2d = {
    .name = "large 2-D",
    .rank = 2,
    .precision = MST_FLOAT32,
    .grid = {40, 1301},
    .boundaries = {{DIRICHLET("1"), DIRICHLET(NULL)}, {DIRICHLET(NULL), NEUMANN}},
    .fields = {{.name = "u", .initial = INITIAL("sin(0.3 * x) * cos(0.2 * y + 1) + x * y / 10000")}},
    .updates = {{"u", "u + a * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)", 0}},
    .sources = {{.field = "u", .point = {20, 700}, .series = "a * t"},
                {.field = "u", .position = near_zero, .series = "a * t"},
                {.field = "u", .region = &row_2d, .series = "cos(t)", .amplitude = "x > 500 ? 0.1 : y"}},
};

static const problem large_3d = {
    .name = "large 3-D",
    .rank = 3,
    .precision = MST_FLOAT32,
    .grid = {21, 90, 180},
    .boundaries = {{PERIODIC, PERIODIC}, {DIRICHLET(NULL), DIRICHLET("2")}, {DIRICHLET(NULL), DIRICHLET(NULL)}},
    .fields = {{.name = "u", .initial = INITIAL("sin(0.3 * x) * cos(0.2 * y + z)")},
               {.name = "k", .coefficient = true, .initial = INITIAL("0.1 + x / 1000")}},
    .updates = {{"u", "u + k[0,0,1] * (u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1] - 6*u)", 0}},
};

// Tiles at the seam of the rows, inside the boxes of blocks that reach over it.
#define SEAM_3D                                                                                                                  \
    .rank = 3, .precision = MST_FLOAT32, .grid = {8, 56, 130},                                                                   \
    .boundaries = {{PERIODIC, PERIODIC}, {PERIODIC, PERIODIC}, {DIRICHLET("x + y"), NEUMANN}},                                   \
    .fields = {{.name = "u", .initial = INITIAL("sin(0.3 * x) * cos(0.2 * y + z)")}},                                            \
    .updates = {{"u", "u + a * (u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1] - 6*u)", 0}}

static const size_t points_seam[][MST_MAX_AXES] = {{0, 55, 60}, {7, 0, 61}};
static const problem seam_3d = {.name = "seam 3-D", SEAM_3D};
static const problem seam_points_3d = {.name = "seam and points 3-D",
                                       SEAM_3D,
                                       .sources = {{.field = "u", .point = {7, 55, 61}, .series = "a * t"},
                                                   {.field = "u", .region = &seam_box_3d, .series = "cos(t)", .amplitude = "z"}},
                                       .receivers = {{.field = "u", .n_points = 2, .points = points_seam}}};

// The same along the columns, with a coefficient field and tiles that touch no face; and on one axis, without points and with
// them.
static const problem seam_2d = {
    .name = "seam 2-D",
    .rank = 2,
    .precision = MST_FLOAT32,
    .grid = {24, 1996},
    .boundaries = {{DIRICHLET("1"), NEUMANN}, {PERIODIC, PERIODIC}},
    .fields = {{.name = "u", .initial = INITIAL("sin(0.3 * x) * cos(0.2 * y + 1)")},
               {.name = "k", .coefficient = true, .initial = INITIAL("0.1 + y / 1000 + x / 30000")}},
    .updates = {{"u", "u + k[1,-4] * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)", 0}},
};

#define SEAM_1D                                                                                                                  \
    .rank = 1, .precision = MST_FLOAT64, .grid = {1948}, .boundaries = {{PERIODIC, PERIODIC}},                                   \
    .fields = {{.name = "u", .initial = INITIAL("exp(-(x - 986)^2 / 900)")},                                                     \
               {.name = "k", .coefficient = true, .initial = INITIAL("0.1 + x / 3000")}},                                        \
    .updates = {{"u", "u - k[4] * (u - u[-1]) + 0.01 * (u[-3] - u[2])", 0}}

static const size_t points_1d[][MST_MAX_AXES] = {{0}, {300}, {1947}};
static const problem seam_1d = {.name = "seam 1-D", SEAM_1D};
static const problem seam_points_1d = {.name = "seam and points 1-D",
                                       SEAM_1D,
                                       .sources = {{.field = "u", .point = {1946}, .series = "a * t"},
                                                   {.field = "u", .position = (const double[]){1947.25}, .series = "t"},
                                                   {.field = "u", .region = &seam_part_1d, .series = "abs(t)", .delay = "x"}},
                                       .receivers = {{.field = "u", .n_points = 3, .points = points_1d}}};

// Versions that are needed further out than any input.
static const problem outward_3d = {
    .name = "outward 3-D",
    .rank = 3,
    .precision = MST_FLOAT32,
    .grid = {11, 23, 37},
    .boundaries = {{NEUMANN, DIRICHLET("y")}, {PERIODIC, PERIODIC}, {DIRICHLET("0.5"), NEUMANN}},
    .fields = {{.name = "u", .initial = INITIAL("sin(0.3 * x) * cos(0.2 * y + z)")}, {.name = "v"}, {.name = "w"}, {.name = "q"}},
    .updates = {{"v", "u[4,4,4] + x / 50", 0},
                {"q", "x * y / 100 + z", 0},
                {"w", "v[-4,-4,-4]", 1},
                {"u", "0.9*u + 0.1*w + a * (q[1,-1,1] - q[-1,0,0])", 2}},
};

// Faces with numbers for values, between work-items of GPU-shaped kernels.
static const problem open_2d = {
    .name = "open 2-D",
    .rank = 2,
    .precision = MST_FLOAT32,
    .grid = {52, 1060},
    .boundaries = {{DIRICHLET("y"), NEUMANN}, {DIRICHLET("0.5"), SPONGE(7)}},
    .fields = {{.name = "u", .levels = 2, .initial = INITIAL("sin(0.3 * x) * cos(0.2 * y + 1)")},
               {.name = "v", .initial = INITIAL("x / 1000 + sin(y)")}},
    .updates = {{"u", "u + a * (u[-1,0] + v[1,-1] + u.prev[0,-2] + u[0,3] - 4 * u) + 0.001 * t", 0}, {"v", "v + c * u[1,1]", 1}},
};

static const problem open_3d = {
    .name = "open 3-D",
    .rank = 3,
    .precision = MST_FLOAT32,
    .grid = {24, 45, 128},
    .boundaries = {{SPONGE(3), NEUMANN}, {DIRICHLET("2"), DIRICHLET("-0.5")}, {DIRICHLET("0.25 * 3"), DIRICHLET(NULL)}},
    .fields = {{.name = "u", .initial = INITIAL("sin(0.3 * x) * cos(0.2 * y + z)")}},
    .updates = {{"u", "u + a * (u[-1,0,0] + u[1,0,0] + u[0,-3,0] + u[0,3,0] + u[0,-1,-1] + u[0,1,1] - 6*u)", 0}},
};

// Fields of float16 beside one of float32: sources, some of which meet at a node, sponges, faces with values that float16 rounds.
static const problem half_2d = {
    .name = "float16 2-D",
    .rank = 2,
    .precision = MST_FLOAT32,
    .grid = {37, 531},
    .boundaries = {{DIRICHLET("0.1 + 0.37 * x"), SPONGE(5)}, {DIRICHLET("0.3 + t"), NEUMANN}},
    .fields = {{.name = "u", .levels = 2, .storage_bytes = 2, .initial = INITIAL("sin(0.3 * x) * cos(0.2 * y + 1)")},
               {.name = "v", .initial = INITIAL("x / 1000 + sin(y)")},
               {.name = "w", .storage_bytes = 2, .initial = INITIAL("x * y / 1e7")},
               {.name = "k", .coefficient = true, .storage_bytes = 2, .initial = INITIAL("0.1 + y / 1000 + x / 30000")}},
    .updates = {{"u", "u + k * (u[-1,0] + v[1,-1] + u.prev[0,-2] + u[0,3] - 4 * u)", 0},
                {"v", "k > 0.11 ? 0.25 * y : 0.5 * v + c * u[1,1] + w[0,-1]", 1},
                {"w", "w[1,0] * 0.9 + 1e-6 * v", 1}},
    .sources = {{.field = "u", .point = {5, 7}, .series = "sin(t) * a"},
                {.field = "u", .point = {5, 7}, .samples = samples, .n_samples = 4},
                {.field = "v", .point = {36, 49}, .samples = samples, .n_samples = 4}},
    .receivers = {{.field = "u", .n_points = 5, .points = points_2d}, {.field = "v", .n_points = 2, .points = points_2d}},
};

// All fields of float16, with faces between work-items of GPU-shaped kernels.
static const problem half_3d = {
    .name = "float16 3-D",
    .rank = 3,
    .precision = MST_FLOAT32,
    .grid = {24, 45, 128},
    .boundaries = {{SPONGE(3), NEUMANN}, {DIRICHLET("0.3"), DIRICHLET("-0.7")}, {DIRICHLET("0.1 * 3"), DIRICHLET(NULL)}},
    .fields = {{.name = "u", .storage_bytes = 2, .initial = INITIAL("sin(0.3 * x) * cos(0.2 * y + z)")},
               {.name = "v", .storage_bytes = 2, .initial = INITIAL("x / 300")}},
    .updates = {{"u", "u + a * (u[-1,0,0] + u[1,0,0] + u[0,-3,0] + u[0,3,0] + u[0,-1,-1] + u[0,1,1] - 6*u) - 0.1*v", 0},
                {"v", "v + 0.1 * (u[0,0,1] - v[1,0,0])", 0}},
};

// As far as reads go, by operators, in definitions and in one another; a coefficient field is read as far as the state.
static const mst_stencil_definition definitions[] = {{"flux(f, c)", "dx_plus((c + 0.01*x)*dx_minus(f), 4)"},
                                                     {"half(f, k)", "0.5*flux(f, k)"}};
static const problem far_2d = {
    .name = "far 2-D",
    .rank = 2,
    .precision = MST_FLOAT32,
    .grid = {61, 97},
    .boundaries = {{NEUMANN, SPONGE(11)}, {DIRICHLET("0.01*x + 0.1*t"), NEUMANN}},
    .fields = {{.name = "u", .levels = 2, .initial = INITIAL("sin(0.3 * x) * cos(0.2 * y + 1)")},
               {.name = "k", .coefficient = true, .initial = INITIAL("0.2 + x / 1000")},
               {.name = "v", .initial = INITIAL("x / 200 + sin(y)")}},
    .updates = {{"u", "2*u - u.prev + dt^2 * (0.5*dyy(u, 16) + half(u, k)) + 0.001*(v[-8,7] - k[8,-8])", 0},
                {"v", "0.5*v + 0.1*dx(dy(u)) + 0.25*(k*v)[-8,8]", 1}},
    .receivers = {{.field = "v", .n_points = 5, .points = points_2d}},
};

// Boundaries by field: all mirrors, corners of them with faces that have values, numbers and texts, long reaches of both levels,
// and sub-steps.
static const mst_stencil_boundary of_u[] = {ANTIMIRROR, MIRROR_NODE, DIRICHLET("x - y + t"), ANTIMIRROR_NODE};
static const mst_stencil_boundary of_v[] = {MIRROR_NODE, ANTIMIRROR, ANTIMIRROR, NEUMANN};
static const mst_stencil_boundary of_w[] = {ANTIMIRROR_NODE, DIRICHLET("0.5"), MIRROR_NODE, DIRICHLET("y")};
static const problem mirrors_2d = {
    .name = "mirrors 2-D",
    .rank = 2,
    .precision = MST_FLOAT32,
    .grid = {33, 39},
    .boundaries = {{NEUMANN, DIRICHLET("1")}, {DIRICHLET(NULL), NEUMANN}},
    .fields = {{.name = "u", .levels = 2, .initial = INITIAL("x * y / 500"), .boundaries = of_u},
               {.name = "v", .initial = INITIAL("sin(x + y)"), .boundaries = of_v},
               {.name = "w", .initial = INITIAL("cos(x / 3)"), .boundaries = of_w},
               {.name = "k", .coefficient = true, .initial = INITIAL("0.1 + x / 1000")}},
    .updates = {{"u", "0.2*u + 0.1*u.prev[1,-1] + a*(u[-4,0] - u[0,4] + v[4,-1] - v[-3,1]) + k[3,-4]*(u[4,4] - w[2,-4])", 0},
                {"v", "0.9*v + 0.1*(w[-4,3] - u[1,-3] + u[-2,2] + v[0,4])", 1},
                {"w", "0.5*w + 0.2*v[-2,-4] + 0.1*(u.prev[3,2] - w[1,0])", 1}},
    .sources = {{.field = "v", .point = {0, 0}, .samples = samples, .n_samples = 3}},
};

static const mst_stencil_boundary of_p[] = {ANTIMIRROR_NODE, NEUMANN, MIRROR_NODE, ANTIMIRROR, ANTIMIRROR, DIRICHLET("z - y")};
static const mst_stencil_boundary of_q[] = {DIRICHLET("x + t"), ANTIMIRROR,     ANTIMIRROR,
                                            MIRROR_NODE,        DIRICHLET("2"), ANTIMIRROR_NODE};
static const problem mirrors_3d = {
    .name = "mirrors 3-D",
    .rank = 3,
    .precision = MST_FLOAT64,
    .grid = {11, 23, 37},
    .boundaries = {{NEUMANN, NEUMANN}, {DIRICHLET("y"), NEUMANN}, {NEUMANN, DIRICHLET("0.5")}},
    .fields = {{.name = "p", .initial = INITIAL("sin(0.3 * x) * cos(0.2 * y + z)"), .boundaries = of_p},
               {.name = "q", .initial = INITIAL("x * y / 300 - z"), .boundaries = of_q},
               {.name = "r", .initial = INITIAL("x / 40 - z / 10")}},
    .updates = {{"p", "0.5*p + a*(q[1,-1,3] - q[-2,1,-1]) + 0.1*(p[-2,0,0] - p[0,2,0]) + 0.1*r[1,-1,1]", 0},
                {"q", "0.7*q + a*(p[-1,-1,-2] + p[2,1,2]) - 0.1*r[-1,1,-2]", 1},
                {"r", "0.9*r + a*(p[0,0,1] - p + q[1,0,0] - q)", 1}},
};

static mst_stencil_desc describe(const problem *p) {
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = p->rank;
    d.precision = p->precision;
    d.time_step = 0.3;
    for (int k = 0; k < p->rank; k++) {
        d.grid[k] = p->grid[k];
        d.spacing[k] = 1 + 0.25 * k;
    }
    d.boundaries = p->boundaries[0];
    d.parameters = parameters;
    d.n_parameters = sizeof parameters / sizeof parameters[0];
    d.fields = p->fields;
    d.updates = p->updates;
    d.sources = p->sources;
    d.receivers = p->receivers;
    d.definitions = definitions;
    d.n_definitions = sizeof definitions / sizeof definitions[0];
    while (d.n_fields < 4 && p->fields[d.n_fields].name)
        d.n_fields++;
    while (d.n_updates < 4 && p->updates[d.n_updates].field)
        d.n_updates++;
    while (d.n_sources < 5 && p->sources[d.n_sources].field)
        d.n_sources++;
    while (d.n_receivers < 2 && p->receivers[d.n_receivers].field)
        d.n_receivers++;
    return d;
}

typedef struct way {
    mst_stencil_shape shape;
    mst_stencil_schedule schedule;
    size_t depth;
    unsigned fuse;
    size_t block;
    bool no_overlap;
} way;

#define CPU MST_STENCIL_SHAPE_CPU
#define GPU MST_STENCIL_SHAPE_GPU

// Blocks that divide nothing, trips that do not divide the portions.
static const way ways[] = {
    {CPU, MST_STENCIL_IN_CORE, 0, 3, 0, false},          {CPU, MST_STENCIL_IN_CORE, 0, 1, 0, false},
    {CPU, MST_STENCIL_SKEWED, 6, 3, 5, false},           {CPU, MST_STENCIL_SKEWED, 1, 1, 7, true},
    {CPU, MST_STENCIL_SKEWED, 9, 3, 100, false},         {CPU, MST_STENCIL_SKEWED, 3, 3, 4, false},
    {CPU, MST_STENCIL_SKEWED, 8, 1, 4, false},           {CPU, MST_STENCIL_TRIVIAL, 1, 1, 9, false},
    {CPU, MST_STENCIL_PYRAMID_SLABS, 6, 3, 11, false},   {CPU, MST_STENCIL_PYRAMID_SLABS, 4, 3, 3, true},
    {CPU, MST_STENCIL_PYRAMID_TILES, 6, 3, 13, false},   {CPU, MST_STENCIL_PYRAMID_TILES, 3, 3, 64, false},
    {GPU, MST_STENCIL_IN_CORE, 0, 2, 0, false},          {GPU, MST_STENCIL_SKEWED, 4, 2, 6, false},
    {GPU, MST_STENCIL_PYRAMID_TILES, 5, 2, 10, false},   {GPU, MST_STENCIL_PYRAMID_TILES, 12, 2, 28, false},
    {GPU, MST_STENCIL_PYRAMID_TILES, 12, 2, 998, false}, {GPU, MST_STENCIL_SWEEPS, 0, 0, 0, false},
    {CPU, MST_STENCIL_SWEEPS, 0, 0, 0, false},           {CPU, MST_STENCIL_SKEWED_SWEEPS, 5, 0, 3, false},
    {GPU, MST_STENCIL_SKEWED_SWEEPS, 3, 0, 4, true},     {CPU, MST_STENCIL_SKEWED_SWEEPS, 9, 0, 100, false},
    {GPU, MST_STENCIL_SKEWED_SWEEPS, 1, 0, 1, false},    {GPU, MST_STENCIL_SWEEPS, 0, 2, 0, false},
    {GPU, MST_STENCIL_SWEEPS, 0, 3, 0, false},
};

// Where kernels of a CPU's shape run: on a CPU beside the device under test if that has too little local memory for them.
static mst_context *context_for(mst_context *context, const mst_stencil_desc *d) {
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
    mst_error e;
    void *own = context;
    if (d->shape != CPU || mst_context_device(context)->type & CL_DEVICE_TYPE_CPU ||
        mst_stencil_predict(context, d, 1, &plan, &e) != MST_ERROR_UNSUPPORTED)
        return context;
    return test_cpu(&own);
}

static void check_way(mst_context *context, const char *name, mst_stencil_desc *d, const way *w, const test_scheme *reference) {
    const size_t portions[] = {1, 7, 12};
    mst_stencil_store store = (mst_stencil_store)test_between(MST_STENCIL_STORE_PINNED, MST_STENCIL_STORE_FILE);
    char text[200];
    snprintf(text, sizeof text, "%s, shape %d, %s, n = %zu, m = %u, b = %zu, store %d", name, (int)w->shape,
             mst_stencil_schedule_name(w->schedule), w->depth, w->fuse, w->block, (int)store);
    d->shape = w->shape;
    d->schedule = w->schedule;
    d->depth = w->depth;
    d->fuse = w->fuse;
    d->block = w->block;
    d->no_overlap = w->no_overlap;
    d->store = store;
    d->file_offset = 40;
    d->file = store == MST_STENCIL_STORE_FILE ? test_file(1) : -1;
    test_scheme_check(context_for(context, d), d, portions, 3, reference, text);
    if (d->file >= 0)
        close(d->file);
}

static const problem *find_problem(const char *name) {
    static const problem *const all[] = {&heat_2d,  &wave_2d,        &gray_scott, &yee_2d,  &wide_2d,        &heat_3d,
                                         &large_2d, &advection_1d,   &large_3d,   &seam_1d, &seam_points_1d, &seam_2d,
                                         &seam_3d,  &seam_points_3d, &outward_3d, &open_2d, &open_3d,        &half_2d,
                                         &half_3d,  &mirrors_2d,     &mirrors_3d, &far_2d};
    size_t k = 0;
    while (strcmp(all[k]->name, name) != 0)
        k++;
    return all[k];
}

void test_scheme_check_ways(mst_context *context, const char *name, bool cpu, bool gpu) {
    mst_stencil_desc d = describe(find_problem(name));
    test_scheme reference = test_scheme_run(&d, TEST_SCHEME_STEPS);
    test_scheme_check_all_ways(context, name, d, &reference, cpu, gpu);
    test_scheme_free(&reference);
}

static bool has_layers(const mst_stencil_desc *d) {
    bool any = false;
    for (int face = 0; d->boundaries && face < 2 * d->rank; face++)
        any = any || d->boundaries[face].kind == MST_BOUNDARY_ABSORB;
    return any;
}

static bool can_skew_sweeps(const mst_stencil_desc *d) {
    return d->rank > 1 && !(has_layers(d) && d->boundaries[0].kind == MST_BOUNDARY_PERIODIC);
}

// Sweeps around a middle.
static bool has_middle(const way *w) { return w->schedule == MST_STENCIL_SWEEPS && w->fuse > 1; }

// GPU-shaped kernels are slow on a CPU, so a run takes one way of each schedule with them.
static bool is_taken(size_t i) {
    size_t before = 0, all = 0;
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++)
        if (ways[k].shape == GPU && ways[k].schedule == ways[i].schedule && has_middle(&ways[k]) == has_middle(&ways[i])) {
            before += k < i;
            all++;
        }
    return ways[i].shape == CPU ? !test_spared(i, 5) : test_turn(before, all);
}

void test_scheme_check_all_ways(mst_context *context, const char *name, mst_stencil_desc d, const test_scheme *reference,
                                bool cpu, bool gpu) {
    bool no_skew = d.boundaries[0].kind == MST_BOUNDARY_PERIODIC || d.rank == 1;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (!(ways[i].schedule == MST_STENCIL_SKEWED && no_skew) &&
            !(ways[i].schedule == MST_STENCIL_SKEWED_SWEEPS && !can_skew_sweeps(&d)) &&
            !(has_middle(&ways[i]) && !has_layers(&d)) && (ways[i].shape == CPU ? cpu : gpu) && is_taken(i))
            check_way(context, name, &d, &ways[i], reference);
}
