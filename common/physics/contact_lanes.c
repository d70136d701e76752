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
    uint32_t left = of->contacts.count - first;
    uint32_t group = world->lanes_first[colour] + index;
    blows_state blows = world->kernels->fill(world, &world->lanes[group], &of->contacts.data[first],
                                             left < per_group ? left : per_group);
    world->lanes_blows[group] = (uint8_t)blows;
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

static void list_lanes(const contact_lanes *group, uint32_t lanes, slot_list *list)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        array_push(list, group->contact[__builtin_ctz(lanes)]);
    }
}

void contact_lanes_store(physics_world *world, uint32_t first, uint32_t end, slot_list *began,
                         slot_list *ended)
{
    for (uint32_t g = first; g < end; g++) {
        const contact_lanes *group = &world->lanes[g];
        touch_changes changes = world->kernels->store(group, world->contacts.data);
        list_lanes(group, changes.began, began);
        list_lanes(group, changes.ended, ended);
    }
}

void contact_approach(const physics_world *world, const contact *c, float approach[2])
{
    approach[0] = approach[1] = 0.0f;
    if (c->colour != COLOUR_NONE) {
        uint32_t per_group = c->colour == COLOUR_OVERFLOW ? 1 : LANES;
        const contact_lanes *group =
            &world->lanes[world->lanes_first[c->colour] + c->colour_index / per_group];
        uint32_t lane = c->colour_index % per_group;
        ASSERT_SLOW(&world->contacts.data[group->contact[lane]] == c);
        approach[0] = group->approach_speed[0][lane];
        approach[1] = group->approach_speed[1][lane];
    }
}
