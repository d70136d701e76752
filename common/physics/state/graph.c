// The constraint graph: contacts and joints get colours so that no two of one colour write to the
// same body. Constraints of one colour can be solved in any order, several at a time, with the same
// result to the bit.
//
// Colouring is greedy (first fit on the free bits of both bodies) and incremental. Static bodies
// are not written to and need no colour. Pairs of moving bodies take the low colours, contacts with
// static bodies the high ones, so that contacts with the ground are solved last in each sweep.
#include "common/base/assert.h"
#include "common/physics/state/joints/joint_record.h"
#include "common/physics/state/world.h"

_Static_assert(COLOURS <= 32, "a body's colours are the bits of 32");

#define DYNAMIC_COLOURS ((1u << COLOURS_DYNAMIC) - 1)
#define ALL_COLOURS     ((1u << COLOURS) - 1)

static bool is_dynamic(const physics_world *world, uint32_t slot)
{
    return (world->states.data[slot].flags & STATE_DYNAMIC) != 0;
}

static uint32_t take_colour(physics_world *world, uint32_t body_a, uint32_t body_b)
{
    uint32_t *used = world->colours_used.data;
    bool a = is_dynamic(world, body_a);
    bool b = is_dynamic(world, body_b);
    uint32_t colour = COLOUR_OVERFLOW;
    if (a && b) {
        uint32_t open = ~(used[body_a] | used[body_b]) & DYNAMIC_COLOURS;
        if (open != 0) {
            colour = (uint32_t)__builtin_ctz(open);
            used[body_a] |= 1u << colour;
            used[body_b] |= 1u << colour;
        }
    } else {
        uint32_t moving = a ? body_a : body_b;
        uint32_t open = ~used[moving] & ALL_COLOURS;
        if (open != 0) {
            colour = 31u - (uint32_t)__builtin_clz(open);
            used[moving] |= 1u << colour;
        }
    }
    return colour;
}

static void give_colour(physics_world *world, uint32_t colour, uint32_t body_a, uint32_t body_b)
{
    if (colour == COLOUR_OVERFLOW) {
        return;
    }
    if (is_dynamic(world, body_a)) {
        world->colours_used.data[body_a] &= ~(1u << colour);
    }
    if (is_dynamic(world, body_b)) {
        world->colours_used.data[body_b] &= ~(1u << colour);
    }
}

// Within a colour, contacts known to have two points come first: the groups of the others are then
// solved with half the work. No result depends on this order. (Overflowing contacts are ordered by
// slot.)

static void swap_contacts(physics_world *world, graph_colour *colour, uint32_t i, uint32_t k)
{
    uint32_t *slots = colour->contacts.data;
    uint32_t slot = slots[i];
    slots[i] = slots[k];
    slots[k] = slot;
    world->contacts.data[slots[i]].colour_index = i;
    world->contacts.data[slots[k]].colour_index = k;
}

void graph_sort_contact(physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    if (c->colour == COLOUR_NONE || c->colour == COLOUR_OVERFLOW) {
        return;
    }
    graph_colour *colour = &world->graph[c->colour];
    bool twin = c->point_count > 1;
    if (twin && c->colour_index >= colour->twins) {
        swap_contacts(world, colour, c->colour_index, colour->twins++);
    } else if (!twin && c->colour_index < colour->twins) {
        swap_contacts(world, colour, c->colour_index, --colour->twins);
    }
}

static void list_contact(physics_world *world, uint32_t slot, uint32_t colour)
{
    contact *c = &world->contacts.data[slot];
    c->colour = (uint8_t)colour;
    c->colour_index = world->graph[colour].contacts.count;
    array_push(&world->graph[colour].contacts, slot);
    graph_sort_contact(world, slot);
}

static void unlist_contact(physics_world *world, graph_colour *colour, const contact *c)
{
    if (c->colour_index < colour->twins) {
        swap_contacts(world, colour, c->colour_index, --colour->twins);
    }
    swap_contacts(world, colour, c->colour_index, colour->contacts.count - 1);
    colour->contacts.count--;
}

static void list_joint(physics_world *world, uint32_t slot, uint32_t colour)
{
    joint *j = &world->joints.data[slot];
    joint_sort sort = joint_sort_of(world, j);
    slot_list *list = &world->graph[colour].joints[sort];
    j->colour = (uint8_t)colour;
    j->sort = sort;
    j->colour_index = list->count;
    array_push(list, slot);
}

static void unlist_joint(physics_world *world, uint32_t slot)
{
    const joint *j = &world->joints.data[slot];
    slot_list *list = &world->graph[j->colour].joints[j->sort];
    array_swap_remove(list, j->colour_index);
    if (j->colour_index < list->count) {
        world->joints.data[list->data[j->colour_index]].colour_index = j->colour_index;
    }
}

// Takes exactly that colour if it is allowed and free.
static bool take_given_colour(physics_world *world, uint32_t colour, uint32_t body_a,
                              uint32_t body_b)
{
    if (colour == COLOUR_OVERFLOW) {
        return true;
    }
    bool a = is_dynamic(world, body_a);
    bool b = is_dynamic(world, body_b);
    uint32_t *used = world->colours_used.data;
    uint32_t taken = (a ? used[body_a] : 0u) | (b ? used[body_b] : 0u);
    if (colour >= (a && b ? COLOURS_DYNAMIC : COLOURS) || (taken >> colour & 1) != 0) {
        return false;
    }
    used[body_a] |= a ? 1u << colour : 0u;
    used[body_b] |= b ? 1u << colour : 0u;
    return true;
}

bool graph_place_contact(physics_world *world, uint32_t slot, uint32_t colour)
{
    const contact *c = &world->contacts.data[slot];
    if (!take_given_colour(world, colour, c->body_a, c->body_b)) {
        return false;
    }
    list_contact(world, slot, colour);
    return true;
}

bool graph_place_joint(physics_world *world, uint32_t slot, uint32_t colour)
{
    const joint *j = &world->joints.data[slot];
    if (colour > COLOUR_OVERFLOW || (colour != COLOUR_OVERFLOW && joint_is_geared(world, j)) ||
        !take_given_colour(world, colour, j->body_a, j->body_b)) {
        return false;
    }
    list_joint(world, slot, colour);
    return true;
}

void graph_add_contact(physics_world *world, uint32_t slot)
{
    const contact *c = &world->contacts.data[slot];
    ASSERT_SLOW(c->colour == COLOUR_NONE);
    // Otherwise one of them stands
    if (is_dynamic(world, c->body_a) || is_dynamic(world, c->body_b)) {
        list_contact(world, slot, take_colour(world, c->body_a, c->body_b));
    }
}

void graph_remove_contact(physics_world *world, uint32_t slot)
{
    contact *c = &world->contacts.data[slot];
    if (c->colour == COLOUR_NONE) {
        return;
    }
    unlist_contact(world, &world->graph[c->colour], c);
    give_colour(world, c->colour, c->body_a, c->body_b);
    c->colour = COLOUR_NONE;
}

uint32_t graph_joint_count(const physics_world *world, uint32_t colour)
{
    uint32_t count = 0;
    for (int sort = 0; sort < JOINT_SORTS; sort++) {
        count += world->graph[colour].joints[sort].count;
    }
    return count;
}

// A joint that writes to more than two bodies is solved with the joints that are solved one by one.
void graph_add_joint(physics_world *world, uint32_t slot)
{
    const joint *j = &world->joints.data[slot];
    uint32_t colour = joint_is_geared(world, j) ? (uint32_t)COLOUR_OVERFLOW
                                                : take_colour(world, j->body_a, j->body_b);
    list_joint(world, slot, colour);
}

void graph_remove_joint(physics_world *world, uint32_t slot)
{
    joint *j = &world->joints.data[slot];
    if (j->colour == COLOUR_NONE) {
        return;
    }
    unlist_joint(world, slot);
    give_colour(world, j->colour, j->body_a, j->body_b);
    j->colour = COLOUR_NONE;
}

void graph_relist_joint(physics_world *world, uint32_t slot)
{
    const joint *j = &world->joints.data[slot];
    if (j->colour != COLOUR_NONE) {
        unlist_joint(world, slot);
        list_joint(world, slot, j->colour);
    }
}
