#include "support_choices.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CHOICES = 3000, MAX_LINE = 12 * MAX_CHOICES, MAX_TEXT = 4000, CASES_A_CONTEXT = 200 };
enum { PATIENCE_MS = 900000, SHRINKING_SECONDS = 300, MOST_FAILED = 10 };

typedef struct choices {
    uint32_t numbers[MAX_CHOICES];
    size_t n;
} choices;

// ---- in the worker: making a case ----

static struct {
    choices given, made;
    int answers; // a pipe
} worker;

size_t test_choose(size_t n) {
    size_t at = worker.made.n, number = at < worker.given.n ? worker.given.numbers[at] % n : 0;
    CHECK(at < MAX_CHOICES, "a case makes more than %d choices", MAX_CHOICES);
    worker.made.numbers[worker.made.n++] = (uint32_t)number;
    return number;
}

size_t test_choose_between(size_t low, size_t high) { return low + test_choose(high - low + 1); }

bool test_choose_rarely(size_t one_in) { return test_choose(one_in) == one_in - 1; }

mst_place test_choose_place(void) {
    static const mst_place places[] = {MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_FILE};
    return places[test_choose(3)];
}

size_t test_choose_length(size_t most) {
    static const size_t primes[] = {1,  2,  3,  5,  7,  11,  13,  17,  19,  23,   29,  31,
                                    37, 41, 61, 67, 97, 127, 251, 257, 509, 1021, 4093};
    size_t kind = test_choose(5), length;
    if (kind == 0)
        length = test_choose_between(1, 16);
    else if (kind == 1)
        length = primes[test_choose(sizeof primes / sizeof primes[0])];
    else if (kind == 2)
        length = ((size_t)1 << test_choose(14)) + test_choose(3);
    else if (kind == 3) // a product of small primes, or of a larger one
        length = primes[test_choose(9)] * primes[test_choose(6)] * primes[test_choose(16)];
    else
        length = test_choose_between(1, most);
    return length > most ? 1 + length % most : length;
}

mst_layout test_choose_layout(mst_type type, int rank, const size_t *shape, bool broadcast) {
    mst_layout layout = mst_layout_dense(type, rank, shape);
    if (test_choose(3) < 2)
        return layout;
    ptrdiff_t stride = (ptrdiff_t)test_choose_between(1, 2);
    bool upwards = test_choose(2) == 1;
    for (int i = 0, first = (int)test_choose((size_t)rank); i < rank; i++) {
        int k = (first + (upwards ? i : rank - 1 - i)) % rank;
        layout.strides[k] = test_choose_rarely(4) ? -stride : stride;
        stride = stride * (ptrdiff_t)(shape[k] ? shape[k] : 1) + (ptrdiff_t)test_choose(3);
        if (broadcast && test_choose_rarely(6))
            layout.strides[k] = 0;
    }
    return layout;
}

static void write_choices(const choices *c, char *out) {
    char *at = out;
    *out = '\0';
    for (size_t i = 0; i < c->n; i++)
        at += sprintf(at, "%s%u", i ? "," : "", (unsigned)c->numbers[i]);
}

static void read_choices(const char *text, choices *c) {
    c->n = 0;
    for (char *end; *text && c->n < MAX_CHOICES; text = *end ? end + 1 : end) {
        c->numbers[c->n++] = (uint32_t)strtoul(text, &end, 10);
        if (end == text)
            break;
    }
}

static void answer(const char *text) {
    for (size_t done = 0, n = strlen(text); done < n;) {
        ssize_t wrote = write(worker.answers, text + done, n - done);
        if (wrote <= 0)
            exit(1);
        done += (size_t)wrote;
    }
}

void test_case_made(size_t things, const char *format, ...) {
    static char line[MAX_LINE + MAX_TEXT + 40], text[MAX_TEXT];
    va_list arguments;
    uint64_t hash = 1;
    while (worker.made.n > 0 && worker.made.numbers[worker.made.n - 1] == 0)
        worker.made.n--;
    for (size_t i = 0; i < worker.made.n; i++)
        hash = (hash ^ worker.made.numbers[i]) * 0x9e3779b97f4a7c15u;
    test_seed(hash);
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *at = text; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    int n = sprintf(line, "%zu ", things);
    write_choices(&worker.made, line + n);
    n = (int)strlen(line);
    sprintf(line + n, " %s\n", text);
    answer(line);
}

// Reads lists of choices, one a line, until there are no more.
static int work(void (*make_and_try)(mst_context *context), int answers) {
    static char line[MAX_LINE];
    mst_context *context = NULL;
    worker.answers = answers;
    for (int i = 0; fgets(line, sizeof line, stdin); i++) {
        if (i % CASES_A_CONTEXT == 0) {
            mst_context_destroy(context);
            context = test_context(NULL);
        }
        read_choices(line, &worker.given);
        worker.made.n = 0;
        make_and_try(context);
        CHECK(mst_context_device_memory_used(context) == 0, "device memory is still held");
        answer("passed\n");
    }
    mst_context_destroy(context);
    test_remove_tree(test_directory());
    return 0;
}

// ---- the other process: choosing, watching, shrinking ----

typedef struct campaign {
    const char *name, *program;
    pid_t pid; // of the worker, 0 without one
    int requests, answers, log;
    size_t tried, failed;
    // What the last case was and said.
    choices made;
    size_t things;
    char text[MAX_TEXT], why[1000];
} campaign;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void start_worker(campaign *c) {
    int requests[2], answers[2];
    CHECK(pipe2(requests, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0, "no pipes");
    c->pid = fork();
    CHECK(c->pid >= 0, "no process");
    if (c->pid == 0) {
        char answer_to[20];
        snprintf(answer_to, sizeof answer_to, "%d", fcntl(answers[1], F_DUPFD, 10));
        dup2(requests[0], 0);
        dup2(c->log, 1);
        dup2(c->log, 2);
        execl("/proc/self/exe", c->program, "worker", answer_to, (char *)NULL);
        _exit(127);
    }
    close(requests[0]);
    close(answers[1]);
    c->requests = requests[1];
    c->answers = answers[0];
}

// Its exit status, as waitpid gives it.
static int end_worker(campaign *c, bool at_once) {
    int status = 0;
    if (c->pid == 0)
        return 0;
    close(c->requests);
    close(c->answers);
    if (at_once)
        kill(c->pid, SIGKILL);
    waitpid(c->pid, &status, 0);
    c->pid = 0;
    return status;
}

// A line of the worker's; false when it has ended or says nothing for too long.
static bool next_answer(const campaign *c, char *line, size_t size, bool *hangs) {
    size_t n = 0;
    *hangs = false;
    while (n + 1 < size) {
        struct pollfd p = {.fd = c->answers, .events = POLLIN};
        *hangs = poll(&p, 1, PATIENCE_MS) == 0;
        if (*hangs || read(c->answers, line + n, 1) != 1)
            return false;
        if (line[n++] == '\n') {
            line[n - 1] = '\0';
            return true;
        }
    }
    return false;
}

// The last lines that the worker has left.
static void read_log(campaign *c) {
    off_t length = lseek(c->log, 0, SEEK_END), n = length < (off_t)sizeof c->why - 200 ? length : (off_t)sizeof c->why - 200;
    ssize_t got = pread(c->log, c->why, (size_t)n, length - n);
    size_t end = got > 0 ? (size_t)got : 0;
    while (end > 0 && c->why[end - 1] == '\n')
        end--;
    c->why[end] = '\0';
}

static void say_how_it_ended(campaign *c, int status, bool hung) {
    size_t n = strlen(c->why);
    if (hung)
        snprintf(c->why + n, sizeof c->why - n, "%sno end after %d s", n ? "; " : "", PATIENCE_MS / 1000);
    else if (WIFSIGNALED(status))
        snprintf(c->why + n, sizeof c->why - n, "%s%s", n ? "; " : "", strsignal(WTERMSIG(status)));
}

static bool passes(campaign *c, const choices *given) {
    static char line[MAX_LINE + MAX_TEXT + 40];
    bool hangs = false;
    c->made = *given;
    c->things = 1;
    c->text[0] = c->why[0] = '\0';
    if (c->pid == 0)
        start_worker(c);
    CHECK(ftruncate(c->log, 0) == 0 && lseek(c->log, 0, SEEK_SET) == 0, "no log");
    write_choices(given, line);
    strcat(line, "\n");
    if (write(c->requests, line, strlen(line)) == (ssize_t)strlen(line) && next_answer(c, line, sizeof line, &hangs)) {
        char *at = strchr(line, ' '), *text = at ? strchr(at + 1, ' ') : NULL;
        CHECK(at && text, "the worker says '%s'", line);
        *text = '\0';
        c->things = strtoul(line, NULL, 10);
        read_choices(at + 1, &c->made);
        snprintf(c->text, sizeof c->text, "%s", text + 1);
        if (next_answer(c, line, sizeof line, &hangs) && strcmp(line, "passed") == 0)
            return true;
    }
    int status = end_worker(c, hangs);
    read_log(c);
    say_how_it_ended(c, status, hangs);
    return false;
}

static void print_failure(const campaign *c, const char *what) {
    static char line[MAX_LINE];
    write_choices(&c->made, line);
    printf("%s: %s: %s\n  %s\n  repeat: %s case %s\n", c->name, what, c->text, c->why, c->program, line[0] ? line : "0");
    fflush(stdout);
}

static bool is_simpler(const choices *a, const choices *b) {
    if (a->n != b->n)
        return a->n < b->n;
    for (size_t i = 0; i < a->n; i++)
        if (a->numbers[i] != b->numbers[i])
            return a->numbers[i] < b->numbers[i];
    return false;
}

// Takes the candidate for the case if it is simpler and fails as well.
static bool take(campaign *c, const choices *candidate, choices *best) {
    if (!is_simpler(candidate, best) || passes(c, candidate) || !is_simpler(&c->made, best))
        return false;
    *best = c->made;
    return true;
}

// Leaves pieces out, or makes zeros of them.
static bool simplify(campaign *c, choices *best, size_t piece, bool leave_out, double until) {
    bool any = false;
    for (size_t at = 0; at + piece <= best->n && now() < until;) {
        choices candidate = *best;
        if (leave_out) {
            candidate.n -= piece;
            memmove(candidate.numbers + at, candidate.numbers + at + piece, (candidate.n - at) * sizeof candidate.numbers[0]);
        } else {
            memset(candidate.numbers + at, 0, piece * sizeof candidate.numbers[0]);
        }
        bool taken = take(c, &candidate, best);
        at += taken && leave_out ? 0 : piece;
        any = any || taken;
    }
    return any;
}

static bool lower_one(campaign *c, choices *best, size_t at, uint32_t by) {
    choices candidate = *best;
    if (at >= best->n || best->numbers[at] < by)
        return false;
    candidate.numbers[at] -= by;
    return take(c, &candidate, best);
}

static bool lower(campaign *c, choices *best, double until) {
    bool any = false;
    for (size_t at = 0; at < best->n; at++)
        for (uint32_t by = best->numbers[at]; by > 0; by /= 2)
            while (now() < until && lower_one(c, best, at, by))
                any = true;
    return any;
}

// Whether the smallest case found still fails.
static bool shrink(campaign *c) {
    choices best = c->made;
    double until = now() + SHRINKING_SECONDS;
    for (bool any = true; any && now() < until;) {
        any = false;
        for (int leave_out = 1; leave_out >= 0; leave_out--)
            for (size_t piece = best.n / 2; piece > 0; piece /= 2)
                any = simplify(c, &best, piece, leave_out, until) || any;
        any = lower(c, &best, until) || any;
    }
    return !passes(c, &best);
}

static void run(campaign *c, double seconds) {
    const char *seed = getenv("MASTABA_SEED");
    static choices random;
    double began = now();
    test_seed(seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL));
    while (now() - began < seconds && c->failed < MOST_FAILED) {
        random.n = MAX_CHOICES;
        for (size_t i = 0; i < random.n; i++)
            random.numbers[i] = (uint32_t)test_random();
        bool passed = passes(c, &random);
        c->tried += c->things;
        if (passed)
            continue;
        c->failed++;
        print_failure(c, "failed");
        print_failure(c, shrink(c) ? "shrunk" : "passes when it is repeated");
    }
    end_worker(c, false);
    printf("%s: %zu tried, %zu failed\n", c->name, c->tried, c->failed);
}

int test_choices_main(int argc, char **argv, const char *name, void (*make_and_try)(mst_context *context)) {
    if (argc == 3 && strcmp(argv[1], "worker") == 0)
        return work(make_and_try, atoi(argv[2]));
    campaign c = {.name = name, .program = argv[0]};
    c.log = fileno(tmpfile());
    signal(SIGPIPE, SIG_IGN);
    if (argc == 2) {
        run(&c, atof(argv[1]));
    } else if (argc == 3 && strcmp(argv[1], "case") == 0) {
        choices given;
        read_choices(argv[2], &given);
        c.failed = !passes(&c, &given);
        if (c.failed)
            print_failure(&c, "failed");
        else
            printf("%s: passed: %s\n", name, c.text);
        end_worker(&c, false);
    } else {
        fprintf(stderr, "usage: %s SECONDS | case CHOICES\n", argv[0]);
        return 2;
    }
    return c.failed > 0;
}
