// The account of the process's memory: what it is used for and whose it is.
//
// Code that is about to take memory on a client's behalf asks first (memory_take) and is refused
// with limit_exceeded where the process has its bound (--memory), or a holder its own
// (limits.holder_bytes). Memory that cannot be refused, as it follows from what was let in before,
// is noted after it was made (memory_note), and so is all that is given back. So the account is
// exact for what it covers: a use is at zero when all that it counted is gone, which memory_end
// asserts.
//
// The bound is one on the process, of which the account sees a part: code, stacks, sockets' buffers
// and fragments are in no use. Memory in use is therefore the larger of two figures: the account's
// sum, and the resident set (read again when it is older than some milliseconds) with what was
// taken since. A part of the bound is left for what is not asked for.
//
// One account for the process, of relaxed atomics: two threads that ask at once may both be let in
// by the last bytes. Any thread.
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
    X(output, "output that connections have not taken, shared bytes counted once")

typedef enum memory_use {
#define MEMORY_ID(name, doc) MEMORY_##name,
    MEMORY_TABLE(MEMORY_ID)
#undef MEMORY_ID
        MEMORY_USES
} memory_use;

// Whose memory it is: that of all connections of a subject or an address, or of one connection.
typedef struct memory_holder {
    atomic_uint references;
    atomic_int_least64_t bytes;
} memory_holder;

memory_holder *memory_holder_create(void);          // one reference
memory_holder *memory_holder_ref(memory_holder *h); // NULL is allowed, and stays NULL
void memory_holder_unref(memory_holder *h);         // so here

uint64_t memory_holder_bytes(const memory_holder *h); // NULL: 0

// The bounds: of the process (0: none), and of each holder.
void memory_begin(uint64_t bytes, uint64_t holder_bytes);
uint64_t memory_bound(void);

// Whether that much more may be taken; then it counts. `who` may be NULL: nobody's. Errors:
// STATUS_LIMIT_EXCEEDED with the bound's name, what is in use, and how to get on; nothing counts.
status memory_take(memory_use use, memory_holder *who, uint64_t bytes, error *err);
// The same question alone.
status memory_ask(const memory_holder *who, uint64_t bytes, error *err);
// Counts what was taken, or (negative) given back, without a question.
void memory_note(memory_use use, memory_holder *who, int64_t bytes);

// A part of the account that changes: what one thing takes now. Zeroed, it is nobody's of nothing.
typedef struct memory_charge {
    memory_use use;
    memory_holder *who; // held; NULL: nobody's
    uint64_t bytes;
} memory_charge;

void memory_charge_begin(memory_charge *c, memory_use use, memory_holder *who);
// It takes so many bytes: more than before are asked for, as memory_take does; or not.
status memory_charge_set(memory_charge *c, uint64_t bytes, error *err);
void memory_charge_note(memory_charge *c, uint64_t bytes);
// It is another's from now on; nobody is asked.
void memory_charge_move(memory_charge *c, memory_holder *to);
void memory_charge_end(memory_charge *c);

// The account of a world, for block_charge. Its blocks count as memory for worlds too.
block_account *memory_world_begin(void);
// All of its blocks must have been given back. NULL is allowed.
void memory_world_end(block_account *world);

uint64_t memory_of(memory_use use);
const char *memory_use_name(memory_use use);  // "worlds"
const char *memory_stat_name(memory_use use); // "memory_worlds"
const char *memory_use_doc(memory_use use);
// Memory in use, as memory_take sees it; without a bound the account's sum.
uint64_t memory_used(void);

// Gives free memory of the heap back to the system: some milliseconds of a thread that nobody waits
// for. It is due when much less is counted than at the most of the times when this was asked since
// the last trim. One thread at a time.
bool memory_trim_due(void);
void memory_trim(void);

// The server has ended: nothing may be left but what still counts by itself.
void memory_end(void);

// "1.5 GB", "12 MB".
enum { MEMORY_TEXT_MAX = 24 };
const char *memory_text(uint64_t bytes, char out[MEMORY_TEXT_MAX]);

// The machine's memory, or the least that a control group (version 1 or 2) above the process
// allows, if that is less. `root` stands for "/": "" but in tests. 0 where the system does not
// tell.
uint64_t memory_of_machine(const char *root);

#endif
