// Slabs that double up to a mebibyte; see packed_pool.h. One thread at a time.
#include "proto/packed/packed_pool.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES_FIRST = 8 };

_Static_assert(PIECES_FIRST * 2 * sizeof(packed_axes) + 64 <= PACKED_SLAB_BYTES_LEAST,
               "the first slab has room for that");

typedef struct packed_slab {
    struct packed_slab *next;
    uint32_t pieces;
    alignas(packed_axes) unsigned char data[];
} packed_slab;

static size_t piece_bytes(int groups)
{
    return (size_t)groups * sizeof(packed_axes);
}

bool packed_pool_reserve(packed_pool *p, int groups, uint32_t pieces)
{
    if (pieces == 0) {
        return true;
    }
    const size_t bytes = sizeof(packed_slab) + pieces * piece_bytes(groups);
    packed_slab *slab = malloc(bytes);
    if (slab == NULL) {
        return false;
    }
    slab->next = p->slabs;
    slab->pieces = pieces;
    p->slabs = slab;
    p->fresh = slab->pieces;
    p->room += slab->pieces;
    p->bytes += bytes;
    return true;
}

static bool add_slab(packed_pool *p, int groups)
{
    const size_t most = PACKED_SLAB_BYTES_MAX / piece_bytes(groups);
    const size_t twice = p->slabs != NULL ? 2 * (size_t)p->slabs->pieces : 0;
    const size_t wanted = twice > PIECES_FIRST ? twice : PIECES_FIRST;
    return packed_pool_reserve(p, groups, (uint32_t)(wanted < most ? wanted : most));
}

packed_axes *packed_pool_take(packed_pool *p, int groups)
{
    void *piece = p->free;
    if (piece != NULL) {
        memcpy(&p->free, piece, sizeof p->free);
    } else {
        if (p->fresh == 0 && !add_slab(p, groups)) {
            return NULL;
        }
        p->fresh--;
        piece = p->slabs->data + p->fresh * piece_bytes(groups);
    }
    p->used++;
    return memset(piece, 0, piece_bytes(groups));
}

void packed_pool_put(packed_pool *p, packed_axes *axes)
{
    if (axes != NULL) {
        memcpy(axes, &p->free, sizeof p->free);
        p->free = axes;
        p->used--;
    }
}

void packed_pool_deinit(packed_pool *p)
{
    while (p->slabs != NULL) {
        packed_slab *next = p->slabs->next;
        free(p->slabs);
        p->slabs = next;
    }
    *p = (packed_pool){0};
}
