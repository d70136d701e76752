// Fair shares of time among subjects: the one that has used the least goes next.
//
// A subject is a number that stands for a token's subject, an address, a session or a world. Each
// has a share, which is charged with the time of its work. Waiting subjects are compared by the
// time used. `shares_serve` records the one that goes next, and from then on everyone counts as
// having used at least as much: a subject that was idle earlier gains no claim on time that others
// need now (start-time fair queueing: Goyal, Vin, Cheng 1996). A subject above that level is
// remembered after it has left, so that it gains nothing by leaving and coming back.
//
// Bounded by the subjects with a share and those remembered: the table drops the others whenever it
// has doubled. One thread.
#ifndef CAROM_SERVER_SCHEDULE_SHARES_H
#define CAROM_SERVER_SCHEDULE_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"

struct turn_job;

typedef struct share {
    uint64_t subject;
    int64_t used_ns;
    uint32_t holders;
    // Used only by turn_queue: the subject's jobs, in order, and whether it is in the heap.
    struct turn_job *first, *last;
    bool waits;
} share;

typedef struct shares {
    ARRAY(share *) list; // in ascending order of subjects
    int64_t floor_ns;    // time used by the last one served: the least that anyone counts
    int64_t most_ns;     // the largest time used
    uint32_t purge_at;   // size at which unneeded shares are dropped
} shares;

// Frees the table; no share may have holders. A zeroed struct is an empty table.
void shares_deinit(shares *s);

// Returns the subject's share with one more reference. Its address is stable until all references
// are released.
share *shares_hold(shares *s, uint64_t subject);
void shares_release(shares *s, share *one);

// The time used, for comparison with other shares. It grows; only differences have a meaning.
int64_t shares_used(const shares *s, const share *one);

// Adds the time of the subject's work.
void shares_charge(shares *s, share *one, int64_t ns);

// Clears all debts, because no subject waits.
void shares_forgive(shares *s);

// Records that `one` goes next: of the waiting subjects it has used the least.
void shares_serve(shares *s, const share *one);

#endif
