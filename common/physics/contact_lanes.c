// Filling the solver's lanes from the contacts of each colour, and taking the impulses back.
#include "common/physics/contact_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

extern const contact_kernels contact_kernels_base;
#ifdef CAROM_HAVE_AVX2
extern const contact_kernels contact_kernels_avx2;
#endif

bool wide_avx2_chosen(void)
{
#ifdef CAROM_HAVE_AVX2
    const char *wanted = getenv("CAROM_SIMD");
    bool base = wanted != NULL && strcmp(wanted, "base") == 0;
    return !base && __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

const contact_kernels *contact_kernels_choose(void)
{
#ifdef CAROM_HAVE_AVX2
    if (wide_avx2_chosen()) {
        return &contact_kernels_avx2;
    }
#endif
    return &contact_kernels_base;
}

// Two points are solved together unless they are so close that their equations hardly differ; then
// each alone, at half strength, so that the two do not overshoot. `coupling` is 0 where there is
// one point.
static void couple_points(contact_lanes *group, int lane, float coupling)
{
    const float condition_max = 1000.0f;
    point_lanes *p1 = &group->points[0];
    point_lanes *p2 = &group->points[1];
    float k1 = p1->normal_k[lane];
    float k2 = p2->normal_k[lane];
    float det = k1 * k2 - coupling * coupling;
    if (!(k1 * k2 < condition_max * det)) {
        k1 *= 2.0f;
        k2 *= 2.0f;
        coupling = 0.0f;
        det = k1 * k2;
    }
    p1->normal_k[lane] = k1;
    p2->normal_k[lane] = k2;
    p1->normal_mass[lane] = k1 > 0.0f ? 1.0f / k1 : 0.0f;
    p2->normal_mass[lane] = k2 > 0.0f ? 1.0f / k2 : 0.0f;
    group->coupling_k[lane] = coupling;
    group->inverse_det[lane] = det > 0.0f ? 1.0f / det : 0.0f;
    float yield = group->yield[lane];
    float det_soft = (k1 * yield) * (k2 * yield) - coupling * coupling;
    group->inverse_det_soft[lane] = det_soft > 0.0f ? 1.0f / det_soft : 0.0f;
}

// One contact into one lane.
static void fill_lane(const physics_world *world, contact_lanes *group, int lane, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    const body_motion *ma = &world->motions.data[c->body_a];
    const body_motion *mb = &world->motions.data[c->body_b];
    const body_state *sa = &world->states.data[c->body_a];
    const body_state *sb = &world->states.data[c->body_b];
    const step_context *step = &world->step;
    group->body_a[lane] = c->body_a;
    group->body_b[lane] = c->body_b;
    group->contact[lane] = slot;
    group->inv_mass_a[lane] = ma->inv_mass;
    group->inv_mass_b[lane] = mb->inv_mass;
    group->inv_inertia_a[lane] = ma->inv_inertia;
    group->inv_inertia_b[lane] = mb->inv_inertia;
    group->normal_x[lane] = c->normal.x;
    group->normal_y[lane] = c->normal.y;
    group->friction[lane] = c->friction;
    group->tangent_speed[lane] = c->tangent_speed;
    group->restitution[lane] = c->restitution;
    bool stiff = ma->inv_mass == 0.0f || mb->inv_mass == 0.0f;
    group->bias_rate[lane] = stiff ? step->static_bias_rate : step->contact_bias_rate;
    group->mass_scale[lane] = stiff ? step->static_mass_scale : step->contact_mass_scale;
    group->yield[lane] = stiff ? step->static_yield : step->contact_yield;
    if (c->rolling_resistance > 0.0f) {
        group->features |= LANES_ROLLING;
        group->rolling_resistance[lane] = c->rolling_resistance;
        group->rolling_impulse[lane] = c->rolling_impulse;
        float k = ma->inv_inertia + mb->inv_inertia;
        group->rolling_mass[lane] = k > 0.0f ? 1.0f / k : 0.0f;
    }
    float inv_mass = ma->inv_mass + mb->inv_mass;
    vec2 n = c->normal;
    vec2 t = vec2_right(n);
    float turn_a[2] = {0.0f, 0.0f}; // the anchors' arms about the centres, across the normal
    float turn_b[2] = {0.0f, 0.0f};
    for (int i = 0; i < 2; i++) {
        point_lanes *to = &group->points[i];
        if (i >= c->point_count) {
            to->base_separation[lane] = FAR_AWAY;
            to->normal_k[lane] = 1.0f;
            continue;
        }
        const contact_point *from = &c->points[i];
        vec2 ra = from->anchor_a;
        vec2 rb = from->anchor_b;
        to->anchor_ax[lane] = ra.x;
        to->anchor_ay[lane] = ra.y;
        to->anchor_bx[lane] = rb.x;
        to->anchor_by[lane] = rb.y;
        to->base_separation[lane] = from->separation - vec2_dot(vec2_sub(rb, ra), n);
        to->normal_impulse[lane] = from->normal_impulse;
        to->tangent_impulse[lane] = from->tangent_impulse;
        turn_a[i] = vec2_cross(ra, n);
        turn_b[i] = vec2_cross(rb, n);
        to->normal_k[lane] = inv_mass + (ma->inv_inertia * turn_a[i] * turn_a[i] +
                                         mb->inv_inertia * turn_b[i] * turn_b[i]);
        float ta = vec2_cross(ra, t);
        float tb = vec2_cross(rb, t);
        float kt = inv_mass + (ma->inv_inertia * ta * ta + mb->inv_inertia * tb * tb);
        to->tangent_mass[lane] = kt > 0.0f ? 1.0f / kt : 0.0f;
        vec2 va = vec2_add(sa->velocity, vec2_cross_sv(sa->angular_velocity, ra));
        vec2 vb = vec2_add(sb->velocity, vec2_cross_sv(sb->angular_velocity, rb));
        to->approach_speed[lane] = vec2_dot(n, vec2_sub(vb, va));
    }
    couple_points(group, lane,
                  c->point_count < 2 ? 0.0f
                                     : inv_mass + (ma->inv_inertia * turn_a[0] * turn_a[1] +
                                                   mb->inv_inertia * turn_b[0] * turn_b[1]));
}

// Whether the contact in the lane closes fast, as impact() would find it before the first blow.
static blows_state blows_of(const physics_world *world, const contact_lanes *group, int lane)
{
    if (!(group->restitution[lane] > 0.0f)) {
        return BLOWS_NEVER;
    }
    float fastest =
        float_min(group->points[0].approach_speed[lane], group->points[1].approach_speed[lane]);
    return fastest < -world->step.restitution_threshold ? BLOWS_DUE : BLOWS_LATER;
}

// Groups that a colour needs. What did not find a colour is solved one by one: a group each.
static uint32_t groups_of(const physics_world *world, uint32_t colour)
{
    uint32_t count = world->graph[colour].contacts.count;
    return colour == COLOUR_OVERFLOW ? count : (count + LANES - 1) / LANES;
}

static void reserve_groups(physics_world *world, uint32_t count)
{
    if (count <= world->lanes_capacity) {
        return;
    }
    free(world->lanes);
    free(world->lanes_blows);
    world->lanes_capacity = count + count / 16;
    world->lanes = aligned_alloc(64, (world->lanes_capacity * sizeof *world->lanes + 63) / 64 * 64);
    world->lanes_blows = malloc(world->lanes_capacity);
    ASSERT(world->lanes != NULL && world->lanes_blows != NULL);
}

static void clear_group(contact_lanes *group)
{
    memset(group, 0, sizeof *group);
    for (int lane = 0; lane < LANES; lane++) {
        group->points[0].base_separation[lane] = FAR_AWAY;
        group->points[1].base_separation[lane] = FAR_AWAY;
    }
}

void contact_lanes_layout(physics_world *world)
{
    graph_colour *overflow = &world->graph[COLOUR_OVERFLOW];
    overflow->contacts.count = sort_slots(overflow->contacts.data, overflow->contacts.count);
    for (uint32_t i = 0; i < overflow->contacts.count; i++) {
        world->contacts.data[overflow->contacts.data[i]].colour_index = i;
    }
    uint32_t total = 0;
    for (uint32_t c = 0; c <= COLOURS; c++) {
        world->lanes_first[c] = total;
        total += groups_of(world, c);
    }
    world->lanes_first[COLOURS + 1] = total;
    reserve_groups(world, total + 1); // never none, so that an empty world has an array too
}

// The contacts of one group of a colour.
static void fill_group(const physics_world *world, uint32_t colour, uint32_t index)
{
    const graph_colour *of = &world->graph[colour];
    uint32_t per_group = colour == COLOUR_OVERFLOW ? 1 : LANES;
    uint32_t first = index * per_group;
    contact_lanes *group = &world->lanes[world->lanes_first[colour] + index];
    clear_group(group);
    blows_state blows = BLOWS_NEVER;
    for (uint32_t k = 0; k < per_group && first + k < of->contacts.count; k++) {
        fill_lane(world, group, (int)k, of->contacts.data[first + k]);
        blows_state of_lane = blows_of(world, group, (int)k);
        blows = of_lane > blows ? of_lane : blows;
    }
    world->lanes_blows[world->lanes_first[colour] + index] = (uint8_t)blows;
}

void contact_lanes_prepare(physics_world *world, uint32_t first, uint32_t end)
{
    uint32_t colour = 0;
    for (uint32_t g = first; g < end; g++) {
        while (g >= world->lanes_first[colour + 1]) {
            colour++;
        }
        fill_group(world, colour, g - world->lanes_first[colour]);
    }
}

// Touching begins with pressure or overlap and ends when there is neither and a gap of LINEAR_SLOP:
// what rests does not flicker, and what flies past within SPECULATIVE_DISTANCE has not touched.
static void update_touching(const contact *c, uint32_t slot, slot_list *began, slot_list *ended)
{
    float pressed = 0.0f;
    float nearest = INFINITY;
    for (int i = 0; i < c->point_count; i++) {
        pressed += c->points[i].total_impulse;
        nearest = float_min(nearest, c->points[i].separation);
    }
    if ((c->flags & CONTACT_TOUCHING) == 0) {
        if (pressed > 0.0f || nearest <= 0.0f) {
            array_push(began, slot);
        }
    } else if (pressed == 0.0f && nearest > LINEAR_SLOP) {
        array_push(ended, slot);
    }
}

void contact_lanes_store(physics_world *world, uint32_t first, uint32_t end, slot_list *began,
                         slot_list *ended)
{
    for (uint32_t g = first; g < end; g++) {
        const contact_lanes *group = &world->lanes[g];
        for (int lane = 0; lane < LANES; lane++) {
            uint32_t slot = group->contact[lane];
            if (slot == NONE) {
                break;
            }
            contact *c = &world->contacts.data[slot];
            c->rolling_impulse = group->rolling_impulse[lane];
            for (int i = 0; i < c->point_count; i++) {
                const point_lanes *from = &group->points[i];
                contact_point *to = &c->points[i];
                to->normal_impulse = from->normal_impulse[lane];
                to->tangent_impulse = from->tangent_impulse[lane];
                to->total_impulse = from->total_impulse[lane];
                to->approach_speed = from->approach_speed[lane];
            }
            update_touching(c, slot, began, ended);
        }
    }
}
