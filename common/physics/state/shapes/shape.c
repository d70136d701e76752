// Attaches shapes to bodies and detaches them, and adds them to the broad phase. A chain takes one
// slot for itself, which has its id and points, and one for each piece; the pieces collide.
#include "common/base/assert.h"
#include "common/physics/state/events.h"
#include "common/physics/state/ids.h"
#include "common/physics/state/broad_phase/boxes.h"
#include "common/physics/state/world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Boxes in the broad phase are larger than the shapes by up to this [m], and by up to this share of
// their smaller side, so that they change seldom.
#define AABB_MARGIN_MAX   0.1f
#define AABB_MARGIN_SHARE 0.1f

static bool is_piece(const shape *s, uint32_t slot)
{
    return s->traits->chain != NONE && s->traits->chain != slot;
}

// Sets the successor of a shape on the body's list; for NONE, the list's head.
static void set_link(physics_world *world, body *b, uint32_t before, uint32_t slot)
{
    if (before != NONE) {
        world->shapes.data[before].next = slot & SLOT_MASK;
    } else {
        b->shapes = slot & SLOT_MASK;
    }
}

// Puts the shape on the body's list, which is in ascending order of slots.
static void link_shape(physics_world *world, uint32_t slot)
{
    shape *s = &world->shapes.data[slot];
    body *b = &world->bodies.data[s->body];
    uint32_t before = NONE;
    uint32_t after = b->shapes;
    while (after != NONE && after < slot) {
        before = after;
        after = world->shapes.data[after].next;
    }
    s->next = after & SLOT_MASK;
    set_link(world, b, before, slot);
    b->shape_count++;
}

static void unlink_shape(physics_world *world, uint32_t slot)
{
    shape *s = &world->shapes.data[slot];
    body *b = &world->bodies.data[s->body];
    uint32_t before = NONE;
    for (uint32_t i = b->shapes; i != slot; i = world->shapes.data[i].next) {
        ASSERT(i != NONE);
        before = i;
    }
    set_link(world, b, before, s->next);
    b->shape_count--;
}

// Fills a shape's slot: body, traits and derived values.
static void fill_slot(physics_world *world, uint32_t slot, const shape *from, shape_traits *traits)
{
    shape *s = &world->shapes.data[slot];
    *s = *from;
    s->traits = traits;
    link_shape(world, slot);
}

static uint32_t take_slot(physics_world *world)
{
    uint32_t slot = slots_take(&world->shape_slots);
    array_reserve(&world->shapes, world->shape_slots.end);
    world->shapes.count = world->shape_slots.end;
    return slot;
}

// The points of a chain. An open chain's first and last edges are extended straight beyond its
// ends, so that these are ordinary corners.
static vec2 chain_point(const shape_traits *chain, int i)
{
    const vec2 *points = chain->points;
    int n = (int)chain->point_count;
    if (chain->loop) {
        return points[(i + n) % n];
    }
    if (i < 0) {
        return vec2_sub(vec2_scale(2.0f, points[0]), points[1]);
    }
    if (i >= n) {
        return vec2_sub(vec2_scale(2.0f, points[n - 1]), points[n - 2]);
    }
    return points[i];
}

void shape_traits_define(shape_traits *like, const shape_def *def)
{
    like->events = def->events;
    like->filter.category = def->filter.category;
    like->filter.mask = def->filter.mask;
    like->filter.group = def->filter.group;
    like->density = (float)def->density;
    like->friction = (float)def->friction;
    like->restitution = (float)def->restitution;
    like->rolling_resistance = (float)def->rolling_resistance;
    like->tangent_speed = (float)def->tangent_speed;
    // A zero has no sign, so that equal shapes have equal bytes.
    like->one_way = (vec2){def->one_way.x + 0.0f, def->one_way.y + 0.0f};
}

void shape_traits_derive(shape_traits *like)
{
    like->reach = shape_extent_max(&like->geometry, (vec2){0.0f, 0.0f});
    like->signature = shape_signature(like);
}

void shape_place_piece(physics_world *world, uint32_t slot, uint32_t chain, int i)
{
    const shape *whole = &world->shapes.data[chain];
    shape_traits like;
    memset(&like, 0, sizeof like);
    like.events = whole->traits->events;
    like.filter = whole->traits->filter;
    like.density = whole->traits->density;
    like.friction = whole->traits->friction;
    like.restitution = whole->traits->restitution;
    like.rolling_resistance = whole->traits->rolling_resistance;
    like.tangent_speed = whole->traits->tangent_speed;
    like.loop = whole->traits->loop;
    like.geometry.kind = SHAPE_CHAIN_SEGMENT;
    like.geometry.chain = (chain_segment){
        .ghost_before = chain_point(whole->traits, i - 1),
        .edge = {chain_point(whole->traits, i), chain_point(whole->traits, i + 1)},
        .ghost_after = chain_point(whole->traits, i + 2),
    };
    like.chain = chain;
    shape_traits_derive(&like);
    const shape piece = {
        .body = whole->body,
        .flags = whole->flags & (uint8_t)~SHAPE_IS_CHAIN,
    };
    fill_slot(world, slot, &piece, shape_traits_take(&world->traits, &like));
}

static vec2 *copy_points(const shape_def *def)
{
    size_t bytes = (size_t)def->point_count * sizeof *def->points;
    vec2 *points = malloc(bytes);
    ASSERT_MEMORY(points != NULL);
    memcpy(points, def->points, bytes);
    return points;
}

void shape_place(physics_world *world, uint32_t slot, uint32_t owner, const shape_def *def)
{
    bool chain = def->form == FORM_CHAIN;
    shape_traits like;
    memset(&like, 0, sizeof like);
    shape_traits_define(&like, def);
    if (!chain) {
        like.geometry = def->geometry;
    }
    shape_traits_derive(&like);
    if (chain) {
        like.chain = slot;
        like.points = copy_points(def);
        like.point_count = (uint32_t)def->point_count;
        like.loop = def->loop;
    }
    const shape from = {
        .body = owner & SLOT_MASK,
        .flags = (uint8_t)((def->sensor ? SHAPE_SENSOR : 0) | (chain ? SHAPE_IS_CHAIN : 0)),
    };
    fill_slot(world, slot, &from, shape_traits_take(&world->traits, &like));
}

void shape_place_like(physics_world *world, uint32_t slot, uint32_t owner, uint32_t like)
{
    shape *s = &world->shapes.data[slot];
    *s = world->shapes.data[like];
    s->traits->users++;
    s->body = owner & SLOT_MASK;
    s->flags &= SHAPE_SENSOR;
    s->boxed = false;
    s->fat = (aabb){{0.0f, 0.0f}, {0.0f, 0.0f}};
    link_shape(world, slot);
}

uint32_t shape_attach(physics_world *world, uint32_t owner, const shape_def *def)
{
    uint32_t slot = take_slot(world);
    shape_place(world, slot, owner, def);
    int pieces = (int)shape_def_pieces(def);
    for (int i = 0; i < pieces; i++) {
        shape_place_piece(world, take_slot(world), slot, i);
    }
    return slot;
}

static void free_slot(physics_world *world, uint32_t slot)
{
    shape_leave_broad_phase(world, slot);
    unlink_shape(world, slot);
    shape_traits_drop(&world->traits, world->shapes.data[slot].traits);
    world->shapes.data[slot] = (shape){0};
    slots_release(&world->shape_slots, slot);
}

void shape_detach(physics_world *world, uint32_t slot)
{
    const shape *s = &world->shapes.data[slot];
    if ((s->flags & SHAPE_IS_CHAIN) != 0) {
        uint32_t piece = world->bodies.data[s->body].shapes;
        while (piece != NONE) {
            uint32_t next = world->shapes.data[piece].next;
            if (world->shapes.data[piece].traits->chain == slot && piece != slot) {
                free_slot(world, piece);
            }
            piece = next;
        }
    }
    free_slot(world, slot);
}

// ---- broad phase

static tree *tree_of(physics_world *world, const shape *s)
{
    return &world->broad.trees[world->bodies.data[s->body].type];
}

static aabb box_around(const shape *s, const body_motion *m)
{
    return shape_aabb(&s->traits->geometry, (transform){{0.0f, 0.0f}, m->rotation});
}

// Moving shapes get a margin to move in before their box changes; small shapes get a smaller one,
// to keep their boxes apart. `tight` is the box around the shape relative to the body's position.
aabb shape_box_with_margin(aabb tight, bool fixed)
{
    float margin = 0.0f;
    if (!fixed) {
        float size = float_min(tight.upper.x - tight.lower.x, tight.upper.y - tight.lower.y);
        margin = float_clamp(AABB_MARGIN_SHARE * size, LINEAR_SLOP, AABB_MARGIN_MAX);
    }
    return aabb_expand(tight, margin);
}

static aabb fat_box(const physics_world *world, const shape *s, aabb tight)
{
    bool fixed = world->bodies.data[s->body].type == BODY_STATIC;
    return aabb_at(world->motions.data[s->body].position, shape_box_with_margin(tight, fixed));
}

void shape_note_enlarged(physics_world *world, uint32_t slot)
{
    shape *s = &world->shapes.data[slot];
    if ((s->flags & SHAPE_ENLARGED) == 0) {
        s->flags |= SHAPE_ENLARGED;
        array_push(&world->enlarged, slot);
    }
}

// A sensor is also in a separate tree.
static void list_sensor(physics_world *world, uint32_t slot)
{
    const shape *s = &world->shapes.data[slot];
    if ((s->flags & SHAPE_SENSOR) != 0) {
        tree_insert(&world->broad.sensors, slot, s->fat, 0, true);
    }
}

static void unlist_sensor(physics_world *world, uint32_t slot)
{
    if ((world->shapes.data[slot].flags & SHAPE_SENSOR) != 0) {
        tree_remove(&world->broad.sensors, slot);
    }
}

static void enlarge_box(physics_world *world, uint32_t slot)
{
    const shape *s = &world->shapes.data[slot];
    tree_enlarge(tree_of(world, s), slot, s->fat);
    if ((s->flags & SHAPE_SENSOR) != 0) {
        tree_enlarge(&world->broad.sensors, slot, s->fat);
    }
}

// Inserts the shape's box; all pairs of the shape will be found, unless it is known.
static void insert_box(physics_world *world, uint32_t slot, aabb fat, bool known)
{
    shape *s = &world->shapes.data[slot];
    s->fat = fat;
    s->boxed = true;
    tree_insert(tree_of(world, s), slot, fat, s->traits->filter.group, known);
    list_sensor(world, slot);
    world->motions.data[s->body].room = 0.0f;
    if (!known) {
        shape_note_enlarged(world, slot);
    }
}

// The distance that the shape can move in any direction before it leaves its fat box; negative if
// it has left.
static float room_in_box(const shape *s, const body_motion *m, aabb tight)
{
    double left = m->position.x + (double)tight.lower.x - (double)s->fat.lower.x;
    double right = (double)s->fat.upper.x - (m->position.x + (double)tight.upper.x);
    double below = m->position.y + (double)tight.lower.y - (double)s->fat.lower.y;
    double above = (double)s->fat.upper.y - (m->position.y + (double)tight.upper.y);
    double x = left < right ? left : right;
    double y = below < above ? below : above;
    return (float)(x < y ? x : y);
}

void shape_enter_broad_phase(physics_world *world, uint32_t slot)
{
    shape *s = &world->shapes.data[slot];
    if (s->boxed || (s->flags & SHAPE_IS_CHAIN) != 0) {
        return;
    }
    aabb tight = box_around(s, &world->motions.data[s->body]);
    insert_box(world, slot, fat_box(world, s, tight), false);
}

void shape_restore_box(physics_world *world, uint32_t slot, aabb fat, bool enlarged)
{
    shape *s = &world->shapes.data[slot];
    s->fat = fat;
    s->boxed = true;
    if (enlarged) {
        shape_note_enlarged(world, slot);
    } else {
        tree_put(tree_of(world, s), slot, fat, s->traits->filter.group);
    }
    list_sensor(world, slot);
}

void shapes_finish_boxes(physics_world *world, const aabb *before)
{
    for (int i = 0; i < BROAD_TREES; i++) {
        tree_fill(&world->broad.trees[i]);
    }
    for (uint32_t i = 0; i < world->enlarged.count; i++) {
        shape *s = &world->shapes.data[world->enlarged.data[i]];
        tree_insert_moved(tree_of(world, s), world->enlarged.data[i], s->fat, before[i],
                          s->traits->filter.group);
    }
}

aabb shape_box_before(physics_world *world, uint32_t slot)
{
    return tree_before_of(tree_of(world, &world->shapes.data[slot]), slot);
}

void shape_leave_broad_phase(physics_world *world, uint32_t slot)
{
    shape *s = &world->shapes.data[slot];
    if (!s->boxed) {
        return;
    }
    contact_destroy_all(world, s->body, slot);
    tree_remove(tree_of(world, s), slot);
    unlist_sensor(world, slot);
    s->boxed = false;
    s->fat = (aabb){{0.0f, 0.0f}, {0.0f, 0.0f}}; // without meaning now, but hashed
    if ((s->flags & SHAPE_ENLARGED) != 0) {
        s->flags &= (uint8_t)~SHAPE_ENLARGED;
        array_swap_remove_value(&world->enlarged, slot);
    }
}

float shape_fit_box(physics_world *world, uint32_t slot, bool *renewed)
{
    shape *s = &world->shapes.data[slot];
    if (!s->boxed) {
        return INFINITY;
    }
    const body_motion *m = &world->motions.data[s->body];
    aabb tight = box_with_way_ahead(world, s, box_around(s, m));
    float room = room_in_box(s, m, tight);
    *renewed = !(room >= 0.0f);
    if (!*renewed) {
        return room;
    }
    s->fat = fat_box(world, s, tight);
    return room_in_box(s, m, tight);
}

void shape_enter_box(physics_world *world, uint32_t slot)
{
    enlarge_box(world, slot);
    shape_note_enlarged(world, slot);
}

void shape_grow_box(physics_world *world, uint32_t slot, aabb box)
{
    shape *s = &world->shapes.data[slot];
    s->fat = aabb_union(s->fat, box);
    enlarge_box(world, slot);
}

void shape_reset_box(physics_world *world, uint32_t slot)
{
    shape *s = &world->shapes.data[slot];
    if (s->boxed) {
        tree_remove(tree_of(world, s), slot);
        unlist_sensor(world, slot);
        insert_box(world, slot, fat_box(world, s, box_around(s, &world->motions.data[s->body])),
                   false);
    }
}

// ---- the public interface

static status check_room(const physics_world *world, const body *b, const shape_def *def,
                         error *err)
{
    uint32_t needed = 1 + shape_def_pieces(def);
    if (b->shape_count + needed > PHYSICS_BODY_SHAPES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "a body has at most %d shapes, each piece of a chain counted",
                         PHYSICS_BODY_SHAPES_MAX);
    }
    if (world->shape_slots.count + needed > PHYSICS_SHAPES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "a world has at most %d shapes",
                         PHYSICS_SHAPES_MAX);
    }
    return STATUS_OK;
}

status shape_add(physics_world *world, body_id owner, const shape_def *def, shape_id *out,
                 error *err)
{
    uint32_t slot;
    status s = body_find(world, owner, &slot, err);
    if (s == STATUS_OK) {
        s = shape_def_check(def, err);
    }
    if (s == STATUS_OK) {
        s = check_room(world, &world->bodies.data[slot], def, err);
    }
    if (s != STATUS_OK) {
        return s;
    }
    events_begin(world);
    uint32_t added = shape_attach(world, slot, def);
    body_update_mass(world, slot);
    if ((world->bodies.data[slot].flags & BODY_ENABLED) != 0) {
        for (uint32_t i = world->bodies.data[slot].shapes; i != NONE;
             i = world->shapes.data[i].next) {
            shape_enter_broad_phase(world, i);
        }
    }
    body_update_boxes(world, slot, INFINITY); // another centre changes its place in the last bit
    body_wake(world, slot);
    *out = shape_id_of(world, added);
    return STATUS_OK;
}

status shape_remove(physics_world *world, shape_id id, error *err)
{
    uint32_t slot;
    status s = shape_find(world, id, &slot, err);
    if (s != STATUS_OK) {
        return s;
    }
    events_begin(world);
    uint32_t owner = world->shapes.data[slot].body;
    body_wake(world, owner);
    body_wake_touching(world, owner);
    shape_detach(world, slot);
    body_update_mass(world, owner);
    body_update_boxes(world, owner, INFINITY);
    return STATUS_OK;
}

status shape_get(const physics_world *world, shape_id id, shape_info *out, error *err)
{
    uint32_t slot;
    status found = shape_find(world, id, &slot, err);
    if (found != STATUS_OK) {
        return found;
    }
    const shape *s = &world->shapes.data[slot];
    *out = (shape_info){
        .id = id,
        .body = body_id_of(world, s->body),
        .def =
            {
                .form = (s->flags & SHAPE_IS_CHAIN) != 0 ? FORM_CHAIN : FORM_CONVEX,
                .geometry = shape_traits_geometry(s->traits),
                .points = s->traits->points,
                .point_count = (int)s->traits->point_count,
                .loop = s->traits->loop,
                .density = (double)s->traits->density,
                .friction = (double)s->traits->friction,
                .restitution = (double)s->traits->restitution,
                .rolling_resistance = (double)s->traits->rolling_resistance,
                .tangent_speed = (double)s->traits->tangent_speed,
                .one_way = s->traits->one_way,
                .sensor = (s->flags & SHAPE_SENSOR) != 0,
                .filter = s->traits->filter,
                .events = s->traits->events,
            },
    };
    return STATUS_OK;
}

shape_id body_next_shape(const physics_world *world, body_id owner, shape_id after)
{
    uint32_t slot = body_slot(world, owner);
    if (slot == NONE) {
        return 0;
    }
    uint32_t past = (uint32_t)(after & ((1u << SLOT_BITS) - 1));
    uint32_t i = world->bodies.data[slot].shapes;
    while (i != NONE && (i <= past || is_piece(&world->shapes.data[i], i))) {
        i = world->shapes.data[i].next;
    }
    return i != NONE ? shape_id_of(world, i) : 0;
}
