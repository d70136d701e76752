// Shared by the files of this folder.
#ifndef CAROM_COMMON_PHYSICS_QUERIES_QUERY_INTERNAL_H
#define CAROM_COMMON_PHYSICS_QUERIES_QUERY_INTERNAL_H

#include "common/physics/query.h"
#include "common/physics/state/world.h"

// Whether the query sees the shape (a piece of a chain, not the chain as a whole).
bool query_sees(const physics_world *world, const query_filter *filter, uint32_t slot);
// Counts one more visited shape. False: the query has reached its limit.
static inline bool query_may_look(const query_filter *filter, uint32_t *looks)
{
    ++*looks;
    return filter->looks_most == 0 || *looks <= filter->looks_most;
}
// Returns STATUS_UNAVAILABLE if the query has reached its limit.
status query_gave_up(const query_filter *filter, uint32_t looks, error *err);
// The filter itself, or the default if it is NULL.
query_filter query_filter_or_default(const query_filter *filter);
// Checks the shape that a query brings; the error text begins with "shape".
status query_shape_check(const shape_geometry *form, error *err);
// The slot of the shape that queries report: of the chain, for a piece of a chain.
static inline uint32_t query_slot(const physics_world *world, uint32_t slot)
{
    uint32_t chain = world->shapes.data[slot].traits->chain;
    return chain != NONE ? chain : slot;
}

#endif
