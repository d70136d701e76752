// The account of the process's memory: its uses and its holders.
//
// Code that is about to take memory on a client's behalf asks first (memory_take) and is refused
// with limit_exceeded if the process reaches its bound (--memory) or a holder its own
// (limits.holder_bytes). Memory that cannot be refused, because it follows from work admitted
// before, is recorded after its allocation (memory_note), and so is every free. So the account is
// exact for what it covers: a use is at zero once all of its memory is freed, which memory_end
// asserts.
//
// The bound is on the process, and the account covers a part of it: code, stacks, sockets' buffers
// and fragments belong to no use. Memory in use is therefore the larger of two figures: the
// account's sum, and the resident set (read again when it is older than some milliseconds) with
// the memory taken since. A part of the bound is kept for unaccounted memory.
//
// One account for the process, of relaxed atomics: two threads that ask at once may both get the
// last bytes. Any thread.
#ifndef CAROM_SERVER_BASE_MEMORY_H
#define CAROM_SERVER_BASE_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/block.h"
#include "common/base/status.h"

// X(name, what it counts)
#define MEMORY_TABLE(X)                                                                            \
    X(worlds, "bodies, shapes, joints, contacts, what steps work with, tables of snapshots")       \
    X(making, "images and worlds that are being made of them, until they count as worlds")         \
    X(views, "packed streams, budgets, and what each subscription takes")                          \
    X(commands, "requests that wait in the server, as they lie in memory")                         \
    X(input,                                                                                       \
      "messages that have not come whole, and large ones until another thread decoded them")       \
    X(sessions, "sessions, detached ones included")                                                \
    X(output, "output that connections have not taken, shared bytes counted once")                 \
    X(standbys,                                                                                    \
      "logs on their way to a standby, and images, logs and sessions that a standby keeps")        \
    X(returning, "messages that were handled, on their way to the thread that frees them")

typedef enum memory_use {
#define MEMORY_ID(name, doc) MEMORY_##name,
    MEMORY_TABLE(MEMORY_ID)
#undef MEMORY_ID
        MEMORY_USES
} memory_use;

// Whose memory is counted together: all connections of a subject or an address, or one connection.
typedef struct memory_holder {
    atomic_uint references;
    atomic_int_least64_t bytes;
} memory_holder;

memory_holder *memory_holder_create(void);          // has one reference
memory_holder *memory_holder_ref(memory_holder *h); // NULL stays NULL
void memory_holder_unref(memory_holder *h);         // NULL does nothing

uint64_t memory_holder_bytes(const memory_holder *h); // NULL: 0

// Sets the bounds: of the process (0: none) and of each holder.
void memory_begin(uint64_t bytes, uint64_t holder_bytes);
uint64_t memory_bound(void);

// Counts `bytes` more if the bounds allow them. `who` may be NULL: no holder. Errors:
// STATUS_LIMIT_EXCEEDED with the bound's name, the memory in use and a way out; nothing is counted
// then.
status memory_take(memory_use use, memory_holder *who, uint64_t bytes, error *err);
// Like memory_take, without counting.
status memory_ask(const memory_holder *who, uint64_t bytes, error *err);
// Counts an allocation, or (negative) a free, without a check.
void memory_note(memory_use use, memory_holder *who, int64_t bytes);

// One changing charge to the account: the memory of one thing now. A zeroed charge is 0 bytes of no
// holder.
typedef struct memory_charge {
    memory_use use;
    memory_holder *who; // a reference; NULL: no holder
    uint64_t bytes;
} memory_charge;

void memory_charge_begin(memory_charge *c, memory_use use, memory_holder *who);
// Sets the charge to `bytes`. A higher charge needs memory_take to allow it, and stays as it was on
// an error.
status memory_charge_set(memory_charge *c, uint64_t bytes, error *err);
void memory_charge_note(memory_charge *c, uint64_t bytes);
// Moves the charge to another holder, without a check.
void memory_charge_move(memory_charge *c, memory_holder *to);
void memory_charge_end(memory_charge *c);

// Creates a world's account, for block_charge. Its blocks count as MEMORY_worlds too.
block_account *memory_world_begin(void);
// Frees the account; all of its blocks must be freed. NULL does nothing.
void memory_world_end(block_account *world);

uint64_t memory_of(memory_use use);
const char *memory_use_name(memory_use use);  // "worlds"
const char *memory_stat_name(memory_use use); // "memory_worlds"
const char *memory_use_doc(memory_use use);
// Memory in use, as memory_take computes it; without a bound, the account's sum.
uint64_t memory_used(void);

// memory_trim returns free heap memory to the system. It takes some milliseconds: call it on a
// thread that nobody waits for. It is due when the account's sum is far below the highest one that
// calls of memory_trim_due have seen since the last trim. One thread at a time.
bool memory_trim_due(void);
void memory_trim(void);

// Asserts at the server's end that every use is at zero (debug builds and sanitizers).
void memory_end(void);

// Formats bytes as "177 B", "1.5 kB", "1.5 MB", "1500 MB", "15.0 GB".
enum { MEMORY_TEXT_MAX = 24 };
const char *memory_text(uint64_t bytes, char out[MEMORY_TEXT_MAX]);

// The machine's memory, or the least bound of the process's control groups and their ancestors
// (version 1 or 2), if less. `root` stands for "/": "" except in tests. 0 if unknown.
uint64_t memory_of_machine(const char *root);

#endif
