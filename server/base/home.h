// Homes: memory that one thread allocated and another has finished with goes back to be freed where
// it came from.
//
// The heap keeps a part with a lock of its own (an arena) for each thread, and frees a piece under
// the lock of the arena that it came from. If a thread frees pieces of another one's arena, the
// other waits for that lock, and for as long as the system gives the processor to another thread
// while the lock is held: the network thread would wait for an own thread of lower priority
// (own_thread.h). So each thread takes only its own arena's lock. A message that has crossed to
// another thread is pushed onto its maker's list, without a lock, and the maker frees it in a later
// turn.
//
// A thread without a home (a worker of libuv's pool, a test) frees at once, and so does any thread
// with what a thread without a home made, or one that has ended. Large pieces are mappings, which
// need no arena's lock: they are freed at once, too.
//
// Bounded: a list has at most what its thread made and gave away, which the queues bound; the
// account of memory counts it as `returning` (memory.h).
//
// The list is Treiber's stack, taken as a whole (R. K. Treiber, Systems Programming: Coping with
// Parallelism, IBM RJ 5118, 1986).
#ifndef CAROM_SERVER_BASE_HOME_H
#define CAROM_SERVER_BASE_HOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct home;

// A member of each struct that goes home.
typedef struct homing {
    struct homing *next;
    struct home *home; // NULL: any thread frees it
    void (*destroy)(struct homing *h);
    size_t bytes; // set on its way home
} homing;

enum {
    HOME_PIECE_MAX = 1 << 20, // larger pieces are freed where they are; the heap maps them
    HOME_COLLECT_LEAST = 1024 // a call of home_collect frees so many: a tenth of a millisecond
};

// Gives the calling thread, which has none, a home.
void home_begin(void);
// Frees the messages that have come home; later ones are freed by the thread that finishes with
// them. Without a home it does nothing.
void home_end(void);

// Call on the thread that makes the message. `bytes`: its memory, as far as that is known.
// `destroy` frees it, on any thread.
void homing_begin(homing *h, size_t bytes, void (*destroy)(homing *h));
// Call on the thread that needs it no more: destroys it, or sends it home. `bytes`: about its
// memory.
void homing_end(homing *h, size_t bytes);

// Frees memory that has come home to the calling thread: HOME_COLLECT_LEAST, and twice as much as
// the thread made since the last call, so that a busy thread falls behind by at most one call.
// Returns whether some is left for the next one.
bool home_collect(void);
// Whether something that the calling thread made is still away.
bool home_misses(void);

// Bytes on their way home, of all threads. Any thread.
int64_t home_bytes(void);

#endif
