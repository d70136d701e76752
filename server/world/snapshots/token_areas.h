// The areas of a token: all that the subscriptions of its bearer may show.
//
// A subscription's own area lies within one of them when it begins, but a margin reaches beyond it
// and a body that it follows goes anywhere. So what a view shows is cut with these each time. NULL
// stands for a bearer who may see everything.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_TOKEN_AREAS_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_TOKEN_AREAS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/world/command.h"

typedef struct sight {
    uint32_t references;
    uint32_t count;
    area areas[];
} sight;

// A copy; NULL for none.
sight *sight_create(const area *areas, uint32_t count);
sight *sight_ref(sight *s); // NULL is allowed, and stays NULL
void sight_unref(sight *s); // so here

// Whether a place may be seen.
bool sight_has(const sight *s, vec2d place);

// The parts of `a` that may be seen: calls for how many there are, then for each. Without a sight
// it is `a` itself. False where part `index` is empty.
uint32_t sight_parts(const sight *s);
bool sight_part(const sight *s, const area *a, uint32_t index, area *out);

// Order by content.
int sight_compare(const sight *a, const sight *b);

#endif
