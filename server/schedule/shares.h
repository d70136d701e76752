// Time dealt by subject: whoever has used least of it goes next.
//
// A subject is a number that the caller chooses for whom work counts: a token's subject, an
// address, a session, a world. Each has a share, which is charged with what its work took. Those
// who wait are compared by what they used; `shares_serve` says who goes next, and nobody is below
// it from then on: time that a subject did not want earlier gives it no claim on time that others
// need now (start-time fair queueing: Goyal, Vin, Cheng 1996). A subject that has used more than
// that is remembered after it has left, so that it gains nothing by leaving and coming back.
//
// Bounded by the subjects that hold a share, and those remembered: the table drops the others
// whenever it has doubled. One thread.
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
    // Of a turn_queue alone: the jobs of the subject, in order, and whether it waits with them.
    struct turn_job *first, *last;
    bool waits;
} share;

typedef struct shares {
    ARRAY(share *) list; // by ascending subject
    int64_t floor_ns;    // what the one that was served last had used: nobody is below
    int64_t most_ns;     // that one has used
    uint32_t purge_at;   // count at which those that need not be remembered are dropped
} shares;

// A zeroed struct is an empty table. Nobody holds a share any more.
void shares_deinit(shares *s);

// The subject's share, held once more. It stays where it is until as many have let go of it.
share *shares_hold(shares *s, uint64_t subject);
void shares_release(shares *s, share *one);

// The time that it has used, as others are compared with it. It grows; differences alone have a
// meaning.
int64_t shares_used(const shares *s, const share *one);

// Its work took so long.
void shares_charge(shares *s, share *one, int64_t ns);

// Nobody waits: nobody owes anything any more.
void shares_forgive(shares *s);

// It goes next: of those who wait, it has used least.
void shares_serve(shares *s, const share *one);

#endif
