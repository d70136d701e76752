// Work that is done in pieces over the turns of one thread, dealt by subject.
//
// A job is a struct of the caller's with a turn_job in it, and a function that does a piece: it
// works until the slice that it is given is over, and says whether it is done. The jobs of one
// subject are done one after another, in the order in which they came. Among subjects the one goes
// next whose work has taken least (shares.h), so that somebody with a thousand jobs makes somebody
// with one job wait for no more than a slice.
//
//     struct listing { turn_job job; … };
//     static job_progress list_some(turn_job *job, const turn *slice)
//     {
//         struct listing *l = (struct listing *)job; // `job` is its first member
//         while (…) {
//             …a few rows…
//             if (turn_over(slice)) {
//                 return JOB_GOES_ON;
//             }
//         }
//         free(l); // after its last piece the job is the caller's again
//         return JOB_DONE;
//     }
//     turn_queue_add(&queue, &l->job, list_some, subject);
//     …each time round:  turn t = turn_begin(clock_now_ns, TURN_NS);
//                        bool more = turn_queue_run(&queue, &t);
//
// Bounded by the `most` of turn_queue_init. One thread.
#ifndef CAROM_SERVER_SCHEDULE_TURN_QUEUE_H
#define CAROM_SERVER_SCHEDULE_TURN_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "server/schedule/shares.h"
#include "server/schedule/turn.h"

typedef struct turn_job turn_job;

typedef enum job_progress { JOB_GOES_ON, JOB_DONE } job_progress;

// Does a piece, until the slice is over.
typedef job_progress job_function(turn_job *job, const turn *slice);

struct turn_job {
    job_function *run; // NULL: it does not wait
    share *of;
    turn_job *next, *previous; // of its subject
};

typedef struct turn_queue {
    shares shares;
    ARRAY(share *) waiting; // a heap: subjects with jobs, the one on top that has used least
    turn_job *running;      // NULL: none, or it was removed meanwhile
    share *serving;         // whose job runs
    uint32_t count, most;   // jobs
    uint64_t cuts;          // turns that ended before the jobs did, ever
    int64_t longest_ns;     // piece, ever
} turn_queue;

void turn_queue_init(turn_queue *q, uint32_t most);
// It is empty.
void turn_queue_deinit(turn_queue *q);

// The job waits for its turns. False: there are `most` already. It must not move while it is in the
// queue.
bool turn_queue_add(turn_queue *q, turn_job *job, job_function *run, uint64_t subject);

// The job ends before it is done; allowed while it runs too, which then has to say JOB_DONE. Does
// nothing for a zeroed job, or for one that is done.
void turn_queue_remove(turn_queue *q, turn_job *job);

// Whether the job waits; it does not while it runs.
static inline bool turn_job_queued(const turn_job *job)
{
    return job->run != NULL;
}

// Runs jobs until the turn is over: a piece in any case. Returns whether jobs are left.
bool turn_queue_run(turn_queue *q, const turn *t);

#endif
