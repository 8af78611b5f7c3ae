#include "team.h"

#include "clock.h"
#include "report.h"

enum { MOST_BYTES = 1 << 30 }; // of one message

static const cli_team alone = {.count = 1};
static const cli_team *team = &alone;
static bool works; // between cli_work_begin and cli_work_end

void cli_set_team(const cli_team *given) { team = given; }
const cli_team *cli_get_team(void) { return team; }

int cli_agree(const char *command, int code) { return team->count > 1 ? team->agree(command, code) : code; }

void cli_tell(void *data, size_t bytes, int from) {
    for (size_t at = 0; at < bytes && team->count > 1; at += MOST_BYTES)
        team->tell((char *)data + at, bytes - at < MOST_BYTES ? bytes - at : MOST_BYTES, from);
}

void cli_sum(uint64_t *values, size_t n) {
    if (team->count > 1)
        team->sum(values, n);
}

bool cli_same(uint64_t value) { return team->count == 1 || team->same(value); }

mst_status cli_create_context(const mst_context_desc *desc, mst_context **out, mst_error *error) {
    return team->create ? team->create(desc, out, error) : mst_context_create(desc, out, error);
}

void cli_take_time(void) {
    if (team->pause)
        team->pause();
}

double cli_work_begin(void) {
    cli_take_time();
    works = true;
    return cli_now();
}

void cli_work_goes_on(void) {
    if (works && team->count > 1)
        team->go_on();
}

int cli_work_meet(const char *command, int code) {
    if (team->count > 1)
        code = team->meet(command, code);
    cli_take_time();
    return code;
}

int cli_work_end(const char *command, int code, double began, mst_report *report) {
    works = false;
    if (team->count == 1)
        return code;
    code = team->meet(command, code);
    report->seconds = cli_now() - began;
    return code;
}

// ---- Shares

cli_share cli_share_of(size_t all, int number) {
    const size_t n = (size_t)team->count, block = all / n + (all % n != 0), i = (size_t)number;
    cli_share share = {.first = block && i > all / block ? all : block * i, .all = all};
    share.first = share.first < all ? share.first : all;
    share.count = all - share.first < block ? all - share.first : block;
    return share;
}

int cli_share_batch(const char *command, size_t all, cli_share *share) {
    *share = cli_share_of(all, team->number);
    if (all > 1 || team->count == 1)
        return CLI_DONE;
    cli_error(command,
              "the first axis of the result has %zu element%s, which %d ranks cannot share; run `mastaba %s`, or reshape", all,
              all == 1 ? "" : "s", team->count, command);
    return CLI_INPUT_OUTPUT;
}

int cli_share_cut(const char *command, const cli_share *share, mst_layout *layout, mst_location *location) {
    if (team->count == 1 || layout->shape[0] == 1)
        return CLI_DONE;
    if (layout->shape[0] != share->all) {
        cli_error(command, "arrays of %zu and %zu along the first axis do not go together", layout->shape[0], share->all);
        return CLI_INPUT_OUTPUT;
    }
    const uint64_t bytes = share->first * (uint64_t)layout->strides[0] * mst_type_bytes(layout->type);
    layout->shape[0] = share->count;
    if (location->place == MST_PLACE_HOST)
        location->host = (char *)location->host + bytes;
    else
        location->offset += bytes;
    return CLI_DONE;
}

mst_layout cli_share_whole(const cli_share *share, const mst_layout *own) {
    mst_layout whole = *own;
    if (team->count > 1)
        whole.shape[0] = share->all;
    return mst_layout_dense(whole.type, whole.rank, whole.shape);
}

void cli_share_gather(void *data, size_t all, size_t bytes) {
    for (int i = 0; i < team->count; i++) {
        const cli_share share = cli_share_of(all, i);
        cli_tell((char *)data + share.first * bytes, share.count * bytes, i);
    }
}
