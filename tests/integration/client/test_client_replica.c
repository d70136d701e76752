// A replica of the demo world over TCP, for CAROM_REPLICA_SECONDS (5, or an hour on request): every
// notification's hash must agree with the replica's own state, while balls are spawned, pushed and
// removed. Prints a line every minute, so that an aborted run shows how far it got.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <carom/replica.h>
#include <carom/watch.h>

#include "tests/integration/client/against_server.h"
#include "tests/support/patience.h"

enum { SECONDS_STANDARD = 5, SECONDS_MAX = 7 * 86400, BALLS_MAX = 40, STIR_MS = 250, TELL_S = 60 };

typedef struct following {
    carom_replica *replica;
    uint64_t notifications;
    bool failed;
    carom_error error;
} following;

static void on_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user)
{
    following *f = user;
    (void)client;
    f->notifications++;
    if (!f->failed && carom_replica_feed(f->replica, snapshot->encoded, snapshot->encoded_size,
                                         &f->error) != CAROM_OK) {
        f->failed = true;
    }
}

// Plays with the balls: otherwise the demo world comes to rest.
static void stir(carom_client *client, uint64_t *balls, unsigned *random)
{
    carom_error error;
    uint64_t *ball = &balls[(unsigned)rand_r(random) % BALLS_MAX];
    if (*ball != 0 && rand_r(random) % 3 == 0) {
        check_ok(carom_body_remove(client, "main", *ball, PATIENCE_MS, NULL, &error), &error);
        *ball = 0;
    } else if (*ball != 0) {
        carom_vec2 push = {(double)(rand_r(random) % 11) - 5, (double)(rand_r(random) % 8)};
        check_ok(carom_body_impulse(client, "main", *ball, push, NULL, PATIENCE_MS, NULL, &error),
                 &error);
    } else {
        carom_body_options options = carom_body_options_default();
        carom_shape shape = carom_shape_circle(0.2 + 0.1 * (double)(rand_r(random) % 4));
        options.shapes = &shape;
        options.shape_count = 1;
        options.position = (carom_vec2){(double)(rand_r(random) % 21) - 10, 12};
        check_ok(carom_body_spawn(client, "main", &options, PATIENCE_MS, ball, NULL, &error),
                 &error);
    }
}

static void tell(const following *f, const carom_client *client, int64_t ms)
{
    carom_replica_state now = carom_replica_now(f->replica);
    carom_traffic traffic = carom_client_traffic(client);
    printf("%lld s: tick %llu, %zu bodies, %llu commands, %llu hashes agreed, %.1f kbit/s\n",
           (long long)(ms / 1000), (unsigned long long)now.tick, now.bodies,
           (unsigned long long)now.commands, (unsigned long long)now.verified,
           ms > 0 ? (double)traffic.bytes_in * 8 / (double)ms : 0.0);
    fflush(stdout);
}

// Whether the replica has received as much as `seconds` of a world at its rate give. In the compact
// form a hash comes once per second of world time, which a busy machine slows.
static bool has_seen_enough(const following *f, long seconds)
{
    const carom_replica_state now = carom_replica_now(f->replica);
    return now.verified > (uint64_t)seconds / 2 && now.commands > (uint64_t)seconds / 2;
}

static void follow(against_server *s, long seconds, bool compact)
{
    carom_error error;
    carom_world_options options = carom_world_options_default();
    options.scene = "demo";
    check_ok(carom_world_create(s->client, "main", &options, PATIENCE_MS, NULL, &error), &error);
    following f = {.replica = carom_replica_create()};
    assert_non_null(f.replica);
    carom_handlers handlers = {.user = &f, .snapshot = on_snapshot};
    carom_set_handlers(s->client, &handlers);
    carom_subscribe_options log = carom_subscribe_options_default();
    log.encoding = "log";
    log.compact = compact ? carom_compact(s->client) : 0;
    assert_true(!compact || log.compact != 0);
    check_ok(carom_subscribe(s->client, "main", &log, PATIENCE_MS, NULL, &error), &error);
    uint64_t balls[BALLS_MAX] = {0};
    unsigned random = 1;
    int64_t begin = test_now_ms();
    int64_t stirred = begin;
    int64_t told = begin;
    for (int64_t now = begin;
         !f.failed && (now - begin < seconds * 1000 || !has_seen_enough(&f, seconds));
         now = test_now_ms()) {
        assert_true(now - begin < seconds * 1000 + PATIENCE_MS);
        check_ok(carom_poll(s->client, 20, &error), &error);
        if (now - stirred >= STIR_MS) {
            stir(s->client, balls, &random);
            stirred = now;
        }
        if (now - told >= TELL_S * 1000) {
            tell(&f, s->client, now - begin);
            told = now;
        }
    }
    tell(&f, s->client, test_now_ms() - begin);
    if (f.failed) {
        fail_msg("%s", f.error.text);
    }
    carom_set_handlers(s->client, NULL);
    carom_replica_free(f.replica);
}

static void replica_of_the_demo_agrees_with_every_hash(void **state)
{
    const char *asked = getenv("CAROM_REPLICA_SECONDS");
    long seconds = asked != NULL ? strtol(asked, NULL, 10) : SECONDS_STANDARD;
    assert_in_range(seconds, 1, SECONDS_MAX);
    follow(*state, seconds, false);
}

static void replica_by_the_compact_form_agrees_too(void **state)
{
    follow(*state, SECONDS_STANDARD, true);
}

int main(int argc, char **argv)
{
    assert_true(argc == 2);
    caromd_path = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(replica_of_the_demo_agrees_with_every_hash, server_set_up,
                                        server_tear_down),
        cmocka_unit_test_setup_teardown(replica_by_the_compact_form_agrees_too, server_set_up,
                                        server_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
