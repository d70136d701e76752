// Rays and casts.
//
// The broad phase gives the shapes whose boxes the ray may meet. For each shape the ray is first
// clipped, in double, to the part within the shape's box, and only that part is converted to the
// body's frame: a ray of kilometres hits as exactly as one of a metre. Hits are sorted by fraction,
// then by slot.
#include "common/physics/definition.h"
#include "common/physics/state/ids.h"
#include "common/physics/queries/query_internal.h"

#include <stdlib.h>

// A clipped ray extends this far beyond the box, so that it hits a surface that lies on the box's
// side [m].
static const double CUT_MARGIN = 0.25;

query_filter query_filter_default(void)
{
    return (query_filter){.filter = {.category = UINT64_MAX, .mask = UINT64_MAX}};
}

query_filter query_filter_or_default(const query_filter *filter)
{
    return filter != NULL ? *filter : query_filter_default();
}

bool query_sees(const physics_world *world, const query_filter *filter, uint32_t slot)
{
    const shape *s = &world->shapes.data[slot];
    if (((s->flags & SHAPE_SENSOR) != 0 && !filter->sensors) ||
        (filter->ignore != 0 && filter->ignore == body_id_of(world, s->body))) {
        return false;
    }
    const shape_filter *f = &filter->filter;
    const shape_filter *of = &s->traits->filter;
    if (f->group != 0 && f->group == of->group) {
        return f->group > 0;
    }
    return (f->category & of->mask) != 0 && (of->category & f->mask) != 0;
}

status query_gave_up(const query_filter *filter, uint32_t looks, error *err)
{
    return filter->looks_most == 0 || looks <= filter->looks_most
               ? STATUS_OK
               : error_set(err, STATUS_UNAVAILABLE, "the query looked at %u shapes and gave up",
                           filter->looks_most);
}

status query_shape_check(const shape_geometry *form, error *err)
{
    if ((unsigned)form->kind >= SHAPE_KIND_COUNT || form->kind == SHAPE_CHAIN_SEGMENT) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "shape: must be a circle, capsule, box, polygon or segment");
    }
    status s = shape_validate(form, err);
    if (s != STATUS_OK) {
        error_prefix(err, "shape");
    }
    return s;
}

// ---- a search along the path

typedef struct found_hit {
    query_hit hit;
    uint32_t slot;  // slot of the shape that answers: for a chain's piece, the chain
    uint32_t piece; // slot of the shape that was hit
} found_hit;

typedef struct search {
    const physics_world *world;
    query_filter filter;
    uint32_t looks;
    bool all;
    vec2d from, by;
    const shape_geometry *moved; // the cast shape; NULL: a ray
    proxy moved_proxy;
    aabb moved_box; // around the cast shape in its frame; empty for a ray
    ARRAY(found_hit) found;
} search;

// Computes the part of the path in which it may hit the box. False if there is none.
static bool cut(const search *s, aabb box, double *enter, double *leave)
{
    const double lower[2] = {(double)box.lower.x - (double)s->moved_box.upper.x,
                             (double)box.lower.y - (double)s->moved_box.upper.y};
    const double upper[2] = {(double)box.upper.x - (double)s->moved_box.lower.x,
                             (double)box.upper.y - (double)s->moved_box.lower.y};
    const double start[2] = {s->from.x, s->from.y};
    const double step[2] = {s->by.x, s->by.y};
    *enter = 0.0;
    *leave = 1.0;
    for (int axis = 0; axis < 2; axis++) {
        double low = lower[axis] - CUT_MARGIN - start[axis];
        double high = upper[axis] + CUT_MARGIN - start[axis];
        if (step[axis] == 0.0) {
            if (low > 0.0 || high < 0.0) {
                return false;
            }
            continue;
        }
        double first = (step[axis] > 0.0 ? low : high) / step[axis];
        double last = (step[axis] > 0.0 ? high : low) / step[axis];
        *enter = first > *enter ? first : *enter;
        *leave = last < *leave ? last : *leave;
    }
    return *enter <= *leave;
}

// A chain stops only what comes from its right side.
static bool comes_from_behind(const shape_geometry *target, cast_result hit)
{
    if (target->kind != SHAPE_CHAIN_SEGMENT || !(hit.fraction > 0.0f)) {
        return false;
    }
    vec2 along = vec2_sub(target->chain.edge.b, target->chain.edge.a);
    return vec2_dot(hit.normal, vec2_right(along)) < 0.0f;
}

// Casts the part of the path from `enter` to `leave` against the shape, in the frame of its body.
static cast_result meet(const search *s, const shape_geometry *target, pose frame, double enter,
                        double leave)
{
    vec2d start = {s->from.x + enter * s->by.x, s->from.y + enter * s->by.y};
    double share = leave - enter;
    vec2 way = rot_inv_vec(frame.q, (vec2){(float)(share * s->by.x), (float)(share * s->by.y)});
    if (s->moved == NULL) {
        return ray_shape(target, pose_inv_point(frame, start), way);
    }
    proxy target_proxy = proxy_from_shape(target);
    transform placed = pose_relative(frame, (pose){start, ROT_IDENTITY});
    cast_result hit = cast_proxies(&target_proxy, &s->moved_proxy, placed, way);
    hit.hit = hit.hit && !comes_from_behind(target, hit);
    return hit;
}

static float visit(void *context, uint32_t slot, float fraction)
{
    search *s = context;
    if (!query_may_look(&s->filter, &s->looks)) {
        return 0.0f; // ends the search
    }
    const shape *target = &s->world->shapes.data[slot];
    pose frame = body_pose(&s->world->motions.data[target->body]);
    // Uses the exact current box: the one in the tree depends on how the body came here.
    aabb box = shape_aabb_at(&target->traits->geometry, frame);
    double enter;
    double leave;
    if (!query_sees(s->world, &s->filter, slot) || !cut(s, box, &enter, &leave)) {
        return fraction;
    }
    cast_result hit = meet(s, &target->traits->geometry, frame, enter, leave);
    if (!hit.hit) {
        return fraction;
    }
    double at = enter + (double)hit.fraction * (leave - enter);
    at = at < 1.0 ? at : 1.0;
    array_push(&s->found, ((found_hit){.hit = {.body = body_id_of(s->world, target->body),
                                               .shape = shape_id_of(s->world, slot),
                                               .point = pose_point(frame, hit.point),
                                               .normal = rot_vec(frame.q, hit.normal),
                                               .fraction = at},
                                       .slot = query_slot(s->world, slot),
                                       .piece = slot}));
    // From here on only nearer hits count; equally near ones are still tested, since the lower slot
    // wins. Zero would end the search, so a hit at the start returns a tiny fraction.
    return s->all ? fraction : float_max(float_round_up(at), 1.0e-30f);
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

// Sorts by slot, then fraction, then piece: the first hit of each slot is its answer.
static int by_slot(const void *left, const void *right)
{
    const found_hit *a = left;
    const found_hit *b = right;
    if (a->slot != b->slot) {
        return compare(a->slot, b->slot);
    }
    if (a->hit.fraction != b->hit.fraction) {
        return a->hit.fraction < b->hit.fraction ? -1 : 1;
    }
    return compare(a->piece, b->piece);
}

static int by_fraction(const void *left, const void *right)
{
    const found_hit *a = left;
    const found_hit *b = right;
    if (a->hit.fraction != b->hit.fraction) {
        return a->hit.fraction < b->hit.fraction ? -1 : 1;
    }
    return compare(a->slot, b->slot);
}

static void give(search *s, query_hits *hits)
{
    array_clear(hits);
    if (s->found.count == 0) {
        return;
    }
    qsort(s->found.data, s->found.count, sizeof *s->found.data, by_slot);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->found.count; i++) {
        if (kept == 0 || s->found.data[kept - 1].slot != s->found.data[i].slot) {
            s->found.data[kept++] = s->found.data[i];
        }
    }
    qsort(s->found.data, kept, sizeof *s->found.data, by_fraction);
    for (uint32_t i = 0; i < (s->all ? kept : 1); i++) {
        array_push(hits, s->found.data[i].hit);
    }
    array_free(&s->found);
}

static status run(search *s, query_hits *hits, error *err)
{
    // The tree's ray is that of the moved box's middle, with room for rounding.
    aabb box = s->moved_box;
    vec2 middle = vec2_scale(0.5f, vec2_add(box.lower, box.upper));
    vec2 extents = vec2_scale(0.5f, vec2_sub(box.upper, box.lower));
    extents = vec2_add(extents, (vec2){0.5f * LINEAR_SLOP, 0.5f * LINEAR_SLOP});
    float fraction = 1.0f;
    for (int i = 0; i < BROAD_TREES; i++) {
        tree_ray(&s->world->broad.trees[i], vec2d_offset(s->from, middle), s->by, extents, fraction,
                 visit, s);
        for (uint32_t k = 0; !s->all && k < s->found.count; k++) {
            fraction = float_min(fraction, float_round_up(s->found.data[k].hit.fraction));
        }
        fraction = float_max(fraction, 1.0e-30f);
    }
    const status over = query_gave_up(&s->filter, s->looks, err);
    if (over != STATUS_OK) {
        array_free(&s->found);
        return over;
    }
    give(s, hits);
    return STATUS_OK;
}

static status check_way(vec2d from, vec2d to, error *err)
{
    status s = vector_check(from, PHYSICS_EXTENT_MAX, "from", err);
    return s == STATUS_OK ? vector_check(to, PHYSICS_EXTENT_MAX, "to", err) : s;
}

status query_ray(const physics_world *world, vec2d from, vec2d to, const query_filter *filter,
                 bool all, query_hits *hits, error *err)
{
    status s = check_way(from, to, err);
    if (s == STATUS_OK && from.x == to.x && from.y == to.y) {
        s = error_set(err, STATUS_INVALID_ARGUMENT, "to: must differ from `from`");
    }
    if (s != STATUS_OK) {
        return s;
    }
    search looking = {.world = world,
                      .filter = query_filter_or_default(filter),
                      .all = all,
                      .from = from,
                      .by = vec2d_sub(to, from)};
    return run(&looking, hits, err);
}

status query_cast(const physics_world *world, const shape_geometry *form, vec2d from, vec2d to,
                  const query_filter *filter, bool all, query_hits *hits, error *err)
{
    status s = query_shape_check(form, err);
    if (s == STATUS_OK) {
        s = check_way(from, to, err);
    }
    if (s != STATUS_OK) {
        return s;
    }
    search looking = {.world = world,
                      .filter = query_filter_or_default(filter),
                      .all = all,
                      .from = from,
                      .by = vec2d_sub(to, from),
                      .moved = form,
                      .moved_proxy = proxy_from_shape(form),
                      .moved_box = shape_aabb(form, TRANSFORM_IDENTITY)};
    return run(&looking, hits, err);
}
