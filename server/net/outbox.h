// The output of one connection: a queue of referenced byte blocks, and how much of it is written.
//
// Small messages are gathered in blocks of their own, so that a thousand answers are a few writes;
// large and shared ones are queued by reference and never copied. Invariant: a block's memory does
// not move while it is in the queue, so the spans that outbox_peek gives stay valid until they are
// consumed, whatever is added meanwhile.
//
// The outbox knows no socket. One thread at a time: that of its connection. Outboxes of several
// threads may share blocks.
#ifndef CAROM_SERVER_NET_OUTBOX_H
#define CAROM_SERVER_NET_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/array.h"
#include "server/base/bytes.h"

typedef struct outbox_block {
    shared_bytes *data;
    size_t begin;    // offset of the first unwritten byte
    bool gathering;  // further small messages may be appended
    bool unfinished; // its last message continues in the next block
    uint64_t token;  // reported when the block is written; 0: none
} outbox_block;

typedef struct outbox {
    ARRAY(outbox_block) blocks;
    uint32_t first; // blocks before it are gone
    size_t size;    // bytes not written yet
} outbox;

typedef struct outbox_span {
    uint8_t *data; // read-only; not const because sockets want it so
    size_t size;
} outbox_span;

typedef void (*outbox_written)(void *context, uint64_t token);

// Bytes of all blocks in outboxes, each block counted once. Any thread.
uint64_t outbox_held_bytes(void);

void outbox_init(outbox *o);
void outbox_deinit(outbox *o); // drops unsent blocks without reporting their tokens

// Appends a copy. `unfinished`: the message continues with the next bytes added.
void outbox_copy(outbox *o, const void *data, size_t size, bool unfinished);

// Appends a block that ends a message; takes over the caller's reference. Not empty.
void outbox_share(outbox *o, shared_bytes *data, uint64_t token);

// Writes the next spans to `spans`, at most `max`; returns their number.
uint32_t outbox_peek(const outbox *o, outbox_span *spans, uint32_t max);

// Passes on the next blocks, at most `max`, each with a reference for the caller, which may be
// another thread: nobody changes them any more. None of them may be partly written. Returns their
// number, and their bytes in *size.
uint32_t outbox_hand_over(outbox *o, shared_bytes **blocks, uint32_t max, size_t *size);

// Call when the first `size` bytes were written. Reports the token of each finished block.
void outbox_consume(outbox *o, size_t size, outbox_written written, void *context);

// Drops every message of which no byte is written and none is among the first `busy` bytes, which
// are being written. The outbox then ends with a complete message. Tokens of dropped blocks are not
// reported.
void outbox_cut(outbox *o, size_t busy);

#endif
