// Changes and reads of a world's data; see apply.h. The world's thread.
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/data.h"
#include "common/world/apply_internal.h"
#include "common/world/data_plan.h"

static uint64_t version_of(const physics_world *world, const char *key)
{
    world_datum now;
    return world_data_find(world, key, &now) ? now.version : 0;
}

// A command that did not come through the decoder may lack its key.
static status missing_key(error *err)
{
    return error_set(err, STATUS_INVALID_ARGUMENT, "key: must have 1 to %d bytes",
                     DATA_KEY_BYTES_MAX);
}

status set_data(physics_world *world, const data_set_args *set, data_set_result *out, error *err)
{
    if (set->key == NULL) {
        return missing_key(err);
    }
    status s = data_version_check(set->key, set->has_version, set->version,
                                  version_of(world, set->key), err);
    return s == STATUS_OK
               ? world_data_set(world, set->key, set->value, set->value_size, &out->version, err)
               : s;
}

status remove_data(physics_world *world, const data_remove_args *remove, error *err)
{
    if (remove->key == NULL) {
        return missing_key(err);
    }
    status s = data_version_check(remove->key, remove->has_version, remove->version,
                                  version_of(world, remove->key), err);
    return s == STATUS_OK ? world_data_remove(world, remove->key, err) : s;
}

// ---- reading

// The indices of the requested keys: [*from, *end).
static void find_range(const physics_world *world, const data_get_args *get, uint32_t *from,
                       uint32_t *end)
{
    const char *prefix = get->key != NULL ? get->key : get->prefix != NULL ? get->prefix : "";
    const uint32_t keys = world_data_count(world).keys;
    uint32_t last = *from = world_data_from(world, prefix);
    while (last < keys) {
        const world_datum d = world_data_at(world, last);
        const bool found = get->key != NULL ? strcmp(d.key, get->key) == 0
                                            : strncmp(d.key, prefix, strlen(prefix)) == 0;
        if (!found) {
            break;
        }
        last++;
    }
    *end = last;
}

static world_datum copy_of(const world_datum *d, command_memory **memory)
{
    uint8_t *value = command_memory_take(memory, d->value_size, 1);
    memcpy(value, d->value, d->value_size);
    return (world_datum){command_memory_text(memory, d->key, strlen(d->key)), value, d->value_size,
                         d->version};
}

void read_data(const physics_world *world, const data_get_args *get, data_result *out,
               command_memory **memory)
{
    uint32_t from = 0;
    uint32_t end = 0;
    find_range(world, get, &from, &end);
    out->count = end - from;
    out->rows = command_memory_take(memory, out->count, sizeof *out->rows);
    for (uint32_t i = from; i < end; i++) {
        const world_datum d = world_data_at(world, i);
        out->rows[i - from] = copy_of(&d, memory);
    }
}
