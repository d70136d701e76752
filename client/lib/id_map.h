// A map from ids to indices of an array: open addressing with linear probing; removal moves later
// entries back, so that there are no tombstones and a map at its working size needs no rebuilding.
//
// It is never iterated, so its order has no effect. Ids are not 0.
#ifndef CAROM_CLIENT_LIB_ID_MAP_H
#define CAROM_CLIENT_LIB_ID_MAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct id_slot {
    uint64_t id; // 0: free
    uint32_t place;
} id_slot;

typedef struct id_map {
    id_slot *slots;
    uint32_t capacity; // a power of two, or 0; at most 3/4 are used
    uint32_t count;
} id_map;

void id_map_deinit(id_map *m);
void id_map_clear(id_map *m);

// False if the map does not have the id.
bool id_map_find(const id_map *m, uint64_t id, uint32_t *place);

// Makes room for `count` ids in total; false when memory has run out.
bool id_map_reserve(id_map *m, uint64_t count);

// Sets the place of an id, new or not. A new id needs room (id_map_reserve).
void id_map_put(id_map *m, uint64_t id, uint32_t place);
void id_map_remove(id_map *m, uint64_t id);

#endif
