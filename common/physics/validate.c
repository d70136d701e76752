// See validate.h. There is a function for each part of the world; it checks the invariants that the
// head of the part's own file states. ASSERT names the line.
#include "common/physics/validate.h"

#include "common/base/assert.h"
#include "common/physics/state/joints/joint_record.h"
#include "common/physics/state/bodies/body_special.h"
#include "common/physics/state/contacts/contact_pair.h"
#include "common/physics/state/standing_body.h"

#include <stdlib.h>
#include <string.h>

static bool is_listed(const uint32_t *list, uint32_t count, uint32_t index, uint32_t slot)
{
    return index < count && list[index] == slot;
}

static void check_pool(const slot_pool *pool)
{
    uint32_t taken = 0;
    for (uint32_t slot = slots_next(pool, 0); slot != 0; slot = slots_next(pool, slot)) {
        ASSERT(slot < pool->end && slots_generation(pool, slot) <= SLOT_GENERATION_MAX);
        taken++;
    }
    ASSERT(taken == pool->count);
}

// ---- bodies

static void check_motion(const physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    const body_motion *m = &world->motions.data[slot];
    const body_state *s = &world->states.data[slot];
    const double extent = PHYSICS_EXTENT_MAX + 2.0 * (double)SHAPE_EXTENT_MAX;
    ASSERT(m->center.x >= -extent && m->center.x <= extent);
    ASSERT(m->center.y >= -extent && m->center.y <= extent);
    ASSERT(vec2d_is_finite(m->position));
    float unit = m->rotation.c * m->rotation.c + m->rotation.s * m->rotation.s;
    ASSERT(unit > 0.999f && unit < 1.001f);
    ASSERT(vec2_is_finite(s->velocity) && isfinite(s->angular_velocity));
    const body_extent *e = &world->extents.data[slot];
    ASSERT(e->sleep_time >= 0.0f && isfinite(e->sleep_time));
    ASSERT(vec2_is_finite(e->drift) && isfinite(e->turned));
    ASSERT(m->inv_mass >= 0.0f && isfinite(m->inv_mass));
    ASSERT(m->inv_inertia >= 0.0f && isfinite(m->inv_inertia));
    const bool yields = b->type == BODY_DYNAMIC && (b->flags & BODY_STANDING) == 0;
    ASSERT(yields == (m->inv_mass > 0.0f) && yields == ((s->flags & STATE_DYNAMIC) != 0));
    ASSERT(b->type == BODY_DYNAMIC || m->inv_inertia == 0.0f);
    // Only within a step do bodies differ from their poses.
    ASSERT(s->delta_position.x == 0.0f && s->delta_position.y == 0.0f);
    ASSERT(s->delta_rotation.c == 1.0f && s->delta_rotation.s == 0.0f);
    if (b->type == BODY_STATIC || b->sleep_set != 0 || (b->flags & BODY_STANDING) != 0) {
        ASSERT(s->velocity.x == 0.0f && s->velocity.y == 0.0f && s->angular_velocity == 0.0f);
    }
}

static void check_awake(const physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    bool wanted = (b->flags & (BODY_ENABLED | BODY_STANDING)) == BODY_ENABLED &&
                  b->sleep_set == 0 && body_is_moving(b, &world->states.data[slot]);
    ASSERT(wanted == (b->awake_index != 0));
    if (b->awake_index != 0) {
        ASSERT(is_listed(world->awake_bodies.data, world->awake_bodies.count, b->awake_index - 1,
                         slot));
    }
    ASSERT((b->flags & BODY_MARKED) == 0);
    ASSERT((b->flags & BODY_FROZEN) == 0 || (b->flags & BODY_ENABLED) == 0);
}

// Checks the ring of bodies that fell asleep together: ascending, closed at its lowest slot, which
// names it.
static void check_ring(const physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    if (b->sleep_set == 0) {
        ASSERT(b->sleep_next == 0);
        return;
    }
    ASSERT(b->type == BODY_DYNAMIC && (b->flags & BODY_ENABLED) != 0);
    ASSERT(slots_has(&world->body_slots, b->sleep_next));
    ASSERT(world->bodies.data[b->sleep_next].sleep_set == b->sleep_set);
    ASSERT(b->sleep_set <= slot);
    ASSERT(b->sleep_next > slot || b->sleep_next == b->sleep_set);
    ASSERT(world->bodies.data[b->sleep_set].sleep_set == b->sleep_set);
}

static void check_shape_list(const physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    uint32_t count = 0;
    uint32_t previous = NONE;
    for (uint32_t i = b->shapes; i != NONE; i = world->shapes.data[i].next) {
        ASSERT(i > previous && slots_has(&world->shape_slots, i));
        ASSERT(world->shapes.data[i].body == slot);
        previous = i;
        count++;
    }
    ASSERT(count == b->shape_count && count <= PHYSICS_BODY_SHAPES_MAX);
}

static void check_contact_list(const physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    uint32_t count = 0;
    uint32_t previous = NONE;
    for (uint32_t key = b->contacts; key != NONE;) {
        ASSERT(slots_has(&world->contact_slots, key >> 1) && count < b->contact_count);
        const contact *c = &world->contacts.data[key >> 1];
        ASSERT(((key & 1) == 0 ? c->body_a : c->body_b) == slot);
        ASSERT(c->edges[key & 1].previous == previous);
        previous = key;
        key = c->edges[key & 1].next;
        count++;
    }
    ASSERT(count == b->contact_count);
}

static void check_joint_list(const physics_world *world, uint32_t slot)
{
    const body *b = &world->bodies.data[slot];
    uint32_t count = 0;
    uint32_t previous = NONE;
    for (uint32_t key = b->joints; key != NONE;) {
        ASSERT(slots_has(&world->joint_slots, key >> 1) && count < b->joint_count);
        ASSERT(previous == NONE || key >> 1 < previous >> 1); // highest slot first
        const joint *j = &world->joints.data[key >> 1];
        ASSERT(((key & 1) == 0 ? j->body_a : j->body_b) == slot);
        ASSERT(j->edges[key & 1].previous == previous);
        previous = key;
        key = j->edges[key & 1].next;
        count++;
    }
    ASSERT(count == b->joint_count);
    ASSERT((count == 2) == ((world->states.data[slot].flags & STATE_LINK) != 0));
}

// Every record with unusual properties has an owner.
static uint32_t count_special(const physics_world *world, uint32_t slot)
{
    uint32_t special = world->motions.data[slot].special;
    ASSERT(special == 0 || (slots_has(&world->special_slots, special) &&
                            memcmp(&world->specials.data[special], &world->specials.data[0],
                                   sizeof world->specials.data[0]) != 0));
    ASSERT((special != 0) == ((world->states.data[slot].flags & STATE_SPECIAL) != 0));
    return special != 0;
}

static void check_bodies(const physics_world *world)
{
    uint32_t awake = 0;
    uint32_t special = 0;
    for (uint32_t slot = slots_next(&world->body_slots, 0); slot != 0;
         slot = slots_next(&world->body_slots, slot)) {
        check_motion(world, slot);
        check_awake(world, slot);
        check_ring(world, slot);
        check_shape_list(world, slot);
        check_contact_list(world, slot);
        check_joint_list(world, slot);
        awake += world->bodies.data[slot].awake_index != 0;
        special += count_special(world, slot);
    }
    ASSERT(awake == world->awake_bodies.count);
    ASSERT(special == world->special_slots.count);
    ASSERT(world->body_slots.count <= world->def.bodies_max);
}

// ---- shapes

static void check_shape(const physics_world *world, uint32_t slot)
{
    const shape *s = &world->shapes.data[slot];
    ASSERT(slots_has(&world->body_slots, s->body));
    const body *b = &world->bodies.data[s->body];
    bool chain = (s->flags & SHAPE_IS_CHAIN) != 0;
    ASSERT(chain == (s->traits->points != NULL) && (!chain || s->traits->chain == slot));
    ASSERT(s->traits->chain == NONE || slots_has(&world->shape_slots, s->traits->chain));
    ASSERT(s->boxed == (!chain && (b->flags & BODY_ENABLED) != 0));
    if (!s->boxed) {
        ASSERT((s->flags & SHAPE_ENLARGED) == 0);
        return;
    }
    aabb box;
    ASSERT(tree_find(&world->broad.trees[b->type], slot, &box));
    ASSERT(aabb_contains(box, s->fat) && aabb_contains(s->fat, box));
    const body_motion *m = &world->motions.data[s->body];
    aabb tight = shape_aabb(&s->traits->geometry, (transform){{0.0f, 0.0f}, m->rotation});
    ASSERT(aabb_contains(s->fat, aabb_at(m->position, tight)));
}

static void check_shapes(const physics_world *world)
{
    uint32_t boxed = 0;
    uint32_t sensors = 0;
    uint32_t on_bodies = 0;
    uint32_t enlarged = 0;
    for (uint32_t slot = slots_next(&world->shape_slots, 0); slot != 0;
         slot = slots_next(&world->shape_slots, slot)) {
        check_shape(world, slot);
        boxed += world->shapes.data[slot].boxed;
        sensors +=
            world->shapes.data[slot].boxed && (world->shapes.data[slot].flags & SHAPE_SENSOR) != 0;
        enlarged += (world->shapes.data[slot].flags & SHAPE_ENLARGED) != 0;
    }
    for (uint32_t slot = slots_next(&world->body_slots, 0); slot != 0;
         slot = slots_next(&world->body_slots, slot)) {
        on_bodies += world->bodies.data[slot].shape_count;
    }
    uint32_t leaves = 0;
    for (int i = 0; i < BROAD_TREES; i++) {
        tree_validate(&world->broad.trees[i]);
        leaves += world->broad.trees[i].leaf_count;
    }
    tree_validate(&world->broad.sensors);
    ASSERT(sensors == world->broad.sensors.leaf_count);
    ASSERT(leaves == boxed && on_bodies == world->shape_slots.count);
    ASSERT(enlarged == world->enlarged.count);
    for (uint32_t i = 0; i < world->enlarged.count; i++) {
        ASSERT((world->shapes.data[world->enlarged.data[i]].flags & SHAPE_ENLARGED) != 0);
    }
}

// ---- contacts

static void check_points(const contact *c)
{
    ASSERT(c->point_count <= 2);
    for (int i = 0; i < c->point_count; i++) {
        ASSERT(c->normal_impulse[i] >= 0.0f && isfinite(c->normal_impulse[i]));
        ASSERT(isfinite(c->tangent_impulse[i]) && isfinite(c->found_separation[i]));
        ASSERT(vec2_is_finite(c->local_a[i]));
    }
    ASSERT(isfinite(c->rolling_impulse));
    if (c->point_count > 0) {
        float unit = vec2_length_squared(c->local_normal);
        ASSERT(unit > 0.99f && unit < 1.01f);
    }
}

static void check_contact(const physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    ASSERT(slots_has(&world->shape_slots, c->shape_a) &&
           slots_has(&world->shape_slots, c->shape_b));
    ASSERT(world->shapes.data[c->shape_a].body == c->body_a);
    ASSERT(world->shapes.data[c->shape_b].body == c->body_b);
    ASSERT(world->shapes.data[c->shape_a].boxed);
    ASSERT(world->shapes.data[c->shape_b].boxed);
    ASSERT(pair_set_has(&world->pairs, c->shape_a, c->shape_b));
    ASSERT(contact_wanted(world, c->shape_a, c->shape_b));
    bool awake = world->bodies.data[c->body_a].awake_index != 0 ||
                 world->bodies.data[c->body_b].awake_index != 0;
    ASSERT(awake == (c->awake_index != 0));
    if (awake) {
        ASSERT(is_listed(world->awake_contacts.data, world->awake_contacts.count,
                         c->awake_index - 1, slot));
    }
    bool sensor = (c->flags & CONTACT_SENSOR) != 0;
    bool active = (c->flags & CONTACT_ACTIVE) != 0;
    const bool yields =
        ((world->states.data[c->body_a].flags | world->states.data[c->body_b].flags) &
         STATE_DYNAMIC) != 0;
    ASSERT((awake && active && !sensor && yields) == (c->colour != COLOUR_NONE));
    ASSERT(sensor || active == (c->point_count > 0));
    ASSERT((c->one_way & ONE_WAY_PASSING) == 0 || (c->one_way != ONE_WAY_PASSING && !active));
    if (c->colour != COLOUR_NONE) {
        const graph_colour *colour = &world->graph[c->colour];
        ASSERT(c->colour <= COLOURS);
        ASSERT(is_listed(colour->contacts.data, colour->contacts.count, c->colour_index, slot));
    }
    if (!sensor) {
        check_points(c);
    }
}

static void check_contacts(const physics_world *world)
{
    uint32_t awake = 0;
    uint32_t touching = 0;
    uint32_t solved = 0;
    uint32_t listed = 0;
    for (uint32_t slot = slots_next(&world->contact_slots, 0); slot != 0;
         slot = slots_next(&world->contact_slots, slot)) {
        const contact *c = &world->contacts.data[slot];
        check_contact(world, slot);
        awake += c->awake_index != 0;
        touching += (c->flags & CONTACT_TOUCHING) != 0 && !pair_touches_below(world, slot);
        solved += c->colour != COLOUR_NONE;
    }
    for (uint32_t i = 0; i <= COLOURS; i++) {
        listed += world->graph[i].contacts.count;
        ASSERT(world->graph[i].twins <= world->graph[i].contacts.count);
    }
    ASSERT(awake == world->awake_contacts.count && touching == world->touching_count);
    ASSERT(solved == listed && world->pairs.count == world->contact_slots.count);
}

// ---- joints

static void check_joint(const physics_world *world, uint32_t slot)
{
    const joint *j = &world->joints.data[slot];
    ASSERT(j->body_a == NONE || slots_has(&world->body_slots, j->body_a));
    ASSERT(slots_has(&world->body_slots, j->body_b) && j->body_a != j->body_b);
    ASSERT((j->awake_index != 0) == (j->colour != COLOUR_NONE));
    const uint32_t bodies[2] = {j->body_a, j->body_b};
    bool enabled = true;
    bool moved = false;
    for (int i = 0; i < 2; i++) {
        if (bodies[i] != NONE) {
            const body *b = &world->bodies.data[bodies[i]];
            enabled = enabled && (b->flags & BODY_ENABLED) != 0;
            moved = moved || (b->type == BODY_DYNAMIC && b->awake_index != 0);
        }
    }
    const joint_settings *s = joint_settings_of(world, j);
    ASSERT(joint_is_usual(j) || slots_has(&world->settings_slots, j->settings_at));
    if (s->joint_a == NONE) {
        ASSERT((enabled && moved && j->kind != JOINT_FILTER) == (j->awake_index != 0));
    } else {
        ASSERT(slots_has(&world->joint_slots, s->joint_a));
        ASSERT(slots_has(&world->joint_slots, s->joint_b));
        ASSERT((enabled && moved) || j->awake_index == 0);
    }
    if (j->awake_index != 0) {
        ASSERT(j->colour <= COLOURS && j->sort == joint_sort_of(world, j));
        const slot_list *colour = &world->graph[j->colour].joints[j->sort];
        ASSERT(is_listed(world->awake_joints.data, world->awake_joints.count, j->awake_index - 1,
                         slot));
        ASSERT(is_listed(colour->data, colour->count, j->colour_index, slot));
    }
    const joint_impulses *p = &j->impulses;
    ASSERT(vec2_is_finite(p->linear) && isfinite(p->angular) && isfinite(p->lower) &&
           isfinite(p->upper) && isfinite(p->motor) && isfinite(p->spring));
}

static void check_joints(const physics_world *world)
{
    uint32_t awake = 0;
    uint32_t listed = 0;
    for (uint32_t slot = slots_next(&world->joint_slots, 0); slot != 0;
         slot = slots_next(&world->joint_slots, slot)) {
        check_joint(world, slot);
        awake += world->joints.data[slot].awake_index != 0;
    }
    for (uint32_t i = 0; i <= COLOURS; i++) {
        listed += graph_joint_count(world, i);
    }
    ASSERT(awake == world->awake_joints.count && awake == listed);
}

// ---- the graph: no two constraints of a colour on one moving body, and each body's bits agree

static void use_colour(const physics_world *world, uint32_t *used, uint32_t slot, uint32_t colour)
{
    if (slot != NONE && (world->states.data[slot].flags & STATE_DYNAMIC) != 0) {
        ASSERT((used[slot] >> colour & 1) == 0);
        used[slot] |= 1u << colour;
    }
}

static void use_colour_of_joints(const physics_world *world, uint32_t *used, const slot_list *list,
                                 uint32_t colour)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const joint *j = &world->joints.data[list->data[i]];
        use_colour(world, used, j->body_a, colour);
        use_colour(world, used, j->body_b, colour);
    }
}

static void check_graph(const physics_world *world)
{
    uint32_t *used = calloc(world->body_slots.end, sizeof *used);
    ASSERT_MEMORY(used != NULL);
    for (uint32_t colour = 0; colour < COLOURS; colour++) { // the overflow is not a colour
        const graph_colour *g = &world->graph[colour];
        for (uint32_t i = 0; i < g->contacts.count; i++) {
            const contact *c = &world->contacts.data[g->contacts.data[i]];
            use_colour(world, used, c->body_a, colour);
            use_colour(world, used, c->body_b, colour);
        }
        for (int sort = 0; sort < JOINT_SORTS; sort++) {
            use_colour_of_joints(world, used, &g->joints[sort], colour);
        }
    }
    for (uint32_t slot = slots_next(&world->body_slots, 0); slot != 0;
         slot = slots_next(&world->body_slots, slot)) {
        ASSERT(used[slot] == world->colours_used.data[slot]);
    }
    free(used);
}

void world_validate(const physics_world *world)
{
    check_pool(&world->body_slots);
    check_pool(&world->shape_slots);
    check_pool(&world->joint_slots);
    check_pool(&world->contact_slots);
    check_bodies(world);
    check_shapes(world);
    check_contacts(world);
    check_joints(world);
    check_graph(world);
}

void world_lower_contacts_max(physics_world *world, uint32_t most)
{
    world->contacts_max = most;
}

void world_lower_meetings_max(physics_world *world, uint32_t most)
{
    world->meetings_max = most;
}
