#include "trays.h"

#include "panel.h"
#include "strips.h"

#include "runtime/numbers.h"

#include <stdlib.h>
#include <sys/mman.h>

#define OTHERS 16 // the part of what is left of the budget that is not for trays

typedef struct tray {
    unsigned char *memory;
    size_t number, left; // panels that are still to be taken, or put there
    bool open;           // panels move
} tray;

// The trays of a port, or of two that share them.
typedef struct tray_port {
    mst_trays *all;
    int reads, writes; // ports; -1: none
    bool has_thread;
    pthread_t thread;
    size_t n_trays;     // of all lines
    size_t n_over;      // that were written
    size_t n_held;      // at a time
    mst_strips *strips; // NULL: each tray has memory of its own
    tray trays[MST_TRAYS_A_PORT];
} tray_port;

struct mst_trays {
    const mst_stream_desc *desc;
    const mst_location *where;
    const mst_files *files;
    mst_tray_shape shape;
    uint64_t bytes; // taken of the budget
    mst_pool *pool;
    tray_port ports[MST_STREAM_MAX_PORTS];

    pthread_mutex_t mutex; // guards what follows, and the states of ports
    pthread_cond_t changed;
    bool stop;
    mst_status status;
    mst_error error;
};

bool mst_trays_has(const mst_trays *t, int port) { return t && t->shape.items[port] > 0; }

static tray_port *port_of(mst_trays *t, int port) { return &t->ports[t->shape.shared && port == 1 ? 0 : port]; }
static int number_of(const tray_port *p) { return p->reads >= 0 ? p->reads : p->writes; }
static bool is_shared(const tray_port *p) { return p->reads >= 0 && p->writes >= 0; }

// ---- Numbers

static size_t trays_of_line(const mst_trays *t, int port) { return mst_divide_up(t->shape.line, t->shape.items[port]); }

static size_t tray_of(const mst_trays *t, int port, size_t item) {
    return item / t->shape.line * trays_of_line(t, port) + item % t->shape.line / t->shape.items[port];
}

static size_t first_of(const mst_trays *t, int port, size_t number) {
    return number / trays_of_line(t, port) * t->shape.line + number % trays_of_line(t, port) * t->shape.items[port];
}

static size_t panels_of(const mst_trays *t, int port, size_t number) {
    return mst_smaller(t->shape.items[port], t->shape.line - number % trays_of_line(t, port) * t->shape.items[port]);
}

// ---- Threads

static void fail(mst_trays *t, mst_status status, const mst_error *error) {
    pthread_mutex_lock(&t->mutex);
    if (t->status == MST_OK) {
        t->status = status;
        t->error = *error;
    }
    t->stop = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->mutex);
}

// Between the file of a port and a tray.
static mst_status move(const tray_port *p, int port, size_t number, void *memory, mst_error *error) {
    const mst_trays *t = p->all;
    const mst_panel_place from = {t->pool, t->where[port], t->desc->ports[port].name, t->files->direct[port]};
    mst_status status = MST_OK;
    mst_panel_piece pieces[MST_PANEL_PIECES];
    int n = t->desc->panel(t->desc->user, MST_TRAY_IN_ARRAY, port, first_of(t, port, number), pieces);
    for (int i = 0; i < n && status == MST_OK; i++)
        status = mst_panel_move(&from, &pieces[i], memory, port == p->writes, error);
    return status;
}

// Reads a tray by ranges of rows, as panels of the one before leave memory for them.
static mst_status read_strips(tray_port *p, size_t number, mst_error *error) {
    mst_trays *t = p->all;
    const mst_panel_place from = {t->pool, t->where[p->reads], t->desc->ports[p->reads].name, t->files->direct[p->reads]};
    const size_t panels = panels_of(t, p->reads, number);
    mst_status status = MST_OK;
    mst_panel_piece piece[MST_PANEL_PIECES];
    t->desc->panel(t->desc->user, MST_TRAY_IN_ARRAY, p->reads, first_of(t, p->reads, number), piece);
    for (size_t range = 0; range < mst_strips_ranges(p->strips) && status == MST_OK; range++) {
        pthread_mutex_lock(&t->mutex);
        while (!t->stop && !mst_strips_take(p->strips, number, panels, range))
            pthread_cond_wait(&t->changed, &t->mutex);
        const bool stop = t->stop;
        pthread_mutex_unlock(&t->mutex);
        status = stop ? mst_fail(error, MST_ERROR_CANCELLED, "cancelled")
                      : mst_strips_read(p->strips, number, range, &from, piece, error);
    }
    return status;
}

// Waits until the tray can be filled, or has all that is to be written; false to stop. Called and left with the mutex held.
static bool wait_for_turn(const tray_port *p, const tray *one, size_t number) {
    mst_trays *t = p->all;
    while (!t->stop && (p->writes >= 0 ? !one->open || one->number != number || one->left > 0 : one->open))
        pthread_cond_wait(&t->changed, &t->mutex);
    return !t->stop;
}

// Writes tray `number`, and reads the one that takes its place.
static mst_status turn_tray(tray_port *p, tray *one, size_t number, mst_error *error) {
    mst_status status = MST_OK;
    const size_t next = is_shared(p) ? number + p->n_held : number;
    if (p->writes >= 0)
        MST_TRY(move(p, p->writes, number, one->memory, error));
    if (p->strips)
        return read_strips(p, number, error);
    if (p->reads >= 0 && next < p->n_trays)
        MST_TRY(move(p, p->reads, next, one->memory, error));
fail:
    return status;
}

// What a tray holds from now on. Called with the mutex held.
static void fill_tray(const tray_port *p, tray *one, size_t number) {
    one->open = p->reads >= 0 && number < p->n_trays;
    one->number = number;
    one->left = panels_of(p->all, number_of(p), number);
}

static bool work_on(tray_port *p, size_t number) {
    mst_trays *t = p->all;
    tray *one = &p->trays[number % p->n_held];
    mst_error error = {.status = MST_OK};
    pthread_mutex_lock(&t->mutex);
    bool goes_on = wait_for_turn(p, one, number);
    pthread_mutex_unlock(&t->mutex);
    if (!goes_on)
        return false;
    mst_status status = turn_tray(p, one, number, &error);
    if (status != MST_OK) {
        fail(t, status, &error);
        return false;
    }
    pthread_mutex_lock(&t->mutex);
    fill_tray(p, one, is_shared(p) ? number + p->n_held : number);
    p->n_over += p->writes >= 0;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->mutex);
    return true;
}

// The first trays of ports that share them are read before there is anything to be written.
static bool read_first(tray_port *p) {
    bool goes_on = true;
    for (size_t k = 0; k < mst_smaller(p->n_trays, p->n_held) && goes_on; k++) {
        mst_error error = {.status = MST_OK};
        mst_status status = move(p, p->reads, k, p->trays[k].memory, &error);
        goes_on = status == MST_OK;
        if (!goes_on) {
            fail(p->all, status, &error);
            break;
        }
        pthread_mutex_lock(&p->all->mutex);
        fill_tray(p, &p->trays[k], k);
        pthread_cond_broadcast(&p->all->changed);
        pthread_mutex_unlock(&p->all->mutex);
    }
    return goes_on;
}

static void *work(void *argument) {
    tray_port *p = argument;
    bool goes_on = !is_shared(p) || read_first(p);
    for (size_t k = 0; k < p->n_trays && goes_on; k++)
        goes_on = work_on(p, k);
    return NULL;
}

// ---- Panels

// Whether panels of a tray may be put into memory: all trays that had it before are written.
static bool begin_tray(tray_port *p, tray *one, size_t number) {
    if (p->reads < 0 && !one->open && p->n_over + p->n_held > number) {
        one->open = true;
        one->number = number;
        one->left = panels_of(p->all, p->writes, number);
    }
    return one->open && one->number == number;
}

// Waits for a change, and where none comes for a while, stops if the watch says so. Called and left with the mutex held.
static void wait_watched(mst_trays *t, const mst_stream_watch *watch) {
    if (!watch) {
        pthread_cond_wait(&t->changed, &t->mutex);
        return;
    }
    if (mst_wait_a_while(&t->changed, &t->mutex))
        return;
    pthread_mutex_unlock(&t->mutex);
    if (!watch->goes_on(watch->user))
        mst_trays_stop(t);
    pthread_mutex_lock(&t->mutex);
}

// How what was waited for came. Called with the mutex held.
static mst_status outcome(const mst_trays *t, mst_error *error) {
    if (t->status == MST_OK && t->stop)
        return mst_fail(error, MST_ERROR_CANCELLED, "cancelled");
    if (t->status != MST_OK && error)
        *error = t->error;
    return t->status;
}

// Waits for the tray that a panel is in.
static mst_status open_tray(mst_trays *t, int port, size_t number, const mst_stream_watch *watch, mst_error *error) {
    tray_port *p = port_of(t, port);
    tray *one = &p->trays[number % p->n_held];
    pthread_mutex_lock(&t->mutex);
    while (!t->stop && !begin_tray(p, one, number))
        wait_watched(t, watch);
    mst_status status = outcome(t, error);
    pthread_mutex_unlock(&t->mutex);
    return status;
}

// A panel of the tray has been taken from it, or put there.
static void close_panel(mst_trays *t, int port, size_t number, size_t item) {
    tray_port *p = port_of(t, port);
    tray *one = &p->trays[number % p->n_held];
    if (is_shared(p) && port == p->reads)
        return; // the panel's results come to the same place
    pthread_mutex_lock(&t->mutex);
    one->left--;
    if (one->left == 0 && p->writes < 0)
        one->open = false;
    const bool gives = p->strips && mst_strips_give(p->strips, number, item - first_of(t, port, number));
    if (one->left == 0 || gives)
        pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->mutex);
}

mst_status mst_trays_carry(mst_trays *t, int port, size_t item, bool write, const mst_stream_watch *watch, void *panel,
                           mst_error *error) {
    mst_status status = MST_OK;
    const size_t number = tray_of(t, port, item);
    const tray_port *p = port_of(t, port);
    const mst_panel_place place = {t->desc->context->pool, mst_at_host(p->trays[number % p->n_held].memory),
                                   t->desc->ports[port].name, NULL};
    mst_panel_piece pieces[MST_PANEL_PIECES];
    MST_TRY(open_tray(t, port, number, watch, error));
    if (p->strips)
        MST_TRY(mst_strips_copy(p->strips, number, item - first_of(t, port, number), place.pool, panel, error));
    const int n = p->strips ? 0 : t->desc->panel(t->desc->user, MST_PANEL_IN_TRAY, port, item, pieces);
    for (int i = 0; i < n; i++)
        MST_TRY(mst_panel_move(&place, &pieces[i], panel, write, error));
    close_panel(t, port, number, item);
fail:
    return status;
}

mst_status mst_trays_finish(mst_trays *t, const mst_stream_watch *watch, mst_error *error) {
    pthread_mutex_lock(&t->mutex);
    for (int p = 0; p < t->desc->n_ports; p++)
        while (!t->stop && t->ports[p].writes >= 0 && t->ports[p].n_over < t->ports[p].n_trays)
            wait_watched(t, watch);
    mst_status status = outcome(t, error);
    pthread_mutex_unlock(&t->mutex);
    return status;
}

void mst_trays_stop(mst_trays *t) {
    pthread_mutex_lock(&t->mutex);
    t->stop = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->mutex);
    if (t->pool)
        mst_pool_cancel(t->pool);
}

// ---- Making

// The memory of all trays of a port; *fits is false, and nothing fails, where the system has no such memory.
static mst_status begin_port(mst_trays *t, int port, bool *fits, mst_error *error) {
    mst_status status = MST_OK;
    tray_port *p = &t->ports[port];
    p->all = t;
    const bool output = t->desc->ports[port].kind == MST_PORT_OUTPUT;
    p->reads = output ? -1 : port;
    p->writes = output ? port : t->shape.shared ? 1 : -1;
    p->n_held = t->shape.held[port];
    p->n_trays = t->desc->n_items / t->shape.line * trays_of_line(t, port);
    if (t->shape.strips[port] > 0) {
        MST_TRY(mst_strips_create(&t->shape, port, &p->strips, error));
        *fits = p->strips != NULL;
    }
    for (size_t k = 0; k < p->n_held && *fits && !p->strips; k++) {
        void *memory = mmap(NULL, (size_t)t->shape.bytes[port], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *fits = memory != MAP_FAILED;
        if (!*fits)
            break;
#ifdef MADV_HUGEPAGE
        madvise(memory, (size_t)t->shape.bytes[port], MADV_HUGEPAGE); // a wish
#endif
        p->trays[k].memory = memory;
    }
    if (*fits) {
        p->has_thread = pthread_create(&p->thread, NULL, work, p) == 0;
        MST_REQUIRE(p->has_thread, MST_ERROR_HOST_MEMORY, "cannot start a thread for %s", t->desc->ports[port].name);
    }
fail:
    return status;
}

static bool take_budget(mst_trays *t) {
    mst_context *context = t->desc->context;
    for (int p = 0; p < t->desc->n_ports; p++)
        if (t->shape.strips[p] > 0)
            t->bytes += mst_strips_bytes(&t->shape, p);
        else
            t->bytes += port_of(t, p) == &t->ports[p] ? t->shape.held[p] * t->shape.bytes[p] : 0;
    if (mst_budget_take(context, &context->host_memory, t->bytes))
        return true;
    t->bytes = 0;
    return false;
}

mst_status mst_trays_create(const mst_stream_desc *desc, const mst_location *where, const mst_files *files, mst_trays **out,
                            mst_error *error) {
    mst_status status = MST_OK;
    const uint64_t left = mst_budget_left(desc->context, &desc->context->host_memory);
    mst_tray_shape shape = {.line = 0};
    mst_tray_room room = {.bytes = left - left / OTHERS};
    mst_trays *t = NULL;
    bool fits = true, any = false;
    *out = NULL;
    for (int p = 0; p < desc->n_ports; p++)
        room.file[p] = where[p].place == MST_PLACE_FILE, room.direct[p] = files->direct[p] != NULL;
    if (desc->panel && desc->trays)
        shape = desc->trays(desc->user, &room);
    for (int p = 0; p < desc->n_ports; p++)
        any = any || shape.items[p] > 0;
    if (!any)
        return MST_OK;
    MST_REQUIRE(t = calloc(1, sizeof *t), MST_ERROR_HOST_MEMORY, "out of memory");
    t->desc = desc;
    t->where = where;
    t->files = files;
    t->shape = shape;
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->changed, NULL);
    fits = take_budget(t);
    if (fits)
        MST_TRY(mst_pool_create(mst_direct_threads(t->desc->context), &t->pool, error));
    for (int p = 0; p < desc->n_ports && fits; p++)
        if (shape.items[p] > 0 && port_of(t, p) == &t->ports[p])
            MST_TRY(begin_port(t, p, &fits, error));
    *out = fits ? t : NULL;
fail:
    if (!*out)
        mst_trays_destroy(t);
    return status;
}

void mst_trays_destroy(mst_trays *t) {
    if (!t)
        return;
    mst_trays_stop(t);
    for (int p = 0; p < MST_STREAM_MAX_PORTS; p++) {
        if (t->ports[p].has_thread)
            pthread_join(t->ports[p].thread, NULL);
        mst_strips_destroy(t->ports[p].strips);
        for (size_t k = 0; k < MST_TRAYS_A_PORT; k++)
            if (t->ports[p].trays[k].memory)
                munmap(t->ports[p].trays[k].memory, (size_t)t->shape.bytes[p]);
    }
    mst_pool_destroy(t->pool);
    mst_budget_give(t->desc->context, &t->desc->context->host_memory, t->bytes);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->mutex);
    free(t);
}
