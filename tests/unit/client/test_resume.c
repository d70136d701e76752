// Connections that are lost and come back: the session is resumed, views continue, and each waiting
// request is kept, sent again, or ended according to the server's answer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <carom/carom.h>
#include <carom/json.h>

#include "client/lib/clock.h"
#include "client/lib/resume.h"
#include "tests/unit/client/connected.h"

// A server that answers commands only after the session was resumed.
typedef struct scene_of_loss {
    bool resumed;
    bool refuse;         // the session is gone
    int infos;           // calls of world.info; the first is answered before the loss
    const char *welcome; // JSON of the answer to the resuming hello
    char secret[32];     // the secret with which the client reconnected
    char repeated[256];  // "method id " of each request after that, with "@epoch" if it names one
    bool has_left;       // another server serves all worlds after that
    int goodbyes;
} scene_of_loss;

static carom_value *from_json(const char *text)
{
    carom_value *value = NULL;
    assert_int_equal(carom_json_parse(text, strlen(text), &value, NULL), CAROM_OK);
    return value;
}

static void serve(fake_server *server, const fake_message *m, void *user)
{
    scene_of_loss *s = user;
    if (strcmp(m->method, "hello") == 0) {
        const char *secret = carom_get_str(m->args, "resume", "");
        snprintf(s->secret, sizeof s->secret, "%s", secret);
        s->resumed = secret[0] != '\0';
        if (s->resumed && s->refuse) {
            fake_refuse(server, m->id, "not_found: no such session");
        } else {
            fake_reply(server, m->id,
                       from_json(s->resumed ? s->welcome : "{\"session\":7,\"resume\":\"s3\"}"));
        }
    } else if (strcmp(m->method, "world.info") == 0 && s->infos++ == 0) {
        fake_reply(server, m->id, from_json("{\"world\":\"a\",\"epoch\":9,\"tick\":1}"));
    } else if (strcmp(m->method, "world.subscribe") == 0) {
        fake_reply(server, m->id, from_json("{\"subscription\":3}"));
    } else if (strcmp(m->method, "goodbye") == 0) {
        s->goodbyes++;
    } else if (s->resumed && m->request) {
        size_t used = strlen(s->repeated);
        char epoch[24] = "";
        if (carom_value_get(m->args, "epoch") != NULL) {
            snprintf(epoch, sizeof epoch, "@%u", (unsigned)carom_get_uint(m->args, "epoch", 0));
        }
        snprintf(s->repeated + used, sizeof s->repeated - used, "%s %u%s ", m->method,
                 (unsigned)m->id, epoch);
        if (s->has_left) {
            fake_refuse(server, m->id, "moved: 127.0.0.1:1 world 'a' is served there");
            return;
        }
        fake_reply(server, m->id, from_json("{\"tick\":1}"));
    }
}

typedef struct seen {
    int lost, resumed, closed;
    carom_status why;
    bool is_resumed, is_closed;
} seen;

static void note_lost(carom_client *client, carom_status code, const char *reason, void *user)
{
    seen *s = user;
    assert_int_equal(carom_client_state(client), CAROM_RECONNECTING);
    assert_int_equal(code, CAROM_UNAVAILABLE);
    assert_true(reason[0] != '\0');
    assert_int_equal(carom_send(client, "echo", NULL, NULL), CAROM_UNAVAILABLE);
    s->lost++;
}

static void note_resumed(carom_client *client, const carom_value *hello, void *user)
{
    seen *s = user;
    assert_int_equal(carom_client_state(client), CAROM_OPEN);
    assert_int_equal(carom_get_uint(hello, "session", 0), 7);
    s->resumed++;
    s->is_resumed = true;
}

static void note_closed(carom_client *client, carom_status code, const char *reason, void *user)
{
    (void)client;
    (void)reason;
    seen *s = user;
    s->closed++;
    s->why = code;
    s->is_closed = true;
}

static void note_reason(carom_client *client, carom_status code, const char *reason, void *user)
{
    note_lost(client, code, reason, user);
    assert_string_equal(reason, "the server said nothing for 100 ms");
}

static void note_pings(fake_server *server, const fake_message *m, void *user)
{
    if (strcmp(m->method, "hello") == 0) {
        fake_reply(server, m->id, from_json("{\"session\":7,\"resume\":\"s3\"}"));
    } else if (strcmp(m->method, "ping") == 0) {
        ++*(int *)user;
        fake_reply(server, m->id, from_json("{\"time\":1.0}"));
    }
}

static carom_client *connect_impatient(fake_server *server, seen *s, int silence_ms)
{
    const carom_options options = {
        .hello = true,
        .reconnect = {.on = true, .first_ms = 1, .max_ms = 20, .silence_ms = silence_ms},
        .handlers = {.user = s,
                     .lost = note_reason,
                     .resumed = note_resumed,
                     .closed = note_closed},
    };
    return connect_to(server, &options);
}

// It answers nothing but the first hello, as a server that hangs.
static void silent_server_is_lost_and_comes_back(void **state)
{
    (void)state;
    scene_of_loss scene = {.welcome = "{\"session\":7,\"resume\":\"s3\",\"applied\":{},"
                                      "\"pending\":[],\"subscriptions\":[]}"};
    seen s = {0};
    fake_server *server = fake_start(&(fake_options){.handler = serve, .user = &scene});
    carom_client *client = connect_impatient(server, &s, 100);
    poll_until(client, &s.is_resumed);
    assert_int_equal(s.lost, 1);
    assert_string_equal(scene.secret, "s3");
    carom_free(client);
    fake_stop(server);
}

static void idle_server_that_answers_is_kept(void **state)
{
    (void)state;
    int pings = 0;
    seen s = {0};
    fake_server *server = fake_start(&(fake_options){.handler = note_pings, .user = &pings});
    carom_client *client = connect_impatient(server, &s, 2000);
    const int64_t deadline = deadline_after_ms(PATIENCE_MS);
    while (fake_received(server) < 4) { // hello and pings
        assert_true(monotonic_ns() < deadline);
        carom_poll(client, 100, NULL);
    }
    fake_sync(server);
    assert_true(pings >= 3);
    assert_int_equal(s.lost, 0);
    carom_free(client);
    fake_stop(server);
}

static carom_client *connect_returning(fake_server *server, seen *s, int give_up_ms)
{
    carom_options options = {
        .reconnect = {.on = true, .first_ms = 1, .max_ms = 20, .give_up_ms = give_up_ms},
        .follow = {.off = true}, // the library asks for no standby: only the test's requests arrive
        .handlers = {.user = s, .lost = note_lost, .resumed = note_resumed, .closed = note_closed},
    };
    return connect_to(server, &options);
}

typedef struct answer {
    int calls;
    carom_status outcome;
    carom_applied applied;
} answer;

static void note_answer(carom_client *client, uint64_t request, const carom_value *result,
                        const carom_error *err, void *user)
{
    (void)client;
    (void)request;
    answer *a = user;
    assert_true((result == NULL) != (err == NULL));
    a->calls++;
    a->outcome = err == NULL ? CAROM_OK : err->status;
    a->applied = err == NULL ? CAROM_APPLIED_UNKNOWN : err->applied;
}

static uint64_t ask(carom_client *client, const char *method, const char *world, answer *a)
{
    uint64_t request = 0;
    carom_value *args = carom_map();
    if (world != NULL) {
        carom_set(args, "world", carom_str(world));
    }
    assert_int_equal(
        carom_request(client, method, args, PATIENCE_MS, note_answer, a, &request, NULL), CAROM_OK);
    carom_value_free(args);
    return request;
}

static void wait_received(carom_client *client, fake_server *server, unsigned count)
{
    int64_t deadline = deadline_after_ms(PATIENCE_MS);
    while (fake_received(server) < count) {
        assert_true(monotonic_ns() < deadline);
        carom_poll(client, 1, NULL);
    }
}

static void lost_requests_are_told_apart_from_applied_ones(void **state)
{
    (void)state;
    // Requests 2 and 3 took effect in "a", 4 did not; 5 is for another world, in which nothing took
    // effect; 6 reads; 7 makes a world, and its outcome is unknown; 8 is pending.
    scene_of_loss scene = {
        .welcome = "{\"session\":7,\"resume\":\"s3\",\"applied\":{\"a\":{\"epoch\":4,\"last\":3}},"
                   "\"pending\":[8],\"subscriptions\":[]}"};
    seen s = {0};
    fake_server *server = fake_start(&(fake_options){.handler = serve, .user = &scene});
    carom_client *client = connect_returning(server, &s, PATIENCE_MS);
    answer a[7] = {0};
    static const struct {
        const char *method, *world;
    } ASKED[] = {{"body.set", "a"}, {"body.impulse", "a"}, {"body.force", "a"}, {"body.set", "b"},
                 {"body.get", "a"}, {"world.create", "c"}, {"body.remove", "a"}};
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(ask(client, ASKED[i].method, ASKED[i].world, &a[i]), 2 + i);
    }
    wait_received(client, server, 8);
    fake_hang_up(server);
    poll_until(client, &s.is_resumed);
    int64_t deadline = deadline_after_ms(PATIENCE_MS);
    while (a[2].calls + a[3].calls + a[4].calls < 3) {
        assert_true(monotonic_ns() < deadline);
        carom_poll(client, 100, NULL);
    }
    fake_sync(server);
    assert_string_equal(scene.secret, "s3");
    assert_string_equal(scene.repeated, "body.force 4@4 body.set 5 body.get 6@4 ");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(a[i].outcome, CAROM_UNAVAILABLE);
        assert_int_equal(a[i].applied, CAROM_APPLIED_YES);
    }
    assert_true(a[2].outcome == CAROM_OK && a[3].outcome == CAROM_OK && a[4].outcome == CAROM_OK);
    assert_true(a[5].outcome == CAROM_UNAVAILABLE && a[5].applied == CAROM_APPLIED_UNKNOWN);
    assert_int_equal(a[6].calls, 0); // still awaited
    fake_reply(server, 8, carom_map());
    while (a[6].calls == 0) {
        assert_int_equal(carom_poll(client, PATIENCE_MS, NULL), CAROM_OK);
    }
    assert_int_equal(a[6].outcome, CAROM_OK);
    assert_true(s.lost == 1 && s.resumed == 1 && s.closed == 0);
    assert_int_equal(carom_client_traffic(client).reconnects, 1);
    carom_free(client);
    assert_int_equal(s.closed, 1);
    fake_stop(server);
}

// The server that resumes the session had the world before another one had it, which may have
// applied the request. A program that follows no worlds is told of an unsent request.
static void request_is_not_repeated_where_a_server_may_have_applied_it(void **state)
{
    (void)state;
    scene_of_loss scene = {.has_left = true,
                           .welcome = "{\"session\":7,\"resume\":\"s3\",\"applied\":{\"a\":"
                                      "{\"epoch\":4,\"last\":1}},\"pending\":[]}"};
    seen s = {0};
    fake_server *server = fake_start(&(fake_options){.handler = serve, .user = &scene});
    carom_client *client = connect_returning(server, &s, PATIENCE_MS);
    answer doubtful = {0};
    answer unsent = {0};
    ask(client, "body.set", "a", &doubtful);
    wait_received(client, server, 2);
    fake_hang_up(server);
    while (s.lost == 0) {
        carom_poll(client, 1, NULL);
    }
    ask(client, "body.force", "a", &unsent);
    const int64_t deadline = deadline_after_ms(PATIENCE_MS);
    while (doubtful.calls + unsent.calls < 2) {
        assert_true(monotonic_ns() < deadline);
        carom_poll(client, 100, NULL);
    }
    assert_int_equal(doubtful.outcome, CAROM_UNAVAILABLE);
    assert_int_equal(doubtful.applied, CAROM_APPLIED_UNKNOWN);
    assert_int_equal(unsent.outcome, CAROM_MOVED);
    fake_sync(server);
    assert_string_equal(scene.repeated, "body.set 2@4 body.force 3@4 ");
    carom_free(client);
    fake_stop(server);
}

// The world was made again meanwhile: requests for the old world always name its epoch.
static void repeated_requests_name_the_epoch_that_was_meant(void **state)
{
    (void)state;
    scene_of_loss scene = {.welcome = "{\"session\":7,\"resume\":\"s3\",\"applied\":{\"a\":"
                                      "{\"epoch\":12,\"last\":0},\"old\":5},"
                                      "\"pending\":[],\"subscriptions\":[]}"};
    seen s = {0};
    fake_server *server = fake_start(&(fake_options){.handler = serve, .user = &scene});
    carom_client *client = connect_returning(server, &s, PATIENCE_MS);
    carom_world_info info;
    assert_int_equal(carom_known_epoch(client, "a"), 0);
    assert_int_equal(carom_world_get_info(client, "a", PATIENCE_MS, &info, NULL), CAROM_OK);
    assert_int_equal(carom_known_epoch(client, "a"), 9);
    answer a[8] = {0};
    ask(client, "body.set", "a", &a[0]);
    ask(client, "world.info", "a", &a[1]); // asks for the existing world
    ask(client, "body.set", "old", &a[2]); // on a server that sends no epochs
    assert_int_equal(carom_pin_epoch(client, "b", 3, NULL), CAROM_OK);
    ask(client, "body.set", "b", &a[3]);
    carom_value *args =
        carom_set(carom_set(carom_map(), "world", carom_str("a")), "epoch", carom_uint(8));
    assert_int_equal(
        carom_request(client, "body.set", args, PATIENCE_MS, note_answer, &a[4], NULL, NULL),
        CAROM_OK);
    carom_value_free(args);
    wait_received(client, server, 7);
    fake_hang_up(server);
    while (s.lost == 0) {
        carom_poll(client, 1, NULL);
    }
    ask(client, "body.remove", "a", &a[5]); // the request was never sent
    poll_until(client, &s.is_resumed);
    while (a[0].calls + a[1].calls + a[2].calls + a[3].calls + a[4].calls + a[5].calls < 6) {
        assert_int_equal(carom_poll(client, PATIENCE_MS, NULL), CAROM_OK);
    }
    fake_sync(server);
    assert_string_equal(scene.repeated, "body.set 3@9 world.info 4 body.set 5 body.set 6@3 "
                                        "body.set 7@8 body.remove 8@9 ");
    carom_free(client);
    fake_stop(server);
}

// A server that ends reports the end of each world; the next server's world of that name has
// another epoch.
static void world_of_a_server_that_ended_is_still_the_one_that_is_meant(void **state)
{
    (void)state;
    static const char *const CODES[][2] = {{"unavailable", "body.remove 3@9 "},
                                           // the client saw that the world was destroyed
                                           {"not_found", "body.remove 3 "}};
    for (size_t i = 0; i < sizeof CODES / sizeof CODES[0]; i++) {
        scene_of_loss scene = {.welcome = "{\"session\":7,\"resume\":\"s3\",\"applied\":{},"
                                          "\"pending\":[],\"subscriptions\":[]}"};
        seen s = {0};
        fake_server *server = fake_start(&(fake_options){.handler = serve, .user = &scene});
        carom_client *client = connect_returning(server, &s, PATIENCE_MS);
        carom_world_info info;
        assert_int_equal(carom_world_get_info(client, "a", PATIENCE_MS, &info, NULL), CAROM_OK);
        carom_value *closed = from_json("{\"subscription\":3,\"world\":\"a\",\"reason\":\"\"}");
        fake_notify(server, "world_closed", carom_set(closed, "code", carom_str(CODES[i][0])));
        fake_hang_up(server);
        while (s.lost == 0) {
            carom_poll(client, 1, NULL);
        }
        answer a = {0};
        ask(client, "body.remove", "a", &a);
        while (a.calls < 1) {
            assert_int_equal(carom_poll(client, PATIENCE_MS, NULL), CAROM_OK);
        }
        fake_sync(server);
        assert_string_equal(scene.repeated, CODES[i][1]);
        carom_free(client);
        fake_stop(server);
    }
}

// The head of a map has a form for fewer than 16 pairs, and another for more.
static void epochs_join_maps_of_any_size(void **state)
{
    (void)state;
    scene_of_loss scene = {.welcome = "{\"session\":7,\"resume\":\"s3\",\"applied\":{}}"};
    seen s = {0};
    fake_server *server = fake_start(&(fake_options){.handler = serve, .user = &scene});
    carom_client *client = connect_returning(server, &s, PATIENCE_MS);
    fake_hang_up(server);
    poll_until(client, &s.is_resumed); // from now on the server records requests
    assert_int_equal(carom_pin_epoch(client, "a", 77, NULL), CAROM_OK);
    static const int SIZES[] = {1, 14, 15, 16, 17};
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        carom_value *args = carom_set(carom_map(), "world", carom_str("a"));
        for (int k = 1; k < SIZES[i]; k++) {
            char key[16];
            snprintf(key, sizeof key, "k%d", k);
            carom_set(args, key, carom_int(k));
        }
        carom_value *result = NULL;
        assert_int_equal(carom_call(client, "echo", args, PATIENCE_MS, &result, NULL), CAROM_OK);
        carom_value_free(result);
        carom_value_free(args);
    }
    fake_sync(server);
    int named = 0;
    for (const char *at = scene.repeated; (at = strstr(at, "@77")) != NULL; at++) {
        named++;
    }
    assert_int_equal(named, 5);
    carom_free(client);
    fake_stop(server);
}

static void pinned_epochs_have_a_limit(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    char name[16];
    carom_error why = {0};
    for (unsigned i = 0; i < CAROM_EPOCHS_MAX; i++) {
        snprintf(name, sizeof name, "w%u", i);
        assert_int_equal(carom_pin_epoch(client, name, i + 1, &why), CAROM_OK);
    }
    assert_int_equal(carom_pin_epoch(client, "more", 1, &why), CAROM_LIMIT_EXCEEDED);
    assert_int_equal(carom_pin_epoch(client, "w3", 0, &why), CAROM_OK);
    assert_int_equal(carom_pin_epoch(client, "more", 1, &why), CAROM_OK);
    assert_int_equal(carom_pin_epoch(client, "", 1, &why), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_pin_epoch(NULL, "a", 1, &why), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_known_epoch(client, "w4"), 0);
    carom_free(client);
    fake_stop(server);
}

static void views_and_calls_go_on(void **state)
{
    (void)state;
    scene_of_loss scene = {.welcome = "{\"session\":7,\"resume\":\"s3\",\"applied\":{},"
                                      "\"subscriptions\":[{\"subscription\":3,\"world\":\"a\"}]}"};
    seen s = {0};
    fake_server *server = fake_start(&(fake_options){.handler = serve, .user = &scene});
    carom_client *client = connect_returning(server, &s, PATIENCE_MS);
    carom_view *view = carom_view_create(NULL);
    carom_view *other = carom_view_create(NULL);
    assert_int_equal(carom_watch(client, "a", NULL, view, PATIENCE_MS, NULL, NULL), CAROM_OK);
    assert_int_equal(carom_view_attach(other, client, 4, NULL), CAROM_OK);
    fake_hang_up(server);
    // A call that is made while the connection is lost is sent when it is back.
    while (s.lost == 0) {
        carom_poll(client, 1, NULL);
    }
    answer made = {0}; // it was never sent, so its outcome is known
    ask(client, "world.create", "c", &made);
    uint64_t tick = 0;
    assert_int_equal(carom_body_remove(client, "a", 1, PATIENCE_MS, &tick, NULL), CAROM_OK);
    assert_true(made.calls == 1 && made.outcome == CAROM_OK);
    assert_int_equal(tick, 1);
    assert_false(carom_view_get_state(view).ended);
    assert_true(carom_view_get_state(other).ended); // the server does not list this subscription
    fake_notify(server, "snapshot",
                from_json("{\"subscription\":3,\"world\":\"a\",\"epoch\":1,\"tick\":9,"
                          "\"time\":1,\"full\":true,\"bodies\":[[1,0,0,0,0,0,0]]}"));
    while (!carom_view_get_state(view).ready) {
        assert_int_equal(carom_poll(client, PATIENCE_MS, NULL), CAROM_OK);
    }
    assert_int_equal(carom_view_count(view), 1);
    carom_view_free(view);
    carom_view_free(other);
    carom_free(client);
    fake_stop(server);
}

static void session_that_is_gone_closes_the_client(void **state)
{
    (void)state;
    scene_of_loss scene = {.refuse = true};
    seen s = {0};
    fake_server *server = fake_start(&(fake_options){.handler = serve, .user = &scene});
    carom_client *client = connect_returning(server, &s, PATIENCE_MS);
    fake_hang_up(server);
    poll_until(client, &s.is_closed);
    assert_int_equal(s.why, CAROM_NOT_FOUND);
    assert_true(s.lost == 1 && s.resumed == 0);
    carom_free(client);
    fake_stop(server);
}

static void client_gives_up_in_the_end(void **state)
{
    (void)state;
    scene_of_loss scene = {0};
    seen s = {0};
    answer sent = {0}, unsent = {0};
    fake_server *server = fake_start(&(fake_options){.handler = serve, .user = &scene});
    carom_client *client = connect_returning(server, &s, 100);
    ask(client, "body.set", "a", &sent);
    wait_received(client, server, 2);
    fake_stop(server);
    while (s.lost == 0) {
        carom_poll(client, 10, NULL);
    }
    ask(client, "body.set", "a", &unsent);
    assert_true(carom_timeout_ms(client) >= 0);
    int64_t begin = monotonic_ns();
    poll_until(client, &s.is_closed);
    assert_true(monotonic_ns() - begin < (int64_t)PATIENCE_MS * 1000000 / 2);
    assert_int_equal(s.why, CAROM_UNAVAILABLE);
    assert_true(sent.calls == 1 && sent.applied == CAROM_APPLIED_UNKNOWN);
    assert_true(unsent.calls == 1 && unsent.applied == CAROM_APPLIED_NO);
    carom_free(client);
}

static void without_the_option_a_loss_closes_the_client(void **state)
{
    (void)state;
    scene_of_loss scene = {0};
    fake_server *server = fake_start(&(fake_options){.handler = serve, .user = &scene});
    carom_client *client = connect_to(server, NULL);
    fake_hang_up(server);
    int64_t deadline = deadline_after_ms(PATIENCE_MS);
    while (carom_poll(client, 100, NULL) == CAROM_OK) {
        assert_true(monotonic_ns() < deadline);
    }
    assert_int_equal(carom_client_state(client), CAROM_CLOSED);
    carom_free(client);
    fake_stop(server);
}

static void closing_says_goodbye_unless_the_session_is_kept(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        scene_of_loss scene = {0};
        fake_server *server = fake_start(&(fake_options){.handler = serve, .user = &scene});
        carom_client *client = connect_to(server, &(carom_options){.keep_session = keep == 1});
        carom_free(client);
        // the server has handled the first one
        client = connect_to(server, &(carom_options){.keep_session = true});
        fake_sync(server);
        assert_int_equal(scene.goodbyes, 1 - keep);
        carom_free(client);
        fake_stop(server);
    }
}

static void kept_requests_have_a_limit(void **state)
{
    (void)state;
    scene_of_loss scene = {0};
    fake_server *server = fake_start(&(fake_options){.handler = serve, .user = &scene});
    carom_options options = {.reconnect = {.on = true}, .output_bytes_max = 8192};
    carom_client *client = connect_to(server, &options);
    static const char FILL[3000];
    carom_status outcome = CAROM_OK;
    int sent = 0;
    while (outcome == CAROM_OK && sent < 10) {
        carom_value *args = carom_set(carom_map(), "fill", carom_bin(FILL, sizeof FILL));
        outcome = carom_request(client, "echo", args, PATIENCE_MS, NULL, NULL, NULL, NULL);
        carom_value_free(args);
        carom_flush(client, PATIENCE_MS, NULL);
        sent += outcome == CAROM_OK;
    }
    assert_int_equal(outcome, CAROM_LIMIT_EXCEEDED);
    assert_int_equal(sent, 2);
    carom_free(client);
    fake_stop(server);
}

static void pauses_grow_to_a_limit_and_are_random(void **state)
{
    (void)state;
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        int64_t most = attempt < 6 ? 100LL << attempt : 5000;
        assert_int_equal(resume_pause_ms(100, 5000, attempt, 0), most / 2);
        assert_int_equal(resume_pause_ms(100, 5000, attempt, (uint64_t)(most - most / 2)), most);
    }
    assert_int_equal(resume_pause_ms(1, 1, 7, 123), 0 + 123 % 2);
}

// After a success the pauses begin again: since the server was reachable a moment before.
static void pauses_begin_anew_after_each_success(void **state)
{
    (void)state;
    enum { FIRST_MS = 20 };
    scene_of_loss scene = {.welcome = "{\"session\":7,\"resume\":\"s3\",\"applied\":{}}"};
    seen s = {0};
    fake_server *server = fake_start(&(fake_options){.handler = serve, .user = &scene});
    carom_options options = {
        .reconnect = {.on = true, .first_ms = FIRST_MS, .max_ms = 60000, .give_up_ms = 60000},
        .handlers = {.user = &s, .lost = note_lost, .resumed = note_resumed},
    };
    carom_client *client = connect_to(server, &options);
    for (int i = 1; i <= 8; i++) {
        s.is_resumed = false;
        fake_hang_up(server);
        int64_t deadline = deadline_after_ms(PATIENCE_MS);
        while (s.lost < i) {
            assert_true(monotonic_ns() < deadline);
            carom_poll(client, 100, NULL);
        }
        assert_in_range(carom_timeout_ms(client), 0, FIRST_MS);
        poll_until(client, &s.is_resumed);
    }
    carom_free(client);
    fake_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost_requests_are_told_apart_from_applied_ones),
        cmocka_unit_test(request_is_not_repeated_where_a_server_may_have_applied_it),
        cmocka_unit_test(repeated_requests_name_the_epoch_that_was_meant),
        cmocka_unit_test(world_of_a_server_that_ended_is_still_the_one_that_is_meant),
        cmocka_unit_test(epochs_join_maps_of_any_size),
        cmocka_unit_test(pinned_epochs_have_a_limit),
        cmocka_unit_test(views_and_calls_go_on),
        cmocka_unit_test(session_that_is_gone_closes_the_client),
        cmocka_unit_test(client_gives_up_in_the_end),
        cmocka_unit_test(without_the_option_a_loss_closes_the_client),
        cmocka_unit_test(closing_says_goodbye_unless_the_session_is_kept),
        cmocka_unit_test(kept_requests_have_a_limit),
        cmocka_unit_test(silent_server_is_lost_and_comes_back),
        cmocka_unit_test(idle_server_that_answers_is_kept),
        cmocka_unit_test(pauses_grow_to_a_limit_and_are_random),
        cmocka_unit_test(pauses_begin_anew_after_each_success),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
