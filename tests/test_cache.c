// The cache of compiled kernels: private, verified, and never in the way; and kernel files that override the built-in ones.
#include "support.h"

#include "runtime/cache.h"
#include "runtime/kernel.h"
#include "runtime/kernels.h"

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct heard {
    int from_cache, from_source, damaged, cannot_write, overridden;
} heard;

static void listen_to(mst_log_level level, const char *line, void *user) {
    heard *h = user;
    (void)level;
    h->from_cache += strstr(line, " from the cache in ") != NULL;
    h->from_source += strstr(line, " from source in ") != NULL;
    h->damaged += strncmp(line, "cache: ", 7) == 0 && strstr(line, "; building from source");
    h->cannot_write += strncmp(line, "cache: cannot write", 19) == 0;
    h->overridden += strstr(line, " comes from ") != NULL;
}

// Builds one small program in a new context and makes its kernel; says where it came from.
static heard build(const mst_context_desc *given) {
    heard h = {0};
    mst_error e;
    const mst_program *program;
    mst_kernel *kernel;
    mst_context_desc desc = *given;
    desc.log = listen_to, desc.log_user = &h;
    if (!desc.device)
        desc.device = getenv("MASTABA_TEST_DEVICE");
    mst_context *context = NULL;
    OK(mst_context_create(&desc, &context, &e));
    OK(mst_program_of_file(context, "test", "copy.cl", "-D PRECISION=32", &program, &e));
    OK(mst_kernel_create(program, "copy", &kernel, &e));
    mst_kernel_destroy(kernel);
    mst_context_destroy(context);
    return h;
}

static heard build_in(const char *directory) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.cache_directory = directory;
    return build(&desc);
}

static const char *in_directory(const char *name) {
    static char path[2][400];
    static int turn;
    char *out = path[turn++ % 2];
    snprintf(out, sizeof path[0], "%s/%s", test_directory(), name);
    return out;
}

// The path of the only file in a directory; fails if there is not exactly one.
static const char *only_file(const char *directory) {
    static char path[700];
    int count = 0;
    DIR *d = opendir(directory);
    CHECK(d, "there is no directory %s", directory);
    for (struct dirent *entry; (entry = readdir(d)) != NULL;)
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
            count++;
        }
    closedir(d);
    CHECK(count == 1, "%s holds %d files", directory, count);
    return path;
}

static size_t read_file(const char *path, unsigned char *out, size_t size) {
    FILE *f = fopen(path, "rb");
    CHECK(f, "cannot open %s", path);
    size_t n = fread(out, 1, size, f);
    fclose(f);
    return n;
}

static void write_file(const char *path, const void *data, size_t size) {
    unlink(path);
    int f = open(path, O_CREAT | O_WRONLY | O_EXCL, 0600);
    CHECK(f >= 0 && write(f, data, size) == (ssize_t)size && close(f) == 0, "cannot write %s", path);
}

static void is_private_and_found_again(void **state) {
    (void)state;
    struct stat st;
    const char *directory = in_directory("new/deep/cache");
    heard first = build_in(directory), second = build_in(directory);
    assert_true(first.from_source == 1 && first.from_cache == 0 && !first.damaged && !first.cannot_write);
    assert_true(second.from_source == 0 && second.from_cache == 1);
    assert_int_equal(stat(only_file(directory), &st), 0);
    CHECK((st.st_mode & 07777) == 0600 && S_ISREG(st.st_mode), "the file has mode %o", (unsigned)st.st_mode);
    for (const char *made[] = {in_directory("new/deep/cache"), in_directory("new")}, **p = made; p < made + 2; p++) {
        assert_int_equal(stat(*p, &st), 0);
        CHECK((st.st_mode & 07777) == 0700, "%s has mode %o", *p, (unsigned)st.st_mode);
    }
}

static void no_cache_writes_nothing(void **state) {
    (void)state;
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.cache_directory = in_directory("unused"), desc.no_cache = true;
    heard h = build(&desc);
    assert_true(h.from_source == 1 && h.from_cache == 0);
    assert_int_not_equal(access(desc.cache_directory, F_OK), 0);
}

// Whatever is in the file: the program is built from source, silently but for the log, and the file is good afterwards.
static void expect_repair(const char *directory, const char *what, size_t at) {
    heard broken = build_in(directory), repaired = build_in(directory);
    CHECK(broken.from_source == 1 && broken.from_cache == 0 && broken.damaged == 1, "%s at %zu was not noticed", what, at);
    CHECK(repaired.from_cache == 1 && repaired.from_source == 0, "%s at %zu was not repaired", what, at);
}

static void damage_is_repaired(void **state) {
    static unsigned char good[1 << 22], bad[1 << 22];
    (void)state;
    const char *directory = in_directory("damaged");
    build_in(directory);
    char path[700];
    snprintf(path, sizeof path, "%s", only_file(directory));
    size_t size = read_file(path, good, sizeof good);
    assert_true(size > 100 && size < sizeof good);
    for (size_t at = 0; at < size; at += at < 48 ? 1 : 1 + size / 24) { // all of the header, samples of the payload
        memcpy(bad, good, size);
        bad[at] ^= (unsigned char)(1u << test_between(0, 7));
        write_file(path, bad, size);
        expect_repair(directory, "a flipped bit", at);
    }
    static const size_t cuts[] = {0, 1, 7, 8, 47, 48, 49};
    for (size_t i = 0; i < 9; i++) {
        size_t kept = i < 7 ? cuts[i] : i == 7 ? size / 2 : size - 1;
        write_file(path, good, kept);
        expect_repair(directory, "a truncated file", kept);
    }
    memcpy(bad, good, size);
    bad[size] = 0;
    write_file(path, bad, size + 1);
    expect_repair(directory, "a byte too many", size);
    for (size_t i = 0; i < size; i++)
        bad[i] = (unsigned char)test_random();
    write_file(path, bad, size);
    expect_repair(directory, "garbage", size);
    memset(bad, 0xff, size); // sizes that overflow
    memcpy(bad, good, 24);
    write_file(path, bad, size);
    expect_repair(directory, "a huge length", 24);
}

static void foreign_files_are_not_trusted(void **state) {
    static unsigned char good[1 << 22];
    (void)state;
    const char *directory = in_directory("foreign");
    build_in(directory);
    char path[700];
    snprintf(path, sizeof path, "%s", only_file(directory));
    size_t size = read_file(path, good, sizeof good);
    assert_int_equal(chmod(path, 0666), 0);
    expect_repair(directory, "a file that anybody may write", 0);
    const char *target = in_directory("target");
    write_file(target, good, size);
    assert_true(unlink(path) == 0 && symlink(target, path) == 0);
    heard h = build_in(directory);
    assert_true(h.from_source == 1 && h.from_cache == 0);
    unlink(path);
    assert_true(mkdir(path, 0700) == 0);
    h = build_in(directory);
    assert_true(h.from_source == 1 && h.from_cache == 0);
    rmdir(path);
    assert_true(mkfifo(path, 0600) == 0); // must not wait for a writer
    h = build_in(directory);
    assert_true(h.from_source == 1 && h.from_cache == 0);
}

static void unwritable_directories_are_harmless(void **state) {
    static const char *const directories[] = {"/dev/null", "/dev/null/cache", "/proc/mastaba/cache", ""};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        heard h = build_in(directories[i]);
        CHECK(h.from_source == 1 && h.from_cache == 0, "in '%s'", directories[i]);
    }
    char long_name[5000];
    memset(long_name, 'x', sizeof long_name);
    long_name[0] = '/', long_name[sizeof long_name - 1] = '\0';
    assert_int_equal(build_in(long_name).from_source, 1);
    if (geteuid() != 0) {
        const char *closed = in_directory("closed");
        assert_int_equal(mkdir(closed, 0500), 0);
        assert_int_equal(build_in(closed).cannot_write, 1);
    }
}

// Of the kinds that are stored only programs are looked for in the directory of all users, whose files all may read.
static void only_programs_are_of_all_users(const char *shared, const char *own) {
    static const mst_cache_key key = {3, 7};
    static const unsigned char payload[] = "a rate";
    size_t size = 0;
    mst_error e;
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_context *root = NULL, *user = NULL;
    desc.cache_directory = shared;
    root = test_context(&desc);
    desc.cache_directory = own;
    OK(mst_context_create(&desc, &user, &e));
    mst_cache_store(root, key, payload, sizeof payload);
    assert_null(mst_cache_load(user, key, &size));
    unsigned char *found = mst_cache_load_program(user, key, &size);
    assert_true(found && size == sizeof payload && memcmp(found, payload, size) == 0);
    free(found);
    mst_context_destroy(user);
    mst_context_destroy(root);
    char path[700];
    struct stat st;
    snprintf(path, sizeof path, "%s/00000000000000070000000000000003.bin", shared);
    assert_true(stat(path, &st) == 0 && (st.st_mode & 07777) == 0644 && unlink(path) == 0);
}

// Named in another way, the directory has to be found, or not to be trusted.
static void expect_by_name(const char *name, const char *own, const char *copy, bool is_trusted) {
    setenv("MASTABA_SYSTEM_CACHE", name, 1);
    heard h = build_in(own);
    CHECK(h.from_cache == is_trusted && h.from_source == !is_trusted, "%s is%s trusted", name, is_trusted ? " not" : "");
    CHECK(is_trusted || unlink(copy) == 0, "the user keeps nothing");
}

static void names_of_it(const char *above, const char *shared, const char *own, const char *copy) {
    char name[700];
    static const struct {
        mode_t mode;
        bool is_trusted;
    } modes[] = {{0777, false}, {0775, false}, {01777, true}, {0755, true}};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(chmod(above, modes[i].mode), 0);
        expect_by_name(shared, own, copy, modes[i].is_trusted);
    }
    assert_int_equal(chown(above, 1, 0), 0);
    expect_by_name(shared, own, copy, false);
    assert_int_equal(chown(above, 0, 0), 0);
    snprintf(name, sizeof name, "%s/link", above);
    assert_int_equal(symlink(shared, name), 0);
    expect_by_name(name, own, copy, false);
    unlink(name);
    assert_int_equal(symlink(".", name), 0);
    snprintf(name, sizeof name, "%s/link%s", above, shared + strlen(above));
    expect_by_name(name, own, copy, false);
    snprintf(name, sizeof name, "//%s/./", shared);
    expect_by_name(name, own, copy, true);
    assert_int_equal(chdir(above), 0);
    expect_by_name(shared + strlen(above) + 1, own, copy, false);
    assert_int_equal(chdir("/"), 0);
}

// What root has put into a directory of root's comes before the user's own; what others could have written does not come at all.
static void directory_of_all_users(void **state) {
    (void)state;
    struct stat st;
    char above[] = "/tmp/mastaba-test-XXXXXX", shared[400], own[400], file[700], before[4096];
    if (geteuid() != 0)
        skip();
    assert_non_null(mkdtemp(above));
    assert_non_null(getcwd(before, sizeof before));
    snprintf(shared, sizeof shared, "%s/system", above);
    snprintf(own, sizeof own, "%s", in_directory("user"));
    assert_int_equal(build_in(shared).from_source, 1);
    snprintf(file, sizeof file, "%s", only_file(shared));
    setenv("MASTABA_SYSTEM_CACHE", shared, 1);
    assert_int_equal(chmod(shared, 0755) || chmod(file, 0644), 0);
    heard h = build_in(own);
    assert_true(h.from_cache == 1 && h.from_source == 0);
    const char *const made = strstr(file, "system/") + strlen("system/");
    char copy[1200];
    snprintf(copy, sizeof copy, "%s/%s", own, made);
    assert_int_not_equal(access(copy, F_OK), 0);
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.cache_directory = own, desc.no_cache = true;
    assert_int_equal(build(&desc).from_source, 1);
    only_programs_are_of_all_users(shared, own);
    names_of_it(above, shared, own, copy);
    assert_int_equal(chdir(before), 0);
    setenv("MASTABA_SYSTEM_CACHE", shared, 1);
    const struct {
        uid_t owner, file_owner;
        mode_t mode, file_mode;
    } untrusted[] = {{0, 0, 0777, 0644}, {0, 0, 0775, 0644}, {1, 0, 0755, 0644}, {0, 1, 0755, 0644}, {0, 0, 0755, 0646}};
    for (size_t i = 0; i < sizeof untrusted / sizeof *untrusted; i++) {
        assert_int_equal(chown(shared, untrusted[i].owner, 0) || chown(file, untrusted[i].file_owner, 0), 0);
        assert_int_equal(chmod(shared, untrusted[i].mode) || chmod(file, untrusted[i].file_mode), 0);
        h = build_in(own);
        CHECK(h.from_source == 1 && h.from_cache == 0, "case %zu is trusted", i);
        assert_int_equal(stat(copy, &st) || unlink(copy), 0); // kept by the user
    }
    unsetenv("MASTABA_SYSTEM_CACHE");
    test_remove_tree(above);
}

// cache_directory, else $XDG_CACHE_HOME/mastaba if that is absolute, else $HOME/.cache/mastaba, else none.
static void environment(void **state) {
    (void)state;
    const mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    const char *kept[2] = {getenv("HOME"), getenv("XDG_CACHE_HOME")};
    char *copies[2] = {kept[0] ? strdup(kept[0]) : NULL, kept[1] ? strdup(kept[1]) : NULL};
    const char *home = in_directory("home"), *xdg = in_directory("xdg");
    setenv("POCL_CACHE_DIR", in_directory("pocl"), 0); // PoCL follows the same variables
    home = in_directory("home"), xdg = in_directory("xdg");
    setenv("HOME", home, 1);
    setenv("XDG_CACHE_HOME", xdg, 1);
    assert_int_equal(build(&desc).from_source, 1);
    only_file(in_directory("xdg/mastaba"));
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_int_equal(build(&desc).from_source, 1);
    only_file(in_directory("home/.cache/mastaba"));
    unsetenv("XDG_CACHE_HOME");
    assert_int_equal(build(&desc).from_cache, 1);
    unsetenv("HOME");
    heard h = build(&desc);
    assert_true(h.from_source == 1 && h.cannot_write == 0);
    for (int k = 0; k < 2; k++) {
        if (copies[k])
            setenv(k ? "XDG_CACHE_HOME" : "HOME", copies[k], 1);
        free(copies[k]);
    }
    assert_int_not_equal(access("relative", F_OK), 0);
}

// ---- overrides ----

static void kernel_directory(void **state) {
    (void)state;
    static const char broken[] = "#error this is not a kernel\n";
    const char *directory = in_directory("kernels"), *text = NULL;
    assert_int_equal(mkdir(directory, 0700), 0);
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.cache_directory = test_directory(), desc.kernel_directory = directory;
    heard h = build(&desc); // nothing in it: the built-in ones serve
    assert_int_equal(h.overridden, 0);
    size_t length = 0;
    for (size_t i = 0; i < mst_n_kernel_files; i++)
        if (strcmp(mst_kernel_files[i].name, "copy.cl") == 0)
            text = mst_kernel_files[i].text, length = mst_kernel_files[i].length;
    assert_non_null(text);
    char *changed = malloc(length + 20);
    assert_non_null(changed);
    int n = snprintf(changed, length + 20, "// mine\n%s", text);
    write_file(in_directory("kernels/copy.cl"), changed, (size_t)n);
    free(changed);
    h = build(&desc);
    assert_true(h.overridden == 1 && h.from_source == 1); // another source, another key
    desc.kernel_directory = NULL;
    setenv("MASTABA_KERNEL_DIR", directory, 1);
    h = build(&desc);
    assert_true(h.overridden == 1 && h.from_cache == 1);
    write_file(in_directory("kernels/copy.cl"), broken, sizeof broken - 1);
    mst_error e;
    const mst_program *program;
    mst_context *context = test_context(&desc);
    REFUSED(MST_ERROR_BUILD, "this is not a kernel",
            mst_program_of_file(context, "test", "copy.cl", "-D PRECISION=32", &program, &e));
    assert_true(strstr(e.message, "copy.cl") && e.opencl_code != 0);
    REFUSED(MST_ERROR_BUILD, "nothing.cl", mst_program_of_file(context, "test", "nothing.cl", "", &program, &e));
    mst_context_destroy(context);
    unsetenv("MASTABA_KERNEL_DIR");
}

// ---- several processes ----

// Whoever is late finds the file of another; the second time everybody finds one.
static int child(const char *directory) {
    heard first = build_in(directory), second = build_in(directory);
    return first.from_source + first.from_cache == 1 && second.from_cache == 1 ? 0 : 1;
}

static void processes_share_a_cold_cache(void **state) {
    enum { CHILDREN = 4 };
    (void)state;
    pid_t pids[CHILDREN];
    char self[] = "/proc/self/exe", directory[400];
    snprintf(directory, sizeof directory, "%s", in_directory("shared"));
    char *arguments[] = {self, directory, NULL};
    for (int i = 0; i < CHILDREN; i++)
        assert_int_equal(posix_spawn(&pids[i], self, NULL, NULL, arguments, environ), 0);
    for (int i = 0; i < CHILDREN; i++) {
        int result = -1;
        assert_int_equal(waitpid(pids[i], &result, 0), pids[i]);
        CHECK(result == 0, "process %d ended with %d", i, result);
    }
    only_file(directory);
    assert_int_equal(build_in(directory).from_cache, 1);
}

int main(int argc, char **argv) {
    if (argc == 2)
        return child(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_private_and_found_again),
        cmocka_unit_test(no_cache_writes_nothing),
        cmocka_unit_test(damage_is_repaired),
        cmocka_unit_test(foreign_files_are_not_trusted),
        cmocka_unit_test(unwritable_directories_are_harmless),
        cmocka_unit_test(directory_of_all_users),
        cmocka_unit_test(environment),
        cmocka_unit_test(kernel_directory),
        cmocka_unit_test(processes_share_a_cold_cache),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
