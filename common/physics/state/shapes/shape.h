// A shape: its record, and what all equal shapes share (shape_traits.c).
#ifndef CAROM_COMMON_PHYSICS_STATE_SHAPES_SHAPE_H
#define CAROM_COMMON_PHYSICS_STATE_SHAPES_SHAPE_H

#include "common/geometry/shape.h"
#include "common/physics/physics.h"

enum { // shape.flags
    SHAPE_SENSOR = 1u << 0,
    SHAPE_IS_CHAIN = 1u << 1, // a chain as a whole: not in the broad phase, its pieces are
    SHAPE_ENLARGED = 1u << 2  // its box was renewed in this step: look for new pairs
};

// The fixed properties of a shape. Most bodies bear the same shape as another, so equal shapes
// share one record (shape_traits.c).
typedef struct shape_traits {
    uint64_t signature; // hash of what defines it
    uint32_t users;
    float extent_min; // smallest half width of the geometry
    uint32_t events;  // bits of shape_events
    shape_filter filter;
    float density, friction, restitution, rolling_resistance, tangent_speed;
    uint32_t chain;       // the slot of the chain that this is a piece of; of a chain: its own
    uint32_t point_count; // number of points of a chain
    vec2 *points;         // points of a chain, owned
    float reach;          // farthest point from the body's origin [m]
    bool loop;
    shape_geometry geometry; // no more of it is there than its kind needs
} shape_traits;

// In a world in which nothing rebounds by more, impacts of discs are not followed (impacts.c): the
// solver is near enough to the truth there, and piles cost less.
#define LIVELY_LEAST 0.1f

typedef struct traits_table {
    shape_traits **places; // open addressing, by signature
    uint32_t count, capacity;
    uint32_t lively; // records with more restitution than LIVELY_LEAST
} traits_table;

typedef struct shape {
    _Alignas(32) aabb fat; // the box in the broad phase
    shape_traits *traits;
    uint32_t body : 24, flags : 8; // shape.flags
    uint32_t next : 24;            // next shape of the same body
    uint32_t boxed : 8;            // it is in the broad phase
} shape;
_Static_assert(sizeof(shape) == 32, "two shapes to a cache line");

// Of traits whose memory is zero: all that a definition says but the geometry; then what follows
// from all of it.
void shape_traits_define(shape_traits *like, const shape_def *def);
void shape_traits_derive(shape_traits *like);
// Equal ones of the table's, or new ones; one user more. `like` is to have no padding that is
// not zero; of a chain's the points are taken over, and it is shared with nobody.
shape_traits *shape_traits_take(traits_table *table, const shape_traits *like);
void shape_traits_drop(traits_table *table, shape_traits *traits);
// A hash of what defines a shape (shape_signature.c).
uint64_t shape_signature(const shape_traits *traits);
shape_geometry
shape_traits_geometry(const shape_traits *traits); // the whole struct; unused bytes are zero
void traits_table_deinit(traits_table *table);     // frees all records too
// Each record of `from` in the same place, in memory of `to`; and the copy of one of them.
void traits_table_copy(traits_table *to, const traits_table *from);
shape_traits *traits_table_twin(const traits_table *copy, const traits_table *of,
                                const shape_traits *traits);

uint32_t shape_attach(physics_world *world, uint32_t body, const shape_def *def);
// Into a slot that is taken already: a shape (a chain without its pieces), the i-th piece of a
// chain, a box as it was; once all have theirs, shapes_finish_boxes() makes trees of them. `before`
// has the earlier boxes of world->enlarged, in its order: as shape_box_before() gives them.
void shape_place(physics_world *world, uint32_t slot, uint32_t owner, const shape_def *def);
void shape_place_piece(physics_world *world, uint32_t slot, uint32_t chain, int i);
void shape_place_like(physics_world *world, uint32_t slot, uint32_t owner,
                      uint32_t like); // as another one that is no chain
void shape_restore_box(physics_world *world, uint32_t slot, aabb fat, bool enlarged);
void shapes_finish_boxes(physics_world *world, const aabb *before);
// The box of an enlarged shape when pairs were found last: those that it overlapped then are not
// looked for again. Lower is above upper where all of its pairs are to be found.
aabb shape_box_before(physics_world *world, uint32_t slot);
void shape_detach(physics_world *world,
                  uint32_t slot); // a chain with its pieces; mass is not renewed
// The box that the broad phase is given for one around a shape, which may stand still (`fixed`).
aabb shape_box_with_margin(aabb tight, bool fixed);
void shape_enter_broad_phase(physics_world *world, uint32_t slot);
void shape_leave_broad_phase(physics_world *world, uint32_t slot); // its contacts end
// Gives a moved shape another fat box if it has left its own; that one is still to be entered,
// which only one thread may do. Returns how far it can move before it is to be looked at again [m].
float shape_fit_box(physics_world *world, uint32_t slot, bool *renewed);
void shape_enter_box(physics_world *world, uint32_t slot);
// Has its box hold another one too, within a step: find_pairs() is over, so whoever calls it looks
// for the new pairs, and notes the box as renewed when the narrow phase is over.
void shape_grow_box(physics_world *world, uint32_t slot, aabb box);
void shape_note_enlarged(physics_world *world, uint32_t slot);
void shape_reset_box(physics_world *world, uint32_t slot); // anew, and all of its pairs

#endif
