// Several devices behind one context. The lead is the context that the caller has, of the first device; it owns a context of its
// own kind for each further one, a peer. Whatever does not ask for peers works on the lead alone.
#ifndef MST_RUNTIME_GROUP_H
#define MST_RUNTIME_GROUP_H

#include "context.h"

// A context of all devices that the description asks for.
mst_status mst_group_create(const mst_context_desc *desc, mst_context **out, mst_error *error);

// Member 0 is the lead, 1 and so on its peers.
static inline size_t mst_group_size(const mst_context *lead) { return lead->n_peers + 1; }
static inline mst_context *mst_group_member(mst_context *lead, size_t k) { return k == 0 ? lead : lead->peers[k - 1]; }

// Calls work(k, user) for k = 0 .. n - 1 at once, each in a thread of its own, number 0 in the caller's, and returns when all
// have. MST_ERROR_HOST_MEMORY: not all threads could be started; those that were have worked, and number 0 has.
mst_status mst_group_run(size_t n, void (*work)(size_t k, void *user), void *user, mst_error *error);

// The plans of one description for the devices of a group, and how a capability makes them: `make` as its public function would,
// on a peer.
typedef struct mst_twin_kind {
    mst_status (*make)(mst_context *peer, const void *desc, void **plan, mst_error *error);
    void (*destroy)(void *plan);
} mst_twin_kind;

// A plan for each peer that can have one: those whose devices lack what it takes (float64, memory) are left out, with a warning.
// *plans is an array of mst_group_size - 1 plans, *n of which are there; NULL with 0 if there are none.
mst_status mst_twins_create(mst_context *lead, const mst_twin_kind *kind, const void *desc, void ***plans, size_t *n,
                            mst_error *error);
void mst_twins_destroy(const mst_twin_kind *kind, void **plans, size_t n);

#endif
