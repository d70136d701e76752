// A world's rules; see common/physics/rules.h. Internal to physics.
#ifndef CAROM_COMMON_PHYSICS_STATE_RULES_RECORD_H
#define CAROM_COMMON_PHYSICS_STATE_RULES_RECORD_H

#include "common/physics/rules.h"

typedef struct rules_record {
    uint8_t *bytes; // owned; NULL: none
    uint32_t size;
} rules_record;

void rules_deinit(rules_record *r);
// Makes `to` equal to `from`; equal rules keep their memory.
void rules_copy(rules_record *to, const rules_record *from);
// Replaces the bytes by a copy of these, at most WORLD_RULES_BYTES_MAX.
void rules_replace(rules_record *r, const uint8_t *bytes, size_t size);
// The row of the state hash; 0 without rules.
uint64_t rules_hash(const rules_record *r);

#endif
