// Jobs by subject, and the heap of waiting subjects; see turn_queue.h. One thread.
//
// Invariants: a share is in the heap exactly if `waits` is set; every share with jobs is in the
// heap, except the one being served; a share in the heap may have lost its jobs, and is then
// skipped. The heap has one reference to each of its shares, `serving` one to its own. A share's
// key does not change while it is in the heap. A job that runs is in no list, and may free itself.
#include "server/schedule/turn_queue.h"

#include "common/base/assert.h"

// The least slice keeps pieces from becoming tiny when there are many jobs; but a round, in which
// each of them has one, takes no longer than ROUND_NS, as far as the work can be cut: a job with
// little work waits for a round.
static const int64_t SLICE_LEAST_NS = 250000, ROUND_NS = 5000000;

void turn_queue_init(turn_queue *q, uint32_t most, turn_clock *processor)
{
    ASSERT(processor != NULL);
    *q = (turn_queue){.most = most, .processor = processor};
}

void turn_queue_deinit(turn_queue *q)
{
    ASSERT(q->count == 0 && q->serving == NULL);
    for (uint32_t i = 0; i < q->waiting.count; i++) {
        shares_release(&q->shares, q->waiting.data[i]); // shares whose jobs were removed
    }
    shares_deinit(&q->shares);
    array_free(&q->waiting);
}

// ---- the heap

static bool goes_before(const turn_queue *q, uint32_t x, uint32_t y)
{
    const share *a = q->waiting.data[x];
    const share *b = q->waiting.data[y];
    const int64_t used_a = shares_used(&q->shares, a);
    const int64_t used_b = shares_used(&q->shares, b);
    return used_a != used_b ? used_a < used_b : a->subject < b->subject;
}

static void swap(turn_queue *q, uint32_t x, uint32_t y)
{
    share *one = q->waiting.data[x];
    q->waiting.data[x] = q->waiting.data[y];
    q->waiting.data[y] = one;
}

static void put_waiting(turn_queue *q, share *one)
{
    one->waits = true;
    uint32_t at = q->waiting.count;
    array_push(&q->waiting, one);
    while (at > 0 && goes_before(q, at, (at - 1) / 2)) {
        swap(q, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

static share *take_top(turn_queue *q)
{
    share *top = q->waiting.data[0];
    q->waiting.data[0] = q->waiting.data[--q->waiting.count];
    uint32_t at = 0;
    for (;;) {
        uint32_t least = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2; child++) {
            if (child < q->waiting.count && goes_before(q, child, least)) {
                least = child;
            }
        }
        if (least == at) {
            top->waits = false;
            return top;
        }
        swap(q, at, least);
        at = least;
    }
}

// The share that goes next; NULL: there are no jobs.
static share *take_next(turn_queue *q)
{
    while (q->waiting.count > 0) {
        share *one = take_top(q);
        if (one->first != NULL) {
            shares_serve(&q->shares, one);
            return one;
        }
        shares_release(&q->shares, one);
    }
    return NULL;
}

// ---- jobs

static void link_last(share *one, turn_job *job)
{
    job->previous = one->last;
    job->next = NULL;
    *(one->last != NULL ? &one->last->next : &one->first) = job;
    one->last = job;
}

static void unlink(share *one, turn_job *job)
{
    *(job->previous != NULL ? &job->previous->next : &one->first) = job->next;
    *(job->next != NULL ? &job->next->previous : &one->last) = job->previous;
    job->next = job->previous = NULL;
}

bool turn_queue_add(turn_queue *q, turn_job *job, job_function *run, uint64_t subject)
{
    ASSERT(job->run == NULL && run != NULL);
    turn_queue_remove(q, job); // it may be the running job, queued again with other work
    if (q->count >= q->most) {
        return false;
    }
    share *one = shares_hold(&q->shares, subject);
    *job = (turn_job){.run = run, .of = one};
    link_last(one, job);
    q->count++;
    if (one->waits || one == q->serving) {
        shares_release(&q->shares, one); // the share has a reference already
    } else {
        put_waiting(q, one);
    }
    return true;
}

void turn_queue_remove(turn_queue *q, turn_job *job)
{
    if (job == q->running) {
        q->running = NULL;
        q->count--;
    } else if (job->run != NULL) {
        unlink(job->of, job);
        *job = (turn_job){0};
        q->count--;
    }
}

static int64_t slice_ns(const turn_queue *q, const turn *t)
{
    const int64_t jobs = (int64_t)q->count > 0 ? q->count : 1;
    const int64_t equal = turn_left_ns(t) / jobs;
    const int64_t round = ROUND_NS / jobs;
    const int64_t least = round < SLICE_LEAST_NS ? round : SLICE_LEAST_NS;
    return equal > least ? equal : least;
}

// Runs a piece of the share's first job.
static void run_piece(turn_queue *q, share *one, const turn *t)
{
    turn_job *job = one->first;
    job_function *run = job->run;
    const turn slice = turn_part(t, slice_ns(q, t));
    unlink(one, job);
    *job = (turn_job){0};
    q->running = job;
    const job_progress progress = run(job, &slice);
    const int64_t took = work_time_of(&q->time, turn_used_ns(&slice));
    q->longest_ns = took > q->longest_ns ? took : q->longest_ns;
    shares_charge(&q->shares, one, took);
    if (progress == JOB_GOES_ON) {
        ASSERT(q->running == job);
        *job = (turn_job){.run = run, .of = one};
        link_last(one, job);
    } else {
        q->count -= q->running != NULL ? 1 : 0;
    }
    q->running = NULL;
}

bool turn_queue_run(turn_queue *q, const turn *t)
{
    ASSERT(q->serving == NULL); // must not be called by a job
    bool over = false;
    q->time = work_time_begin(q->processor);
    while (!over && (q->serving = take_next(q)) != NULL) {
        run_piece(q, q->serving, t);
        if (q->serving->first != NULL) {
            put_waiting(q, q->serving);
        } else {
            shares_release(&q->shares, q->serving);
        }
        q->serving = NULL;
        over = turn_over(t);
    }
    q->cuts += q->count > 0 ? 1 : 0;
    return q->count > 0;
}
