// A world's rules and seats; see common/physics/rules.h and seats.h. The hash is made when the
// bytes change, not when the world is hashed, which happens in every tick. The world's thread.
#include "common/physics/state/kept_record.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/state/hash_rows.h"
#include "common/physics/state/world.h"

void kept_deinit(kept_record *r)
{
    free(r->bytes);
    *r = (kept_record){0};
}

static uint64_t hash_of(kept_kind kind, const uint8_t *bytes, size_t size)
{
    const bool rules = kind == KEPT_RULES;
    const uint64_t hash = hash_bytes(rules ? BYTES_RULES : BYTES_SEATS, bytes, size);
    const fold_words row = fold_start(rules ? ROW_RULES : ROW_SEATS, size, 0);
    return fold_end(fold_add(row, 1, fold_of_words(hash, 0)));
}

// Takes over the bytes.
static void set(kept_record *r, uint8_t *bytes, size_t size, uint64_t hash)
{
    kept_deinit(r);
    *r = (kept_record){bytes, (uint32_t)size, hash};
}

static uint8_t *copy_of(const uint8_t *bytes, size_t size)
{
    if (size == 0) {
        return NULL;
    }
    uint8_t *copy = malloc(size);
    ASSERT_MEMORY(copy != NULL);
    memcpy(copy, bytes, size);
    return copy;
}

void kept_replace(kept_record *r, kept_kind kind, const uint8_t *bytes, size_t size)
{
    ASSERT(size <= (kind == KEPT_RULES ? WORLD_RULES_BYTES_MAX : WORLD_SEATS_BYTES_MAX));
    uint8_t *copy = copy_of(bytes, size);
    set(r, copy, size, size > 0 ? hash_of(kind, copy, size) : 0);
}

void kept_copy(kept_record *to, const kept_record *from)
{
    const bool same = to->size == from->size &&
                      (from->size == 0 || memcmp(to->bytes, from->bytes, from->size) == 0);
    if (!same) {
        set(to, copy_of(from->bytes, from->size), from->size, from->hash);
    }
}

status world_set_rules(physics_world *world, const uint8_t *bytes, size_t size, error *err)
{
    if (size > WORLD_RULES_BYTES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "the rules of a world have at most %d bytes, got %zu",
                         WORLD_RULES_BYTES_MAX, size);
    }
    kept_replace(&world->rules, KEPT_RULES, bytes, size);
    return STATUS_OK;
}

const uint8_t *world_rules(const physics_world *world, size_t *size)
{
    *size = world->rules.size;
    return world->rules.bytes;
}

status world_set_seats(physics_world *world, const uint8_t *bytes, size_t size, error *err)
{
    if (size > WORLD_SEATS_BYTES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "the seats of a world have at most %d bytes, got %zu",
                         WORLD_SEATS_BYTES_MAX, size);
    }
    kept_replace(&world->seats, KEPT_SEATS, bytes, size);
    return STATUS_OK;
}

const uint8_t *world_seats_bytes(const physics_world *world, size_t *size)
{
    *size = world->seats.size;
    return world->seats.bytes;
}
