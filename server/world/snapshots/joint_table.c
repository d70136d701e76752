// Comparing a world's joints with those of the version before; see joint_table.h. The world's
// thread.
#include "server/world/snapshots/joint_table.h"

#include "common/base/assert.h"
#include "server/world/snapshots/removals.h"
#include "server/world/snapshots/row_table.h"

void joint_table_init(joint_table *t, uint64_t removals_max)
{
    *t = (joint_table){.removals_max = removals_max};
}

void joint_table_deinit(joint_table *t)
{
    array_free(&t->entries);
    array_free(&t->removals);
}

void joint_table_follow(joint_table *t, bool wanted)
{
    if (wanted == t->following) {
        return;
    }
    joint_table_deinit(t);
    joint_table_init(t, t->removals_max);
    t->following = wanted;
    t->dirty = wanted;
}

static void note_removal(joint_table *t, joint_entry *entry, uint64_t version)
{
    ASSERT(entry->id != 0 && version > 0);
    joint_removal gone = {entry->id, entry->created, version, entry->slots};
    array_push(&t->removals, gone);
    *entry = (joint_entry){0};
    t->changed = version;
}

// The slot of the body that the joint `below` a gear ties the gear's body to.
static uint32_t other_slot(const physics_world *world, joint_id below, body_id body)
{
    joint_info info;
    if (below == 0 || joint_get(world, below, &info, NULL) != STATUS_OK) {
        return UINT32_MAX;
    }
    return id_slot(info.def.a == body ? info.def.b : info.def.a);
}

static joint_slots slots_of(const physics_world *world, const joint_def *def)
{
    return (joint_slots){.a = id_slot(def->a),
                         .b = id_slot(def->b),
                         .other_a = other_slot(world, def->joint_a, def->a),
                         .other_b = other_slot(world, def->joint_b, def->b)};
}

static void note_joint(joint_table *t, const physics_world *world, joint_id id, uint64_t version)
{
    ASSERT(id != 0 && id_slot(id) < t->entries.count);
    joint_entry *entry = &t->entries.data[id_slot(id)];
    if (entry->id == id) {
        return;
    }
    if (entry->id != 0) {
        note_removal(t, entry, version);
    }
    joint_info info;
    t->changed = version;
    status s = joint_get(world, id, &info, NULL);
    ASSERT(s == STATUS_OK); // the world has just named it
    *entry = (joint_entry){
        .id = id, .created = version, .changed = version, .slots = slots_of(world, &info.def)};
}

// Records the removal of the joints in slots from `slot` up to, not including, `end`.
static void note_gap(joint_table *t, uint32_t slot, uint32_t end, uint64_t version)
{
    ASSERT(end <= t->entries.count);
    for (; slot < end; slot++) {
        if (t->entries.data[slot].id != 0) {
            note_removal(t, &t->entries.data[slot], version);
        }
    }
}

void joint_table_update(joint_table *t, const physics_world *world, uint64_t version)
{
    uint32_t count = world_count(world).joints;
    if (!t->following || (!t->dirty && count == t->count)) {
        return;
    }
    uint32_t next = 0;
    for (joint_id id = 0; (id = world_next_joint(world, id)) != 0;) {
        uint32_t slot = id_slot(id);
        ASSERT(slot >= next);
        if (slot >= t->entries.count) {
            array_reserve(&t->entries, slot + 1); // new elements are zero
            t->entries.count = slot + 1;
        }
        note_gap(t, next, slot, version);
        note_joint(t, world, id, version);
        next = slot + 1;
    }
    note_gap(t, next, t->entries.count, version);
    t->count = count;
    t->dirty = false;
}

void joint_table_mark(joint_table *t, joint_id id, uint64_t version)
{
    uint32_t slot = id_slot(id);
    if (slot < t->entries.count && t->entries.data[slot].id == id) {
        t->entries.data[slot].changed = t->changed = version;
    }
}

void joint_table_trim(joint_table *t, uint64_t oldest)
{
    removals_trim(&t->removals, &t->floor, t->removals_max, oldest);
}
