// Long chains whose joints come open.
//
// A sweep over joints transfers a pull to the next link, or to a few; in a chain of thirty links
// the sweeps of a sub-step do not transfer the pull of its end to its suspension. It stretches by a
// sixth at 30 Hz, and its joints open when it is whipped around. Once a joint of a long chain has
// opened, a truss begins there (truss/truss.h), which solves the whole chain as one system. Sweeps,
// which cost less, handle a chain that moves little.
//
// A chain is a row of bodies with at most two joints each; nets, grids, ragdolls and cars are not
// chains.
#include "common/physics/step/solver/long_chains.h"

#include "common/physics/state/joints/joint_record.h"

enum { CHAIN_LONG = 8 };   // least number of joints
#define OPEN_SHARE 0.0015f // share of the arms: a wider gap counts as open
#define OPEN_SPEED                                                                                 \
    1.0f // an open joint counts only if it moves faster: chains that hang still sag and sleep [m/s]

// The number of consecutive joints beyond the body on that side of the joint; counts up to `most`.
static int joints_beyond(const physics_world *world, uint32_t slot, uint32_t side, int most)
{
    int count = 0;
    while (count < most) {
        const joint *j = &world->joints.data[slot];
        const uint32_t at = side == 0 ? j->body_a : j->body_b;
        if (at == NONE || world->motions.data[at].inv_mass == 0.0f ||
            (world->states.data[at].flags & STATE_LINK) == 0) {
            break;
        }
        uint32_t key = world->bodies.data[at].joints;
        if (key >> 1 == slot) {
            key = j->edges[key & 1].next;
        }
        slot = key >> 1;
        side = (key & 1) ^ 1; // the other end of that joint
        count++;
    }
    return count;
}

static bool moves_fast(const physics_world *world, uint32_t slot, vec2 arm)
{
    const body_state *s = &world->states.data[slot];
    const vec2 v = vec2_add(s->velocity, vec2_cross_sv(s->angular_velocity, arm));
    return vec2_length_squared(v) > OPEN_SPEED * OPEN_SPEED;
}

bool is_open_in_long_chain(const physics_world *world, uint32_t slot, vec2 apart, vec2 arm_a,
                           vec2 arm_b)
{
    const float arms = vec2_length_squared(arm_a) + vec2_length_squared(arm_b);
    if (!(vec2_length_squared(apart) > OPEN_SHARE * OPEN_SHARE * arms)) {
        return false;
    }
    const joint *j = &world->joints.data[slot];
    if (!moves_fast(world, j->body_a, arm_a) && !moves_fast(world, j->body_b, arm_b)) {
        return false;
    }
    const int before = joints_beyond(world, slot, 0, CHAIN_LONG);
    return before + 1 + joints_beyond(world, slot, 1, CHAIN_LONG - before) >= CHAIN_LONG;
}
