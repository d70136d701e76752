// The queue of a turn's work; see work.h. Network thread only.
#include "server/session/calls/work.h"

#include "common/base/assert.h"
#include "server/base/clock.h"
#include "server/base/home.h"
#include "server/base/metrics.h"
#include "server/session/service.h"

// The two top bits of a subject's number give its kind; both are 0 for addresses.
static const uint64_t OF_SESSION = UINT64_C(1) << 62;
static const uint64_t OF_TOKEN = UINT64_C(2) << 62;
static const uint64_t OF_WORLD = UINT64_C(3) << 62;
static const uint64_t NUMBER = (UINT64_C(1) << 62) - 1;

// FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (; *text != '\0'; text++) {
        hash = (hash ^ (uint8_t)*text) * 1099511628211u;
    }
    return hash;
}

uint64_t session_subject(const session *s)
{
    if (s->identity.grant != NULL && !s->identity.grant->guest) {
        return OF_TOKEN | (hash_of(s->identity.grant->subject) & NUMBER);
    }
    const bool counts = s->server->keys != NULL || s->identity.address != NULL;
    ASSERT(s->connection == NULL || (connection_address(s->connection) & ~NUMBER) == 0);
    return counts && s->connection != NULL ? connection_address(s->connection)
                                           : OF_SESSION | (s->key.number & NUMBER);
}

uint64_t session_turn_subject(const session *s)
{
    const uint64_t subject = session_subject(s);
    return (subject & ~NUMBER) == OF_SESSION ? world_subject(s->calls.world) : subject;
}

uint64_t world_subject(uint64_t number)
{
    return OF_WORLD | (number & NUMBER);
}

// ---- the queue

static const int64_t STAGE_LEAST_NS = 200000; // least time of a turn for requests, and for replies

static uint32_t jobs_max(const server *s)
{
    const uint64_t worlds = 2 * limits_worlds_in_all(s->limits) + s->restored_worlds;
    const uint64_t sessions = 2 * (s->limits->connections + s->limits->detached_sessions);
    return (uint32_t)(sessions + worlds + SESSION_LISTS_MAX + 64);
}

static void on_more(uv_timer_t *timer)
{
    (void)timer; // the turn that it begins does the rest
}

static void on_turn_end(uv_prepare_t *handle)
{
    server *s = handle->data;
    s->goes_on = home_collect() || s->goes_on;
    const int64_t took = loop_turn_end(&s->turn);
    if (took >= 0) {
        metrics_time(TIMING_TURN, took);
    }
    if (s->goes_on && !uv_is_closing((uv_handle_t *)&s->more)) {
        uv_timer_start(&s->more, on_more, 0, 0);
    }
    s->goes_on = false;
}

void work_init(server *s)
{
    loop_turn_init(&s->turn, clock_now_ns);
    turn_queue_init(&s->work, jobs_max(s), clock_processor_ns);
    turn_queue_init(&s->replies, jobs_max(s), clock_processor_ns);
    uv_timer_init(s->loop, &s->more);
    uv_prepare_init(s->loop, &s->turn_end);
    s->more.data = s->turn_end.data = s;
    // libuv calls the last one first: this is the last to be called.
    uv_prepare_start(&s->turn_end, on_turn_end);
}

void work_deinit(server *s)
{
    turn_queue_deinit(&s->work);
    turn_queue_deinit(&s->replies);
}

void work_add(server *s, turn_job *job, job_function *run, uint64_t subject)
{
    const bool added = turn_queue_add(&s->work, job, run, subject);
    ASSERT(added); // jobs_max includes all jobs that can exist
}

void work_add_replies(server *s, turn_job *job, job_function *run, uint64_t subject)
{
    const bool added = turn_queue_add(&s->replies, job, run, subject);
    ASSERT(added);
}

void work_remove(server *s, turn_job *job)
{
    turn_queue_remove(&s->work, job);
}

void work_go_on(server *s)
{
    s->goes_on = true;
}

turn work_left(server *s)
{
    return loop_turn_stage(&s->turn, LOOP_WORK);
}

static void run_stage(server *s, turn_queue *jobs, loop_stage stage)
{
    const turn left = loop_turn_stage_least(&s->turn, stage, STAGE_LEAST_NS);
    ASSERT(jobs->running == NULL); // a job never runs the queue that it is in
    if (jobs->count > 0 && turn_queue_run(jobs, &left)) {
        loop_turn_behind(&s->turn, stage);
        metrics_add(METRIC_network_turns_cut, 1);
        work_go_on(s);
    }
}

void work_run(void *context)
{
    server *s = context;
    if (s->worked == s->turn.number || s->work.count + s->replies.count == 0) {
        return;
    }
    s->worked = s->turn.number;
    run_stage(s, &s->work, LOOP_WORK);
    run_stage(s, &s->replies, LOOP_ANSWER);
}

static void finish(turn_queue *jobs)
{
    while (jobs->count > 0 && jobs->running == NULL) {
        const turn whole = turn_begin(clock_now_ns, INT64_MAX / 2);
        (void)turn_queue_run(jobs, &whole);
    }
}

void work_finish(server *s)
{
    finish(&s->work);
    finish(&s->replies);
}
