// Bytes that a world only keeps: its rules (common/physics/rules.h) and its seats (seats.h).
// Internal to physics.
#ifndef CAROM_COMMON_PHYSICS_STATE_KEPT_RECORD_H
#define CAROM_COMMON_PHYSICS_STATE_KEPT_RECORD_H

#include "common/physics/rules.h"
#include "common/physics/seats.h"

typedef enum kept_kind { KEPT_RULES, KEPT_SEATS } kept_kind;

typedef struct kept_record {
    uint8_t *bytes; // owned; NULL: none
    uint32_t size;
    uint64_t hash; // the row of the state hash; 0 without bytes
} kept_record;

void kept_deinit(kept_record *r);
// Makes `to` equal to `from`. Does not touch the memory if they are equal already.
void kept_copy(kept_record *to, const kept_record *from);
// Replaces the bytes by a copy of these, at most the kind's maximum.
void kept_replace(kept_record *r, kept_kind kind, const uint8_t *bytes, size_t size);

#endif
