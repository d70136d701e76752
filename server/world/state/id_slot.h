// The slot of a body's or joint's id: its place in tables that hold at most one entry for each
// slot (rows of snapshots, joints, bodies of sessions). Ids never come back, slots do. Any thread.
#ifndef CAROM_SERVER_WORLD_STATE_ID_SLOT_H
#define CAROM_SERVER_WORLD_STATE_ID_SLOT_H

#include <stdint.h>

enum { ID_SLOT_MASK = 0xFFFFFF }; // the low 24 bits of an id are its slot + 1

// `id` is not 0: no body has that id.
static inline uint32_t id_slot(uint64_t id)
{
    return (uint32_t)(id & ID_SLOT_MASK) - 1;
}

#endif
