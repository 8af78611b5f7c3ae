// Windows on arrays: the pieces of an item are, each once, the elements that the array has of it, along one to three axes that
// end or go round.
#include "support.h"

#include "stream/window.h"

enum { LENGTH = 7, WINDOW = 4, N_WINDOWS = 5 };

// What came of an item: the element of the array at each position, and how often it came.
typedef struct arrived {
    size_t element[WINDOW * WINDOW * WINDOW], times[WINDOW * WINDOW * WINDOW], visits;
} arrived;

static mst_stream_desc describe(int n_axes, unsigned round) {
    mst_stream_desc desc = {.n_items = 1, .n_ports = 1};
    mst_windows *w = &desc.windows[0];
    size_t windows[2 * MST_WINDOW_AXES], array[2 * MST_WINDOW_AXES];
    for (int a = 0; a < n_axes; a++) {
        windows[a] = N_WINDOWS, windows[n_axes + a] = WINDOW;
        array[a] = 1, array[n_axes + a] = LENGTH;
        w->axes[a] = (mst_windows_axis){a, n_axes + a, -3, 2, round >> a & 1};
        desc.n_items *= N_WINDOWS;
    }
    w->n_axes = n_axes;
    w->array = mst_layout_dense(MST_UINT8, 2 * n_axes, array);
    desc.ports[0] = (mst_port){MST_PORT_INPUT, mst_layout_dense(MST_UINT8, 2 * n_axes, windows), n_axes, "input"};
    return desc;
}

static mst_status take(const mst_piece *piece, void *user, mst_error *error) {
    arrived *got = user;
    const mst_layout *l = &piece->layout;
    (void)error;
    got->visits++;
    for (uint64_t k = 0; k < piece->bytes; k++) {
        int64_t from = piece->from;
        uint64_t index = k, to = piece->begin + k / piece->row_bytes * piece->pitch_bytes + k % piece->row_bytes;
        for (int d = l->rank - 1; d >= 0; index /= l->shape[d], d--)
            from += (int64_t)(index % l->shape[d]) * l->strides[d];
        got->element[to] = (size_t)from;
        got->times[to]++;
    }
    return MST_OK;
}

// Where position `at` of an item lies in the array; false: nowhere.
static bool element_of(const mst_windows *w, size_t item, size_t at, size_t *element) {
    size_t stride = 1;
    *element = 0;
    for (int a = w->n_axes - 1; a >= 0; a--, item /= N_WINDOWS, at /= WINDOW, stride *= LENGTH) {
        long p = -3 + 2 * (long)(item % N_WINDOWS) + (long)(at % WINDOW);
        if (w->axes[a].goes_round)
            p = (p + LENGTH) % LENGTH;
        if (p < 0 || p >= LENGTH)
            return false;
        *element += (size_t)p * stride;
    }
    return true;
}

static void each_element_once(void **state) {
    (void)state;
    for (int n_axes = 1; n_axes <= MST_WINDOW_AXES; n_axes++)
        for (unsigned round = 0; round < 1u << n_axes; round++) {
            const mst_stream_desc desc = describe(n_axes, round);
            const size_t elements = n_axes == 1 ? WINDOW : n_axes == 2 ? WINDOW * WINDOW : WINDOW * WINDOW * WINDOW;
            for (size_t item = 0; item < desc.n_items; item++) {
                mst_error e;
                arrived got = {.visits = 0};
                OK(mst_window_visit(&desc, 0, item, take, &got, &e));
                for (size_t at = 0; at < elements; at++) {
                    size_t element;
                    const bool there = element_of(&desc.windows[0], item, at, &element);
                    CHECK(
                        got.times[at] == there && (!there || got.element[at] == element),
                        "%d axes, of which %#x go round, item %zu: position %zu came %zu times in %zu pieces, from %zu, not %zu",
                        n_axes, round, item, at, got.times[at], got.visits, got.element[at], element);
                }
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_element_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
