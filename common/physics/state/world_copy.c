// Copying a world into another one, for prediction: the copy of a world is needed again and again,
// so it reuses all memory that the target has, and costs little more than reading and writing the
// source's arrays once. The target's threads, clock, wanted events and step scratch stay its own;
// no result depends on them.
//
// The target may have been any world before. Its elements beyond those of the source become zero,
// since memory beyond an array's count is always zero.
#include "common/physics/state/world.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/state/bodies/body_special.h"
#include "common/physics/state/joints/joint_record.h"

static void copy_elements(void *to, uint32_t before, const void *from, uint32_t count, size_t size)
{
    if (count > 0) {
        memcpy(to, from, count * size);
    }
    if (before > count) {
        memset((char *)to + count * size, 0, (before - count) * size);
    }
}

#define COPY_ARRAY(to, from)                                                                       \
    do {                                                                                           \
        array_reserve(to, (from)->count);                                                          \
        copy_elements((to)->data, (to)->count, (from)->data, (from)->count, sizeof *(to)->data);   \
        (to)->count = (from)->count;                                                               \
    } while (0)

static void copy_slots(slot_pool *to, const slot_pool *from)
{
    COPY_ARRAY(&to->taken, &from->taken);
    COPY_ARRAY(&to->generations, &from->generations);
    to->count = from->count;
    to->end = from->end;
    to->first_word = from->first_word;
}

static void copy_tree(tree *to, const tree *from)
{
    COPY_ARRAY(&to->nodes, &from->nodes);
    COPY_ARRAY(&to->places, &from->places);
    COPY_ARRAY(&to->before, &from->before);
    COPY_ARRAY(&to->groups, &from->groups);
    to->root = from->root;
    to->free_node = from->free_node;
    to->leaf_count = from->leaf_count;
    to->part_count = from->part_count;
    to->changed = from->changed;
    to->moved = from->moved;
    to->built = from->built;
}

static void copy_graph(graph_colour *to, const graph_colour *from)
{
    COPY_ARRAY(&to->contacts, &from->contacts);
    to->twins = from->twins;
    for (int sort = 0; sort < JOINT_SORTS; sort++) {
        COPY_ARRAY(&to->joints[sort], &from->joints[sort]);
    }
}

// An unchanged tag keeps its memory: most ticks change none.
static void copy_tag(char **to, const char *from)
{
    if (*to == NULL ? from == NULL : from != NULL && strcmp(*to, from) == 0) {
        return;
    }
    free(*to);
    *to = NULL;
    if (from != NULL) {
        *to = strdup(from);
        ASSERT_MEMORY(*to != NULL);
    }
}

static void copy_tags(tag_list *to, const tag_list *from)
{
    for (uint32_t i = from->count; i < to->count; i++) {
        copy_tag(&to->data[i], NULL);
    }
    array_reserve(to, from->count);
    to->count = from->count;
    for (uint32_t i = 0; i < from->count; i++) {
        copy_tag(&to->data[i], from->data[i]);
    }
}

// Lets each shape point to the target's own copy of the shared traits.
static void copy_shapes(physics_world *to, const physics_world *from)
{
    COPY_ARRAY(&to->shapes, &from->shapes);
    const shape_traits *last = NULL;
    shape_traits *twin = NULL;
    for (uint32_t slot = slots_next(&from->shape_slots, 0); slot != 0;
         slot = slots_next(&from->shape_slots, slot)) {
        shape *s = &to->shapes.data[slot];
        if (s->traits != last) {
            last = s->traits;
            twin = traits_table_twin(&to->traits, &from->traits, last);
        }
        s->traits = twin;
    }
}

// Copies the lists of WORLD_ARRAYS, except shapes and tags, which own or share memory.
static void copy_arrays(physics_world *to, const physics_world *from)
{
    COPY_ARRAY(&to->bodies, &from->bodies);
    COPY_ARRAY(&to->motions, &from->motions);
    COPY_ARRAY(&to->states, &from->states);
    COPY_ARRAY(&to->extents, &from->extents);
    COPY_ARRAY(&to->colours_used, &from->colours_used);
    COPY_ARRAY(&to->contacts, &from->contacts);
    COPY_ARRAY(&to->joints, &from->joints);
    COPY_ARRAY(&to->specials, &from->specials);
    COPY_ARRAY(&to->joint_settings, &from->joint_settings);
    COPY_ARRAY(&to->awake_bodies, &from->awake_bodies);
    COPY_ARRAY(&to->awake_contacts, &from->awake_contacts);
    COPY_ARRAY(&to->awake_joints, &from->awake_joints);
    COPY_ARRAY(&to->events, &from->events);
    COPY_ARRAY(&to->enlarged, &from->enlarged);
}

static void copy_numbers(physics_world *to, const physics_world *from)
{
    to->def = from->def;
    to->tick = from->tick;
    to->frozen_count = from->frozen_count;
    to->step = from->step;
    to->touching_count = from->touching_count;
    to->surface_count = from->surface_count;
    to->round_count = from->round_count;
    to->contacts_max = from->contacts_max;
    to->meetings_max = from->meetings_max;
    to->events_finished = from->events_finished;
}

void world_copy(physics_world *to, const physics_world *from)
{
    ASSERT(to != from);
    copy_numbers(to, from);
    copy_slots(&to->body_slots, &from->body_slots);
    copy_slots(&to->shape_slots, &from->shape_slots);
    copy_slots(&to->joint_slots, &from->joint_slots);
    copy_slots(&to->contact_slots, &from->contact_slots);
    copy_slots(&to->special_slots, &from->special_slots);
    copy_slots(&to->settings_slots, &from->settings_slots);
    copy_arrays(to, from);
    copy_tags(&to->tags, &from->tags);
    data_table_copy(&to->data, &from->data);
    kept_copy(&to->rules, &from->rules);
    kept_copy(&to->seats, &from->seats);
    traits_table_copy(&to->traits, &from->traits);
    copy_shapes(to, from);
    for (uint32_t i = 0; i <= COLOURS; i++) {
        copy_graph(&to->graph[i], &from->graph[i]);
    }
    for (int i = 0; i < BROAD_TREES; i++) {
        copy_tree(&to->broad.trees[i], &from->broad.trees[i]);
    }
    copy_tree(&to->broad.sensors, &from->broad.sensors);
    pair_set_copy(&to->pairs, &from->pairs);
}
