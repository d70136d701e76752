// The output of one connection: a queue of referenced byte blocks, and how much of it is written.
//
// Small messages are gathered in blocks of their own, so that a thousand answers are a few writes;
// large and shared ones are queued by reference and never copied. Invariant: a block's memory does
// not move while it is in the queue, so the spans that outbox_peek gives stay valid until they are
// consumed, whatever is added meanwhile.
//
// Knows no socket. One thread at a time: that of its connection. Outboxes of several threads may
// share blocks.
#ifndef CAROM_SERVER_NET_OUTBOX_H
#define CAROM_SERVER_NET_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/array.h"
#include "server/base/bytes.h"

typedef struct outbox_block {
    shared_bytes *data;
    size_t begin;    // of what is not written yet
    bool gathering;  // further small messages may be appended
    bool unfinished; // its last message goes on in the next block
    uint64_t token;  // told when the block is written; 0: no one asks
} outbox_block;

typedef struct outbox {
    ARRAY(outbox_block) blocks;
    uint32_t first; // blocks before it are gone
    size_t size;    // bytes not written yet
} outbox;

typedef struct outbox_span {
    uint8_t *data; // not to be written to; not const because that is how sockets want it
    size_t size;
} outbox_span;

typedef void (*outbox_written)(void *context, uint64_t token);

// The memory of all blocks that outboxes hold, each counted once. Any thread.
uint64_t outbox_held_bytes(void);

void outbox_init(outbox *o);
void outbox_deinit(outbox *o); // drops what is left, without telling

// Appends a copy. `unfinished`: the message goes on with what is added next.
void outbox_copy(outbox *o, const void *data, size_t size, bool unfinished);

// Appends a block that ends a message; takes over the caller's reference. Not empty.
void outbox_share(outbox *o, shared_bytes *data, uint64_t token);

// The next spans to write, at most `max`; returns how many.
uint32_t outbox_peek(const outbox *o, outbox_span *spans, uint32_t max);

// The next blocks, at most `max`, each with a reference of the caller's, which may be another
// thread: nobody changes them any more. None of them may be written in part. Returns how many, and
// their bytes.
uint32_t outbox_hand_over(outbox *o, shared_bytes **blocks, uint32_t max, size_t *size);

// So many bytes from the front were written. Tells the token of each block that is done.
void outbox_consume(outbox *o, size_t size, outbox_written written, void *context);

// Drops every message that has no byte written and none among the first `busy` bytes, which are
// being written. The rest ends with a whole message. Tokens of dropped blocks are not told.
void outbox_cut(outbox *o, size_t busy);

#endif
