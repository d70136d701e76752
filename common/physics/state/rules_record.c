// A world's rules; see common/physics/rules.h. The world's thread.
#include "common/physics/state/rules_record.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/state/hash_rows.h"
#include "common/physics/state/world.h"

void rules_deinit(rules_record *r)
{
    free(r->bytes);
    *r = (rules_record){0};
}

void rules_replace(rules_record *r, const uint8_t *bytes, size_t size)
{
    ASSERT(size <= WORLD_RULES_BYTES_MAX);
    uint8_t *copy = NULL;
    if (size > 0) {
        copy = malloc(size);
        ASSERT_MEMORY(copy != NULL);
        memcpy(copy, bytes, size);
    }
    rules_deinit(r);
    *r = (rules_record){copy, (uint32_t)size};
}

void rules_copy(rules_record *to, const rules_record *from)
{
    const bool same = to->size == from->size &&
                      (from->size == 0 || memcmp(to->bytes, from->bytes, from->size) == 0);
    if (!same) {
        rules_replace(to, from->bytes, from->size);
    }
}

uint64_t rules_hash(const rules_record *r)
{
    if (r->size == 0) {
        return 0;
    }
    const uint64_t bytes = hash_bytes(BYTES_RULES, r->bytes, r->size);
    return fold_end(fold_add(fold_start(ROW_RULES, r->size, 0), 1, fold_of_words(bytes, 0)));
}

status world_set_rules(physics_world *world, const uint8_t *bytes, size_t size, error *err)
{
    if (size > WORLD_RULES_BYTES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "the rules of a world have at most %d bytes, got %zu",
                         WORLD_RULES_BYTES_MAX, size);
    }
    rules_replace(&world->rules, bytes, size);
    return STATUS_OK;
}

const uint8_t *world_rules(const physics_world *world, size_t *size)
{
    *size = world->rules.size;
    return world->rules.bytes;
}
