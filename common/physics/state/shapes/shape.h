// A shape: its record, and the record that all equal shapes share (shape_traits.c).
#ifndef CAROM_COMMON_PHYSICS_STATE_SHAPES_SHAPE_H
#define CAROM_COMMON_PHYSICS_STATE_SHAPES_SHAPE_H

#include "common/geometry/shape.h"
#include "common/physics/physics.h"

enum { // shape.flags
    SHAPE_SENSOR = 1u << 0,
    SHAPE_IS_CHAIN = 1u << 1, // a chain as a whole: its pieces are in the broad phase, not it
    SHAPE_ENLARGED = 1u << 2  // its box was renewed in this step: look for new pairs
};

// The fixed properties of a shape. Most bodies have the same shape as another, so equal shapes
// share one record (shape_traits.c).
typedef struct shape_traits {
    uint64_t signature; // hash of its definition
    uint32_t users;
    float extent_min; // smallest half width of the geometry
    uint32_t events;  // bits of shape_events
    shape_filter filter;
    float density, friction, restitution, rolling_resistance, tangent_speed;
    vec2 one_way;         // {0, 0}: solid from all sides
    uint32_t chain;       // the slot of the chain to which this piece belongs; for a chain, its own
    uint32_t point_count; // number of points of a chain
    vec2 *points;         // points of a chain, owned
    float reach;          // farthest point from the body's origin [m]
    bool loop;
    shape_geometry geometry; // only as many bytes are allocated as its kind needs
} shape_traits;

// In a world in which no shape has more restitution than this, impacts of discs are not followed
// (impacts.c): the solver is accurate enough there, and piles cost less.
#define LIVELY_LEAST 0.1f

typedef struct traits_table {
    shape_traits **places; // open addressing, by signature
    uint32_t count, capacity;
    uint32_t lively;  // records with more restitution than LIVELY_LEAST
    uint32_t one_way; // records of one-way shapes
} traits_table;

typedef struct shape {
    _Alignas(32) aabb fat; // the box in the broad phase
    shape_traits *traits;
    uint32_t body : 24, flags : 8; // shape.flags
    uint32_t next : 24;            // next shape of the same body
    uint32_t boxed : 8;            // it is in the broad phase
} shape;
_Static_assert(sizeof(shape) == 32, "two shapes to a cache line");

static inline bool traits_are_one_way(const shape_traits *traits)
{
    return traits->one_way.x != 0.0f || traits->one_way.y != 0.0f;
}

static inline bool shape_is_one_way(const shape *s)
{
    return traits_are_one_way(s->traits);
}

// Fills in traits whose memory is zero: all of a definition except the geometry; then the values
// derived from it.
void shape_traits_define(shape_traits *like, const shape_def *def);
void shape_traits_derive(shape_traits *like);
// Returns equal traits of the table, or new ones, with one more user. All padding of `like` must be
// zero; a chain's points are taken over, and its traits are never shared.
shape_traits *shape_traits_take(traits_table *table, const shape_traits *like);
void shape_traits_drop(traits_table *table, shape_traits *traits);
// A hash of a shape's definition (shape_signature.c).
uint64_t shape_signature(const shape_traits *traits);
shape_geometry
shape_traits_geometry(const shape_traits *traits); // the whole struct; unused bytes are zero
void traits_table_deinit(traits_table *table);     // frees all records too
// Copies each record of `from` to the same place, in memory of `to`; and finds the copy of one of
// them.
void traits_table_copy(traits_table *to, const traits_table *from);
shape_traits *traits_table_twin(const traits_table *copy, const traits_table *of,
                                const shape_traits *traits);

uint32_t shape_attach(physics_world *world, uint32_t body, const shape_def *def);
// These place in a slot that is already taken: a shape (a chain without its pieces), the i-th piece
// of a chain, a box as it was; once all are placed, shapes_finish_boxes() builds trees of the
// boxes. `before` has the earlier boxes of world->enlarged, in its order, in the form of
// shape_box_before()'s result.
void shape_place(physics_world *world, uint32_t slot, uint32_t owner, const shape_def *def);
void shape_place_piece(physics_world *world, uint32_t slot, uint32_t chain, int i);
void shape_place_like(physics_world *world, uint32_t slot, uint32_t owner,
                      uint32_t like); // like that other shape, which is not a chain
void shape_restore_box(physics_world *world, uint32_t slot, aabb fat, bool enlarged);
void shapes_finish_boxes(physics_world *world, const aabb *before);
// The box of an enlarged shape when pairs were last found: pairs that overlapped then are not
// searched again. Lower is above upper if all of its pairs must be found.
aabb shape_box_before(physics_world *world, uint32_t slot);
void shape_detach(physics_world *world,
                  uint32_t slot); // a chain with its pieces; the mass is not updated
// The box that the broad phase gets for a tight one around a shape, which may be static (`fixed`).
aabb shape_box_with_margin(aabb tight, bool fixed);
void shape_enter_broad_phase(physics_world *world, uint32_t slot);
void shape_leave_broad_phase(physics_world *world, uint32_t slot); // its contacts end
// Gives a moved shape a new fat box if it has left its own; the caller must still enter that box in
// the tree, which only one thread may do. Returns how far the shape can move before it must be
// examined again [m].
float shape_fit_box(physics_world *world, uint32_t slot, bool *renewed);
void shape_enter_box(physics_world *world, uint32_t slot);
// Enlarges its box to enclose another one, within a step: find_pairs() is over, so the caller looks
// for the new pairs, and marks the box as renewed after the narrow phase.
void shape_grow_box(physics_world *world, uint32_t slot, aabb box);
void shape_note_enlarged(physics_world *world, uint32_t slot);
// computes it again, and finds all of its pairs
void shape_reset_box(physics_world *world, uint32_t slot);

#endif
