// A loop for tests with a time limit, so that a test that waits too long fails.
#ifndef CAROM_TESTS_UNIT_FLEET_TIMED_LOOP_H
#define CAROM_TESTS_UNIT_FLEET_TIMED_LOOP_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include <cmocka.h>

typedef struct timed_loop {
    uv_loop_t loop;
    uv_timer_t limit;
    bool expired;
} timed_loop;

static inline void timed_loop_expire(uv_timer_t *timer)
{
    ((timed_loop *)timer->data)->expired = true;
}

static inline void timed_loop_init(timed_loop *l, uint64_t limit_ms)
{
    signal(SIGPIPE, SIG_IGN); // as in caromd: a write to a closed socket is an error
    l->expired = false;
    (void)uv_loop_init(&l->loop);
    (void)uv_timer_init(&l->loop, &l->limit);
    l->limit.data = l;
    (void)uv_timer_start(&l->limit, timed_loop_expire, limit_ms, 0);
}

// Runs until everything is closed: the caller has begun to close the rest.
static inline void timed_loop_end(timed_loop *l)
{
    uv_close((uv_handle_t *)&l->limit, NULL);
    assert_int_equal(uv_run(&l->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&l->loop), 0);
}

// Runs the loop `(r)->timed` until the condition holds.
#define AWAIT(r, condition)                                                                        \
    while (!(condition)) {                                                                         \
        assert_false((r)->timed.expired);                                                          \
        (void)uv_run(&(r)->timed.loop, UV_RUN_ONCE);                                               \
    }

#endif
