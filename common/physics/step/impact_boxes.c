// Extends boxes along the new paths of discs, so that every body on such a path has a contact with
// them.
//
// The broad phase has used the paths that bodies had at the end of the last step. A fast disc, or
// one struck within this step, moves elsewhere: its box grows over the rest of its path, and each
// new overlap becomes a contact before the next moment is searched.
#include "common/physics/step/impact_boxes.h"

#include "common/physics/parallel/sort.h"
#include "common/physics/state/broad_phase/boxes.h"
#include "common/physics/step/impact_meetings.h"
#include "common/physics/step/pair_room.h"
#include "common/physics/step/step_scratch.h"

// Enlarges a shape's box to enclose another one, as for the boxes of fast bodies.
static bool cover_box(physics_world *world, uint32_t shape_, aabb box)
{
    const shape *s = &world->shapes.data[shape_];
    if (!s->boxed || aabb_contains(s->fat, box)) {
        return false;
    }
    shape_grow_box(world, shape_, box);
    array_push(&world->scratch->grown, shape_);
    return true;
}

static aabb box_around_way(vec2d from, vec2 way, float reach)
{
    const vec2 none = {0.0f, 0.0f};
    return aabb_at(
        from, aabb_expand((aabb){vec2_min(none, way), vec2_max(none, way)}, reach + LINEAR_SLOP));
}

// Covers the rest of the step of a disc that was struck.
static bool cover_path(physics_world *world, impact_path *p)
{
    const vec2 way = vec2d_relative(p->place, path_place(p, (double)world->step.dt));
    if (vec2_length(way) > FOLLOWED_WAY_MAX) {
        p->left = true;
        return false;
    }
    return cover_box(world, p->shape, box_around_way(p->place, way, (float)p->radius));
}

// Covers the coming step of a disc, or of a moving kinematic body.
static void cover_body(physics_world *world, uint32_t slot)
{
    const body_motion *m = &world->motions.data[slot];
    const body_extent *extent = &world->extents.data[slot];
    const vec2 way = path_free_way(world, slot);
    const float length = vec2_length(way);
    if (length > FOLLOWED_WAY_MAX) {
        return;
    }
    if ((world->states.data[slot].flags & STATE_DYNAMIC) != 0) {
        const uint32_t disc = m->room > 0.0f ? (uint32_t)NONE : path_find_disc(world, slot);
        if (disc != NONE) {
            cover_box(world, disc, box_around_way(m->center, way, extent->extent_max));
        }
        return;
    }
    const float turn = world->step.dt * float_abs(world->states.data[slot].angular_velocity);
    const float swings = float_min(turn, 2.0f) * extent->extent_max;
    for (uint32_t k = world->bodies.data[slot].shapes; k != NONE; k = world->shapes.data[k].next) {
        const shape *s = &world->shapes.data[k];
        if ((s->flags & SHAPE_SENSOR) == 0) {
            const aabb now =
                shape_aabb(&s->traits->geometry, (transform){{0.0f, 0.0f}, m->rotation});
            const aabb then = {vec2_add(now.lower, way), vec2_add(now.upper, way)};
            cover_box(world, k, aabb_at(m->position, aabb_expand(aabb_union(now, then), swings)));
        }
    }
}

typedef struct finding_pairs {
    physics_world *world;
    uint32_t shape;
    uint64_t *met; // overlapping boxes so far: of static and kinematic bodies, or of dynamic ones
} finding_pairs;

// Sorts the pairs and drops duplicates.
static void sort_met_pairs(physics_world *world)
{
    item_pairs *met = &world->scratch->met_pairs;
    uint32_t kept = 0;
    sort_pairs(met, &world->scratch->found_in[0]);
    for (uint32_t i = 0; i < met->count; i++) {
        const item_pair *last = &met->data[kept > 0 ? kept - 1 : 0];
        if (kept == 0 || last->a != met->data[i].a || last->b != met->data[i].b) {
            met->data[kept++] = met->data[i];
        }
    }
    met->count = kept;
}

static bool note_pair(void *context, uint32_t item)
{
    const finding_pairs *f = context;
    physics_world *world = f->world;
    if ((*f->met)++ >= world->meetings_max) {
        return false;
    }
    const bool sensor =
        ((world->shapes.data[item].flags | world->shapes.data[f->shape].flags) & SHAPE_SENSOR) != 0;
    if (!sensor && contact_wanted(world, f->shape, item) &&
        !pair_set_has(&world->pairs, f->shape, item)) {
        const uint32_t low = f->shape < item ? f->shape : item;
        const uint32_t high = f->shape < item ? item : f->shape;
        array_push(&world->scratch->met_pairs, ((item_pair){low, high}));
        if (world->scratch->met_pairs.count >= contact_pairs_max(world)) {
            sort_met_pairs(world);
            keep_pairs_with_room(world, &world->scratch->met_pairs);
        }
    }
    return true;
}

// Beyond PHYSICS_MEETINGS_MAX boxes in a step it drops the same pairs as pairs.c.
static void find_pairs_of(physics_world *world, uint32_t shape_)
{
    step_scratch *s = world->scratch;
    for (int i = 0; i < BROAD_TREES; i++) {
        finding_pairs f = {world, shape_, i == BODY_DYNAMIC ? &s->met_moving : &s->met_standing};
        tree_query(&world->broad.trees[i], world->shapes.data[shape_].fat, note_pair, &f);
    }
}

static void make_contacts(physics_world *world)
{
    step_scratch *s = world->scratch;
    if (s->met_standing > world->meetings_max) {
        array_clear(&s->met_pairs);
    } else if (s->met_standing + s->met_moving > world->meetings_max) {
        keep_standing_pairs(world, &s->met_pairs);
    }
    sort_met_pairs(world);
    const uint32_t count = s->met_pairs.count;
    keep_pairs_with_room(world, &s->met_pairs);
    if (s->met_pairs.count < count) {
        sort_pairs(&s->met_pairs, &s->found_in[0]); // it is no longer sorted
    }
    for (uint32_t i = 0; i < s->met_pairs.count; i++) {
        contact_create(world, s->met_pairs.data[i].a, s->met_pairs.data[i].b);
    }
    array_clear(&s->met_pairs);
}

void impact_boxes_cover_quick(physics_world *world)
{
    step_scratch *s = world->scratch;
    for (uint32_t i = 0; i < s->quick.count; i++) {
        cover_body(world, s->quick.data[i]);
    }
    for (uint32_t i = 0; i < s->grown.count; i++) {
        find_pairs_of(world, s->grown.data[i]);
    }
    make_contacts(world);
}

void impact_boxes_follow_struck(physics_world *world)
{
    const slot_list *struck = &world->scratch->listed;
    for (uint32_t i = 0; i < struck->count; i++) {
        impact_path *p = path_at(world, struck->data[i]);
        if (cover_path(world, p)) {
            find_pairs_of(world, p->shape);
        }
    }
    make_contacts(world);
}
