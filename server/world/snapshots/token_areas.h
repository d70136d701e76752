// The areas of a token: the part of a world that its bearer's subscriptions may show.
//
// A subscription's own area lies within one of them when it begins, but its margin reaches beyond
// it, and a body that it follows goes anywhere. So each snapshot intersects the view with them.
// NULL means that the bearer may see everything.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_TOKEN_AREAS_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_TOKEN_AREAS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/world/command.h"

typedef struct token_areas {
    uint32_t references;
    uint32_t count;
    area areas[];
} token_areas;

// A copy; NULL for none.
token_areas *token_areas_create(const area *areas, uint32_t count);
token_areas *token_areas_ref(token_areas *s); // NULL is allowed, and stays NULL
void token_areas_unref(token_areas *s);       // NULL is allowed

// Whether a place may be seen.
bool token_areas_has(const token_areas *s, vec2d place);

// The visible parts of `a`: the first function returns their number, the second each of them.
// Without token areas the one part is `a` itself. False if part `index` is empty.
uint32_t token_areas_parts(const token_areas *s);
bool token_areas_part(const token_areas *s, const area *a, uint32_t index, area *out);

// Order by content.
int token_areas_compare(const token_areas *a, const token_areas *b);

#endif
