// Shared by the files of this folder. Network thread only.
#ifndef CAROM_SERVER_SESSION_PAIR_INTERNAL_H
#define CAROM_SERVER_SESSION_PAIR_INTERNAL_H

#include <uv.h>

#include "common/base/array.h"
#include "server/fleet/fleet.h"
#include "server/fleet/peer.h"
#include "server/session/pair/pairs.h"
#include "server/session/pair/shipped.h"

// Messages of a link. Numbers are little-endian; the world's is its epoch.
typedef enum pair_message {
    // From the primary: u64 world, u64 sequence, u64 tick, u64 hash, u64 bytes of the image, u64
    // revision of the record, u32 size of the name and itself, u32 size of the record and itself
    PAIR_OFFER = 1,
    PAIR_PIECE,   // u64 world; bytes of its image
    PAIR_ENTRY,   // u64 world, u64 sequence, u64 tick; the entry (world_log.h)
    PAIR_END,     // u64 world, u64 sequence
    PAIR_NAMED,   // u64 world, u64 revision; the record
    PAIR_SESSION, // a record of the session store
    // From the standby:
    PAIR_ACKNOWLEDGE, // u64 world, u64 sequence, u64 term
    PAIR_REFUSE,      // u64 world; why, as text
    PAIR_MESSAGE_COUNT
} pair_message;

enum {
    PAIR_OFFER_BYTES = 48, // before the texts
    PAIR_PIECE_HEAD_BYTES = 8,
    PAIR_ENTRY_HEAD_BYTES = 24,
    PAIR_END_BYTES = 16,
    PAIR_NAMED_HEAD_BYTES = 16,
    PAIR_ACKNOWLEDGE_BYTES = 24
};

struct pair;
struct remote;
struct follower;
struct source;

struct pairs {
    struct server *server;
    peers *peers;
    uv_async_t wake; // from worlds' threads: their feeds have items
    uv_timer_t pulse;
    ARRAY(struct pair *) list;          // worlds of this server
    ARRAY(struct remote *) remotes;     // links that this server dialled
    ARRAY(struct follower *) followers; // worlds that this server follows
    ARRAY(struct source *) sources;     // links that other servers dialled, while they matter
    bool closing;
    uint32_t handles;
    void (*closed)(void *context);
    void *context;
};

// ---- followers.c: the standby's side

void followers_up(pairs *p, peer_link *link);
void followers_received(pairs *p, peer_link *link, pair_message kind, const uint8_t *bytes,
                        size_t size);
void followers_ended(pairs *p, peer_link *link, const char *why);
void followers_acted(pairs *p, const char *world, const ownership_action *action,
                     const ownership *o);
bool followers_have(const pairs *p, const char *world);
// Frees what no thread works on.
void followers_close(pairs *p);
uint32_t followers_busy(const pairs *p);
void pairs_check_closed(pairs *p);

#endif
