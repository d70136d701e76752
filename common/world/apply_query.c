// The query methods: each queries the engine and copies the answers into the result's memory. More
// than COMMAND_QUERY_HITS_MAX answers are an error, never a list cut short. Thread: the one that
// owns the world.
#include <string.h>

#include "common/base/array.h"
#include "common/base/assert.h"
#include "common/world/apply_internal.h"

static status too_many(uint32_t count, error *err)
{
    ASSERT(count > COMMAND_QUERY_HITS_MAX);
    return error_set(err, STATUS_LIMIT_EXCEEDED,
                     "found %u, and at most %d fit an answer; narrow the query", count,
                     COMMAND_QUERY_HITS_MAX);
}

// Copies the hits into the result's memory.
static status hits_take(query_hits *hits, hits_result *out, command_memory **memory, error *err)
{
    status s = STATUS_OK;
    ASSERT(out->count == 0 && out->hits == NULL);
    if (hits->count > COMMAND_QUERY_HITS_MAX) {
        s = too_many(hits->count, err);
    } else if (hits->count > 0) {
        out->hits = command_memory_take(memory, hits->count, sizeof *out->hits);
        memcpy(out->hits, hits->data, hits->count * sizeof *out->hits);
        out->count = hits->count;
    }
    return s;
}

status find_ray(const physics_world *world, const query_ray_args *query, hits_result *out,
                command_memory **memory, error *err)
{
    query_hits hits = {0};
    status s = query_ray(world, query->from, query->to, &query->filter, query->all, &hits, err);
    if (s == STATUS_OK) {
        s = hits_take(&hits, out, memory, err);
    }
    array_free(&hits);
    return s;
}

status find_cast(const physics_world *world, const query_cast_args *query, hits_result *out,
                 command_memory **memory, error *err)
{
    query_hits hits = {0};
    status s = query_cast(world, &query->shape, query->from, query->to, &query->filter, query->all,
                          &hits, err);
    if (s == STATUS_OK) {
        s = hits_take(&hits, out, memory, err);
    }
    array_free(&hits);
    return s;
}

static status overlap_list(const physics_world *world, const query_overlap_args *query,
                           query_list *list, error *err)
{
    switch (query->of) {
    case OVERLAP_AREA:
        return query_overlap_area(world, (vec2d){query->area.x0, query->area.y0},
                                  (vec2d){query->area.x1, query->area.y1}, &query->filter, list,
                                  err);
    case OVERLAP_SHAPE:
        return query_overlap_shape(world, &query->shape, (pose){.q = ROT_IDENTITY}, &query->filter,
                                   list, err);
    default:
        ASSERT(query->of == OVERLAP_POINT);
        return query_point(world, query->point, &query->filter, list, err);
    }
}

status find_overlap(const physics_world *world, const query_overlap_args *query, bodies_result *out,
                    command_memory **memory, error *err)
{
    query_list list = {0};
    status s = overlap_list(world, query, &list, err);
    if (s == STATUS_OK && list.count > 0) {
        // hits of one body are adjacent
        uint32_t count = 0;
        for (uint32_t i = 0; i < list.count; i++) {
            if (count == 0 || list.data[count - 1].body != list.data[i].body) {
                list.data[count++] = list.data[i];
            }
        }
        if (count > COMMAND_QUERY_HITS_MAX) {
            s = too_many(count, err);
        } else {
            out->bodies = command_memory_take(memory, count, sizeof *out->bodies);
            for (uint32_t i = 0; i < count; i++) {
                out->bodies[out->count++] = list.data[i].body;
            }
            ASSERT(out->count == count && count <= list.count);
        }
    }
    array_free(&list);
    return s;
}
