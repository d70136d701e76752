// Unusual settings of a body: damping, gravity scale, own mass, forces. Most bodies have none and
// share the record at place 0. The place of a record has no meaning.
#include "common/physics/state/bodies/body_special.h"
#include "common/physics/state/world.h"

#include <string.h>

static const body_special USUAL = {.gravity_scale = 1.0f};

_Static_assert(sizeof(body_special) == 9 * sizeof(float), "no padding: records are compared whole");

void specials_init(physics_world *world)
{
    slots_init(&world->special_slots);
    array_push(&world->specials, USUAL);
}

void body_set_special(physics_world *world, uint32_t slot, const body_special *special)
{
    // copied, since it may lie in the array that is about to move
    const body_special wanted = *special;
    body_motion *m = &world->motions.data[slot];
    body_state *state = &world->states.data[slot];
    if (memcmp(&wanted, &USUAL, sizeof USUAL) == 0) {
        if (m->special != 0) {
            slots_release_unnumbered(&world->special_slots, m->special);
            m->special = 0;
        }
        state->flags &= ~(uint32_t)STATE_SPECIAL;
        return;
    }
    if (m->special == 0) {
        m->special = slots_take(&world->special_slots) & SLOT_MASK;
        array_reserve(&world->specials, world->special_slots.end);
        world->specials.count = world->special_slots.end;
    }
    world->specials.data[m->special] = wanted;
    state->flags |= STATE_SPECIAL;
}
