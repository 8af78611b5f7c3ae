// A problem file's monitors, its spectra, and the condition at which a run ends.
#include "problem_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_A_PERIOD = 10, LEAST_SAMPLES = 4, UNTIL_EVERY = 100 };

static const char *const reductions[] = {"sum", "max", "min", "mean", "norm"}; // as mst_stencil_reduction has them

static bool read_log_file(cli_yaml *y, yaml_node_t *node, const char *either, const char *other, const char **file) {
    const char *text = cli_yaml_text(y, node, "the name of a file");
    *file = text;
    if (!text || cli_has_extension(text, either) || (other && cli_has_extension(text, other)))
        return text != NULL;
    return cli_yaml_error(y, node, "expected a %s%s%s file, not '%s'", either, other ? " or " : "", other ? other : "", text);
}

// ---- Regions: {x: [10, 200], y: 10, z: [0, nz-1, 4]}

typedef struct region_reading {
    problem *p;
    mst_stencil_region *region;
    bool *fixed; // axes at a single node
    double numbers[3];
} region_reading;

static bool read_region_number(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    region_reading *r = target;
    (void)y, (void)name;
    return problem_number(r->p, node, PROBLEM_SPACING, &r->numbers[index]);
}

static bool read_region_axis(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    region_reading *r = target;
    const int rank = r->p->desc.rank, axis = name[0] >= 'x' && name[0] <= 'z' && !name[1] ? rank - 1 - (name[0] - 'x') : -1;
    size_t n = 1;
    (void)index;
    if (axis < 0)
        return cli_yaml_error(y, node, "no such axis of the grid; expected %s, as region: {x: [10, 200]}",
                              rank == 1   ? "x"
                              : rank == 2 ? "x or y"
                                          : "x, y or z");
    const bool fixed = node->type == YAML_SCALAR_NODE;
    if (fixed ? !read_region_number(y, NULL, node, 0, r)
              : !cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a node, or [FIRST, LAST] or [FIRST, LAST, STEP]", 3, &n) ||
                    !cli_yaml_items(y, node, read_region_number, r))
        return false;
    const double first = floor(r->numbers[0] + 1e-9), last = fixed ? first : floor(r->numbers[1] + 1e-9);
    const double step = n == 3 ? floor(r->numbers[2] + 1e-9) : 1, nodes = (double)r->p->desc.grid[axis];
    if ((!fixed && n < 2) || !(first >= 0 && first <= last && last < nodes && step >= 1 && step < 0x1p40))
        return cli_yaml_error(y, node, "expected a node, or [FIRST, LAST] or [FIRST, LAST, STEP], within 0 to %.0f", nodes - 1);
    r->region->start[axis] = (size_t)first;
    r->region->step[axis] = (size_t)step;
    r->region->count[axis] = (size_t)((last - first) / step) + 1;
    if (r->fixed)
        r->fixed[axis] = fixed;
    return true;
}

static bool read_region(problem *p, yaml_node_t *node, mst_stencil_region *region, bool *fixed) {
    region_reading r = {.p = p, .region = region, .fixed = fixed};
    size_t n;
    return cli_yaml_count(&p->yaml, node, YAML_MAPPING_NODE, "a mapping of axes to nodes, as {x: [10, 200], y: 5}", MST_MAX_AXES,
                          &n) &&
           cli_yaml_entries(&p->yaml, node, read_region_axis, &r);
}

static mst_stencil_region whole_grid(const problem *p) {
    mst_stencil_region region = {{0}, {0}, {0}};
    for (int k = 0; k < p->desc.rank; k++) {
        region.step[k] = 1;
        region.count[k] = p->desc.grid[k];
    }
    return region;
}

// ---- Monitors

typedef struct monitor_reading {
    problem *p;
    mst_stencil_monitor *monitor;
    const char **file;
} monitor_reading;

static bool read_monitor_name(cli_yaml *y, yaml_node_t *node, void *target) {
    monitor_reading *r = target;
    const char *name = cli_yaml_text(y, node, "a name");
    if (!name || !problem_new_name(r->p, node, name))
        return false;
    for (size_t i = 0; i + 1 < r->p->desc.n_monitors; i++)
        if (strcmp(r->p->monitors[i].name, name) == 0)
            return cli_yaml_error(y, node, "there is a monitor '%s' already", name);
    r->monitor->name = name;
    return true;
}

static bool read_monitor_expression(cli_yaml *y, yaml_node_t *node, void *target) {
    monitor_reading *r = target;
    const char *text = cli_yaml_text(y, node, "an expression of the fields");
    return text && (r->monitor->expression = problem_expression(r->p, node, text, PROBLEM_EVERYTHING)) != NULL;
}

static bool read_reduce(cli_yaml *y, yaml_node_t *node, void *target) {
    const int choice = cli_yaml_choice(y, node, reductions, CLI_COUNT(reductions), sizeof reductions[0]);
    if (choice >= 0)
        ((monitor_reading *)target)->monitor->reduction = (mst_stencil_reduction)choice;
    return choice >= 0;
}

static bool read_monitor_every(cli_yaml *y, yaml_node_t *node, void *target) {
    return cli_yaml_integer(y, node, 1, UINT64_MAX / 2, &((monitor_reading *)target)->monitor->every);
}

static bool read_monitor_region(cli_yaml *y, yaml_node_t *node, void *target) {
    monitor_reading *r = target;
    (void)y;
    return read_region(r->p, node, &r->monitor->region, NULL);
}

static bool read_monitor_file(cli_yaml *y, yaml_node_t *node, void *target) {
    return read_log_file(y, node, ".csv", ".npy", ((monitor_reading *)target)->file);
}

static const cli_yaml_key monitor_keys[] = {
    {"name", read_monitor_name, true},  {"expression", read_monitor_expression, true},
    {"reduce", read_reduce, true},      {"every", read_monitor_every, true},
    {"file", read_monitor_file, false}, {"region", read_monitor_region, false},
};

static bool read_monitor(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    problem *p = target;
    monitor_reading r = {p, &p->monitors[index], &p->monitor_files[index]};
    (void)name;
    p->desc.n_monitors = p->n_logs = index + 1;
    r.monitor->region = whole_grid(p);
    return cli_yaml_keys(y, node, monitor_keys, CLI_COUNT(monitor_keys), &r);
}

bool problem_read_monitors(cli_yaml *y, yaml_node_t *node, void *target) {
    problem *p = target;
    size_t n;
    p->desc.monitors = p->monitors;
    return cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a list of monitors", PROBLEM_MOST_MONITORS, &n) &&
           cli_yaml_items(y, node, read_monitor, p);
}

// ---- The condition: reductions in it, as max(abs(u)), become monitors of their own

// The parenthesis that ends what the text begins behind one; NULL if there is none. *commas: at the first level.
static const char *end_of_call(const char *text, bool *commas) {
    int depth = 0;
    for (*commas = false; *text; text++) {
        if (*text == ')' && depth == 0)
            return text;
        depth += (*text == '(' || *text == '[') - (*text == ')' || *text == ']');
        *commas = *commas || (*text == ',' && depth == 0);
    }
    return NULL;
}

static int reduction_of(const char *name, size_t length) {
    for (int k = 0; k < (int)CLI_COUNT(reductions); k++)
        if (strlen(reductions[k]) == length && memcmp(reductions[k], name, length) == 0)
            return k;
    return -1;
}

static bool add_until_monitor(problem *p, yaml_node_t *node, int reduction, const char *argument, size_t length, char name[]) {
    char text[PROBLEM_LONGEST_TEXT];
    mst_stencil_monitor *m = &p->monitors[p->desc.n_monitors];
    if (p->desc.n_monitors == PROBLEM_MOST_MONITORS + PROBLEM_MOST_REDUCTIONS)
        return cli_yaml_error(&p->yaml, node, "more than %d reductions", PROBLEM_MOST_REDUCTIONS);
    snprintf(text, sizeof text, "%.*s", (int)length, argument);
    snprintf(name, 40, "until_%zu", p->desc.n_monitors - p->n_logs + 1);
    *m = (mst_stencil_monitor){.reduction = (mst_stencil_reduction)reduction, .region = whole_grid(p)};
    m->name = problem_own(p, name);
    m->expression = problem_expression(p, node, text, PROBLEM_EVERYTHING);
    p->desc.n_monitors += m->name && m->expression;
    return m->name && m->expression;
}

static bool replace_reductions(problem *p, yaml_node_t *node, const char *text, char out[PROBLEM_LONGEST_TEXT]) {
    size_t used = 0;
    while (*text && used + 64 < PROBLEM_LONGEST_TEXT) {
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
        const char *open = text + length + strspn(text + length, " \t");
        const int reduction = *open == '(' ? reduction_of(text, length) : -1;
        bool commas = true;
        const char *end = reduction >= 0 ? end_of_call(open + 1, &commas) : NULL;
        char name[40];
        if (reduction >= 0 && !end)
            return cli_yaml_error(&p->yaml, node, "expected ')' behind the argument of %s", reductions[reduction]);
        if (end && !commas) {
            if (!add_until_monitor(p, node, reduction, open + 1, (size_t)(end - open - 1), name))
                return false;
            used += (size_t)snprintf(out + used, PROBLEM_LONGEST_TEXT - used, "%s", name);
            text = end + 1;
            continue;
        }
        length = length ? length : 1;
        if (length > 63)
            break;
        memcpy(out + used, text, length);
        used += length;
        text += length;
    }
    out[used] = '\0';
    return !*text || cli_yaml_error(&p->yaml, node, "too long");
}

static bool read_condition(cli_yaml *y, yaml_node_t *node, void *target) {
    problem *p = target;
    const char *text = cli_yaml_text(y, node, "a condition, as max(abs(u)) < 1e-6");
    char replaced[PROBLEM_LONGEST_TEXT];
    p->desc.monitors = p->monitors;
    if (!text || !replace_reductions(p, node, text, replaced) || !problem_check_until(p, node, replaced))
        return false;
    return (p->desc.until = problem_own(p, replaced)) != NULL;
}

static bool read_until_every(cli_yaml *y, yaml_node_t *node, void *target) {
    return cli_yaml_integer(y, node, 1, UINT64_MAX / 2, &((problem *)target)->desc.until_every);
}

static const cli_yaml_key until_keys[] = {
    {"condition", read_condition, true},
    {"every", read_until_every, false},
};

bool problem_read_until(cli_yaml *y, yaml_node_t *node, void *target) {
    ((problem *)target)->desc.until_every = UNTIL_EVERY;
    return node->type == YAML_MAPPING_NODE ? cli_yaml_keys(y, node, until_keys, CLI_COUNT(until_keys), target)
                                           : read_condition(y, node, target);
}

// ---- Spectra

typedef struct spectrum_reading {
    problem *p;
    mst_stencil_spectrum *spectrum;
    problem_spectrum *file;
} spectrum_reading;

static bool read_spectrum_field(cli_yaml *y, yaml_node_t *node, void *target) {
    spectrum_reading *r = target;
    const char *text = cli_yaml_text(y, node, "a field, or an expression of the fields");
    return text && (r->spectrum->expression = problem_expression(r->p, node, text, PROBLEM_EVERYTHING)) != NULL;
}

static bool make_frequencies(spectrum_reading *r, const yaml_node_t *node, size_t n) {
    r->file->frequencies = calloc(n + 1, sizeof(double));
    r->spectrum->frequencies = r->file->frequencies;
    r->spectrum->n_frequencies = n;
    return r->file->frequencies ? n > 0 || cli_yaml_error(&r->p->yaml, node, "a spectrum has at least one frequency")
                                : cli_yaml_error(&r->p->yaml, node, "out of memory");
}

static bool read_frequency(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    spectrum_reading *r = target;
    (void)y, (void)name;
    return problem_number(r->p, node, PROBLEM_SPACING, &r->file->frequencies[index]);
}

typedef struct frequency_range {
    problem *p;
    double from, to;
    uint64_t count;
} frequency_range;

static bool read_from(cli_yaml *y, yaml_node_t *node, void *target) {
    (void)y;
    return problem_number(((frequency_range *)target)->p, node, PROBLEM_SPACING, &((frequency_range *)target)->from);
}

static bool read_to(cli_yaml *y, yaml_node_t *node, void *target) {
    (void)y;
    return problem_number(((frequency_range *)target)->p, node, PROBLEM_SPACING, &((frequency_range *)target)->to);
}

static bool read_frequency_count(cli_yaml *y, yaml_node_t *node, void *target) {
    return cli_yaml_integer(y, node, 2, PROBLEM_MOST_FREQUENCIES, &((frequency_range *)target)->count);
}

static const cli_yaml_key range_keys[] = {
    {"from", read_from, true},
    {"to", read_to, true},
    {"count", read_frequency_count, true},
};

static bool read_frequencies(cli_yaml *y, yaml_node_t *node, void *target) {
    spectrum_reading *r = target;
    frequency_range range = {.p = r->p};
    size_t n;
    if (node->type != YAML_MAPPING_NODE)
        return cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a list of frequencies, or {from: F, to: F, count: N}",
                              PROBLEM_MOST_FREQUENCIES, &n) &&
               make_frequencies(r, node, n) && cli_yaml_items(y, node, read_frequency, r);
    if (!cli_yaml_keys(y, node, range_keys, CLI_COUNT(range_keys), &range) || !make_frequencies(r, node, (size_t)range.count))
        return false;
    for (uint64_t k = 0; k < range.count; k++)
        r->file->frequencies[k] = range.from + (range.to - range.from) * (double)k / (double)(range.count - 1);
    return true;
}

static bool read_spectrum_every(cli_yaml *y, yaml_node_t *node, void *target) {
    spectrum_reading *r = target;
    return cli_yaml_integer(y, node, 1, UINT64_MAX / 2, &r->spectrum->every);
}

static bool read_spectrum_region(cli_yaml *y, yaml_node_t *node, void *target) {
    spectrum_reading *r = target;
    (void)y;
    return read_region(r->p, node, &r->spectrum->region, r->file->fixed);
}

static bool read_spectrum_file(cli_yaml *y, yaml_node_t *node, void *target) {
    return read_log_file(y, node, ".npy", NULL, &((spectrum_reading *)target)->file->file);
}

static const cli_yaml_key spectrum_keys[] = {
    {"field", read_spectrum_field, true},    {"frequencies", read_frequencies, true}, {"every", read_spectrum_every, false},
    {"region", read_spectrum_region, false}, {"file", read_spectrum_file, true},
};

static bool read_spectrum(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    problem *p = target;
    spectrum_reading r = {p, &p->spectra[index], &p->spectrum_files[index]};
    (void)name;
    p->desc.n_spectra = p->n_spectra = index + 1;
    r.spectrum->region = whole_grid(p);
    return cli_yaml_keys(y, node, spectrum_keys, CLI_COUNT(spectrum_keys), &r);
}

static const cli_yaml_key trace_keys[] = {
    {"frequencies", read_frequencies, true},
    {"file", read_spectrum_file, true},
};

bool problem_read_trace_spectrum(problem *p, yaml_node_t *node, problem_receiver *receiver) {
    mst_stencil_spectrum spectrum = {.expression = NULL};
    problem_spectrum file = {.file = NULL};
    spectrum_reading r = {p, &spectrum, &file};
    const bool good = cli_yaml_keys(&p->yaml, node, trace_keys, CLI_COUNT(trace_keys), &r);
    receiver->spectrum_file = file.file;
    receiver->frequencies = file.frequencies;
    receiver->n_frequencies = spectrum.n_frequencies;
    return good;
}

bool problem_read_spectra(cli_yaml *y, yaml_node_t *node, void *target) {
    problem *p = target;
    size_t n;
    p->desc.spectra = p->spectra;
    return cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a list of spectra", PROBLEM_MOST_SPECTRA, &n) &&
           cli_yaml_items(y, node, read_spectrum, p);
}

void problem_choose_sampling(problem *p) {
    for (size_t k = 0; k < p->desc.n_spectra; k++) {
        mst_stencil_spectrum *s = &p->spectra[k];
        double highest = 0;
        for (size_t i = 0; i < s->n_frequencies; i++)
            highest = fmax(highest, fabs(s->frequencies[i]));
        const double period = 1 / (highest * p->desc.time_step); // in steps
        if (s->every == 0)
            s->every = period < SAMPLES_A_PERIOD ? 1 : period < 1e15 ? (uint64_t)(period / SAMPLES_A_PERIOD) : 1;
        if (period / (double)s->every < LEAST_SAMPLES)
            cli_error(p->yaml.command,
                      "warning: %s: spectra[%zu]: %llu step%s between samples leave%s %.3g of them a period of the frequency %g; "
                      "frequencies "
                      "above %g are taken for it",
                      p->yaml.path, k, (unsigned long long)s->every, s->every == 1 ? "" : "s", s->every == 1 ? "s" : "",
                      period / (double)s->every, highest, 1 / ((double)s->every * p->desc.time_step) - highest);
    }
}
