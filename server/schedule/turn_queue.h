// Work in pieces over the turns of one thread, shared fairly among subjects.
//
// A job is a struct of the caller's with a turn_job in it, and a function that does a piece: it
// works until its slice is over, and returns whether it is done. The subject that has used the
// least time (shares.h) goes next, so that a subject with a thousand jobs delays one with a single
// job by a slice at most. The jobs of one subject run in order of arrival, a slice each, and one
// that is cut continues behind the others.
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
// A subject is charged with the processor time of its pieces (work_time.h). Bounded by the `most`
// of turn_queue_init. One thread.
#ifndef CAROM_SERVER_SCHEDULE_TURN_QUEUE_H
#define CAROM_SERVER_SCHEDULE_TURN_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "server/schedule/shares.h"
#include "server/schedule/turn.h"
#include "server/schedule/work_time.h"

typedef struct turn_job turn_job;

typedef enum job_progress { JOB_GOES_ON, JOB_DONE } job_progress;

// Does one piece of the work, and returns when the slice is over.
typedef job_progress job_function(turn_job *job, const turn *slice);

struct turn_job {
    job_function *run; // NULL: not queued
    share *of;
    turn_job *next, *previous; // links in its subject's list
};

typedef struct turn_queue {
    shares shares;
    turn_clock *processor;  // the thread's processor time
    work_time time;         // measures the pieces of the turn that runs
    ARRAY(share *) waiting; // a heap of subjects with jobs; the top has used the least
    turn_job *running;      // NULL: none, or removed while it ran
    share *serving;         // share whose job runs
    uint32_t count, most;   // number of jobs, and its maximum
    uint64_t cuts;          // number of turns that ended with jobs left
    int64_t longest_ns;     // the longest piece so far [processor time]
} turn_queue;

// `processor`: the thread's processor time, as clock_processor_ns() is.
void turn_queue_init(turn_queue *q, uint32_t most, turn_clock *processor);
// The queue must be empty.
void turn_queue_deinit(turn_queue *q);

// Queues the job. False if the queue is full (`most`). A queued job must not move.
bool turn_queue_add(turn_queue *q, turn_job *job, job_function *run, uint64_t subject);

// Removes the job before it is done; a running job that is removed must return JOB_DONE. Does
// nothing for a zeroed job, or for one that is done.
void turn_queue_remove(turn_queue *q, turn_job *job);

// Whether the job is queued; false while it runs.
static inline bool turn_job_queued(const turn_job *job)
{
    return job->run != NULL;
}

// Runs jobs until the turn is over, at least one piece. Returns whether jobs are left.
bool turn_queue_run(turn_queue *q, const turn *t);

#endif
