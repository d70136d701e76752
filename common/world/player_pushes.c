// Sums of impulses by subject and body, found by hash with open addressing; see players.h. The
// world's thread.
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/world/players_internal.h"

enum { TABLE_LEAST = 64 };

void player_pushes_deinit(player_pushes *p)
{
    array_free(&p->sums);
    array_free(&p->pending);
    free(p->table);
    *p = (player_pushes){0};
}

void player_pushes_clear(player_pushes *p)
{
    if (p->sums.count > 0) {
        array_clear(&p->sums);
        memset(p->table, 0, p->table_size * sizeof *p->table);
    }
}

// FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
uint64_t player_pushes_subject(const char *subject)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *subject != '\0'; subject++) {
        hash = (hash ^ (uint8_t)*subject) * UINT64_C(1099511628211);
    }
    return hash;
}

// The place in the table of the pair, or the free one where it would be.
static uint32_t place_of(const player_pushes *p, body_id body, uint64_t subject)
{
    uint64_t hash = (body ^ subject) * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(hash >> 32) & (p->table_size - 1);
    while (p->table[at] != 0) {
        const player_push *sum = &p->sums.data[p->table[at] - 1];
        if (sum->body == body && sum->subject == subject) {
            break;
        }
        at = (at + 1) & (p->table_size - 1);
    }
    return at;
}

player_push player_pushes_find(const player_pushes *p, body_id body, uint64_t subject)
{
    const player_push none = {.body = body, .subject = subject};
    if (p->sums.count == 0) {
        return none;
    }
    const uint32_t at = place_of(p, body, subject);
    return p->table[at] != 0 ? p->sums.data[p->table[at] - 1] : none;
}

static void grow(player_pushes *p)
{
    const uint32_t size = p->table_size == 0 ? TABLE_LEAST : 2 * p->table_size;
    uint32_t *table = calloc(size, sizeof *table);
    ASSERT_MEMORY(table != NULL);
    free(p->table);
    p->table = table;
    p->table_size = size;
    for (uint32_t i = 0; i < p->sums.count; i++) {
        p->table[place_of(p, p->sums.data[i].body, p->sums.data[i].subject)] = i + 1;
    }
}

static void add(player_pushes *p, const player_push *more)
{
    if (2 * (p->sums.count + 1) > p->table_size) { // at least half of the table is free
        grow(p);
    }
    const uint32_t at = place_of(p, more->body, more->subject);
    if (p->table[at] == 0) {
        array_push(&p->sums, *more);
        p->table[at] = p->sums.count;
        return;
    }
    player_push *sum = &p->sums.data[p->table[at] - 1];
    sum->linear += more->linear;
    sum->angular += more->angular;
}

void player_pushes_commit(player_pushes *p, const command_result *result)
{
    for (uint32_t i = 0; i < p->pending.count; i++) {
        player_push more = p->pending.data[i];
        if (command_id_is_reference(more.body)) {
            ASSERT(result->method == METHOD_WORLD_APPLY &&
                   command_id_index(more.body) < result->batch.count);
            more.body = command_result_made(&result->batch.results[command_id_index(more.body)]);
        }
        add(p, &more);
    }
    array_clear(&p->pending);
}
