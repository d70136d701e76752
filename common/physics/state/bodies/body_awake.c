// Awake bodies: the list of moving bodies, and waking.
//
// Invariant: a body is on world.awake_bodies exactly when it is enabled, not static, and neither
// asleep, standing nor a kinematic body at rest. (How bodies fall asleep: sleep.c.)
#include "common/base/assert.h"
#include "common/physics/state/joints/joints.h"
#include "common/physics/state/sleep_set.h"
#include "common/physics/state/standing_body.h"
#include "common/physics/state/world.h"

#include <stdlib.h>

bool body_is_moving(const body *b, const body_state *state)
{
    return b->type == BODY_DYNAMIC ||
           (b->type == BODY_KINEMATIC && (state->velocity.x != 0.0f || state->velocity.y != 0.0f ||
                                          state->angular_velocity != 0.0f));
}

void body_list_awake(physics_world *world, uint32_t slot)
{
    body *b = &world->bodies.data[slot];
    if (b->awake_index == 0) {
        array_push(&world->awake_bodies, slot);
        b->awake_index = world->awake_bodies.count & SLOT_MASK;
    }
}

void body_unlist_awake(physics_world *world, uint32_t slot)
{
    body *b = &world->bodies.data[slot];
    if (b->awake_index == 0) {
        return;
    }
    uint32_t index = b->awake_index - 1;
    array_swap_remove(&world->awake_bodies, index);
    if (index < world->awake_bodies.count) {
        world->bodies.data[world->awake_bodies.data[index]].awake_index = (index + 1) & SLOT_MASK;
    }
    b->awake_index = 0;
}

// Adds the body to the list of awake ones or removes it, as its state requires, with its contacts.
void body_refresh_awake(physics_world *world, uint32_t slot)
{
    body *b = &world->bodies.data[slot];
    bool wanted = (b->flags & (BODY_ENABLED | BODY_STANDING)) == BODY_ENABLED &&
                  b->sleep_set == 0 && body_is_moving(b, &world->states.data[slot]);
    if (wanted == (b->awake_index != 0)) {
        return;
    }
    if (wanted) {
        body_list_awake(world, slot);
    } else {
        body_unlist_awake(world, slot);
    }
    const contact_slots found = contact_collect(world, slot);
    for (uint32_t i = 0; i < found.count; i++) {
        if (wanted) {
            contact_activate(world, found.slots[i]);
        } else {
            contact_deactivate(world, found.slots[i]);
        }
    }
}

// ---- waking

void body_wake(physics_world *world, uint32_t slot)
{
    body *b = &world->bodies.data[slot];
    if (b->sleep_set != 0) {
        sleep_set_wake(world, slot);
    } else if ((b->flags & BODY_STANDING) != 0) {
        standing_body_release(world, slot);
    }
    body_restart_sleep_timer(&world->extents.data[slot]);
}

static void wake_other(physics_world *world, uint32_t joint, uint32_t other, void *context)
{
    (void)joint;
    (void)context;
    body_wake(world, other);
}

void body_wake_touching(physics_world *world, uint32_t slot)
{
    // Waking collects contacts of other bodies, so the others are gathered first.
    const contact_slots found = contact_collect(world, slot);
    uint32_t count = 0;
    uint32_t *others = malloc((found.count + (size_t)1) * sizeof *others);
    ASSERT_MEMORY(others != NULL);
    for (uint32_t i = 0; i < found.count; i++) {
        const contact *c = &world->contacts.data[found.slots[i]];
        if ((c->flags & CONTACT_SENSOR) == 0) { // no body rests on a sensor
            others[count++] = c->body_a == slot ? c->body_b : c->body_a;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        body_wake(world, others[i]);
    }
    free(others);
    joint_visit_all(world, slot, wake_other, NULL);
}
