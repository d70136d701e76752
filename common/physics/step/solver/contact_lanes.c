// Fills the solver's lanes from the contacts of each colour, and copies the impulses back.
#include "common/physics/step/solver/contact_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/block.h"
#include "common/physics/parallel/sort.h"
#include "common/physics/step/solver/solver_scratch.h"

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

// The number of groups that a colour needs. Contacts without a colour are solved one by one, a
// group each.
static uint32_t groups_of(const physics_world *world, uint32_t colour)
{
    uint32_t count = world->graph[colour].contacts.count;
    return colour == COLOUR_OVERFLOW ? count : (count + LANES - 1) / LANES;
}

static void *resize_groups(void *data, uint32_t from, uint32_t to, size_t bytes)
{
    return block_resize(data, from * bytes, to * bytes);
}

static void set_capacity(physics_world *world, uint32_t count)
{
    contact_groups *groups = &world->solver->groups;
    const uint32_t from = groups->capacity;
    groups->lanes = resize_groups(groups->lanes, from, count, sizeof *groups->lanes);
    groups->marks = resize_groups(groups->marks, from, count, sizeof *groups->marks);
    groups->impacts = resize_groups(groups->impacts, from, count, sizeof *groups->impacts);
    groups->gives = resize_groups(groups->gives, from, count, sizeof *groups->gives);
    if (groups->surfaces != NULL) {
        groups->surfaces = resize_groups(groups->surfaces, from, count, sizeof *groups->surfaces);
    }
    if (groups->roundings != NULL) {
        groups->roundings =
            resize_groups(groups->roundings, from, count, sizeof *groups->roundings);
    }
    groups->capacity = count;
}

void contact_lanes_free(physics_world *world)
{
    set_capacity(world, 0);
    world->solver->groups = (contact_groups){0};
}

// Makes room for so many groups, and for the fields that only some kinds of contacts need, once
// there are any.
static void reserve_groups(physics_world *world, uint32_t count)
{
    contact_groups *groups = &world->solver->groups;
    if (count > groups->capacity) {
        set_capacity(world, count + count / 16);
    }
    if (groups->surfaces == NULL && world->surface_count > 0) {
        groups->surfaces = block_take(groups->capacity * sizeof *groups->surfaces);
    }
    if (groups->roundings == NULL && world->round_count > 0) {
        groups->roundings = block_take(groups->capacity * sizeof *groups->roundings);
    }
}

void contact_lanes_layout(physics_world *world)
{
    graph_colour *overflow = &world->graph[COLOUR_OVERFLOW];
    overflow->contacts.count = sort_slots(overflow->contacts.data, overflow->contacts.count);
    for (uint32_t i = 0; i < overflow->contacts.count; i++) {
        world->contacts.data[overflow->contacts.data[i]].colour_index = i;
    }
    uint32_t first[COLOURS + 2] = {0};
    for (uint32_t c = 0; c <= COLOURS; c++) {
        first[c + 1] = first[c] + groups_of(world, c);
    }
    // at least one, so that an empty world has an array too
    reserve_groups(world, first[COLOURS + 1] + 1);
    memcpy(world->solver->groups.first, first, sizeof first);
}

// The contacts of a group.
typedef struct group_slots {
    const uint32_t *slots;
    uint32_t count;
    uint32_t after; // number of the colour's contacts after these
} group_slots;

// The contacts of a group of the colour `*colour` or of a later one, which *colour is then set to.
static group_slots slots_of(const physics_world *world, uint32_t group, uint32_t *colour)
{
    while (group >= world->solver->groups.first[*colour + 1]) {
        ++*colour;
    }
    const graph_colour *of = &world->graph[*colour];
    uint32_t per_group = *colour == COLOUR_OVERFLOW ? 1 : LANES;
    uint32_t from = (group - world->solver->groups.first[*colour]) * per_group;
    uint32_t left = of->contacts.count - from;
    uint32_t count = left < per_group ? left : per_group;
    return (group_slots){&of->contacts.data[from], count, left - count};
}

// Prefetches contacts, which lie far apart in a large world, while groups before theirs are
// processed: all of each contact, or only the part that is written.
static void ask_ahead(const physics_world *world, const group_slots *of, bool all)
{
    const uint32_t ahead = (all ? 2 : 4) * LANES;
    if (of->count < LANES || of->after < ahead) {
        return;
    }
    for (uint32_t i = 0; i < LANES; i++) {
        const contact *c = &world->contacts.data[of->slots[ahead + i]];
        __builtin_prefetch(c, 1);
        if (all) {
            __builtin_prefetch(&c->local_normal);
        }
    }
}

void contact_lanes_prepare(physics_world *world, uint32_t first, uint32_t end)
{
    uint32_t colour = 0;
    for (uint32_t g = first; g < end; g++) {
        group_slots of = slots_of(world, g, &colour);
        ask_ahead(world, &of, true);
        world->solver->kernels->fill(world, g, of.slots, of.count);
    }
}

static void list_lanes(const uint32_t *slots, uint32_t lanes, slot_list *list)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        array_push(list, slots[__builtin_ctz(lanes)]);
    }
}

void contact_lanes_store(physics_world *world, uint32_t first, uint32_t end, slot_list *began,
                         slot_list *ended)
{
    uint32_t colour = 0;
    for (uint32_t g = first; g < end; g++) {
        group_slots of = slots_of(world, g, &colour);
        ask_ahead(world, &of, false);
        touch_changes changes = world->solver->kernels->store(world, g, of.slots, of.count);
        list_lanes(of.slots, changes.began, began);
        list_lanes(of.slots, changes.ended, ended);
    }
}

uint32_t contact_lanes_due(const contact_groups *groups, uint32_t group)
{
    if (groups->impacts[group] < IMPACTS_DUE) {
        return 0;
    }
    const blow_lanes *blows = groups->surfaces[group].blows;
    uint32_t due = 0;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const bool any = blows[0].parting[lane] > -FAR_AWAY || blows[1].parting[lane] > -FAR_AWAY;
        due |= any ? 1u << lane : 0u;
    }
    return due;
}

void contact_approach(const physics_world *world, const contact *c, float approach[2])
{
    approach[0] = approach[1] = 0.0f;
    if (c->colour != COLOUR_NONE) {
        uint32_t per_group = c->colour == COLOUR_OVERFLOW ? 1 : LANES;
        uint32_t group = world->solver->groups.first[c->colour] + c->colour_index / per_group;
        uint32_t lane = c->colour_index % per_group;
        ASSERT_SLOW((world->solver->groups.marks[group].approached >> lane & 1) != 0);
        for (int i = 0; i < 2; i++) {
            approach[i] = world->solver->groups.lanes[group].points[i].base_separation[lane];
        }
    }
}
