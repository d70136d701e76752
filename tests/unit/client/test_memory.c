// Memory that runs out: every allocation of connecting, calling, watching, batches and scenes fails
// once in turn. Nothing may crash, abort or leak (the sanitizers check), and the failed operation
// ends with CAROM_OUT_OF_MEMORY.
//
// The linker routes all allocations of this program through the three functions below; only those
// of the client's thread fail.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <carom/carom.h>
#include <carom/json.h>
#include <carom/scene.h>

#include "client/lib/clock.h"
#include "tests/unit/client/connected.h"

// ---- allocations that fail

static _Thread_local long fail_after = -1; // allocations that still succeed; -1: all do
static _Thread_local bool failed;

static bool fails(void)
{
    if (fail_after < 0) {
        return false;
    }
    if (fail_after-- > 0) {
        return false;
    }
    failed = true;
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

// ---- the server

static carom_value *from_json(const char *text)
{
    carom_value *value = NULL;
    assert_int_equal(carom_json_parse(text, strlen(text), &value, NULL), CAROM_OK);
    return value;
}

#define HEAD "{\"subscription\":3,\"world\":\"demo\",\"epoch\":1,"
#define BODY                                                                                       \
    "{\"body\":1,\"type\":\"dynamic\",\"tag\":\"cue\",\"shapes\":[{\"shape\":9,\"kind\":"          \
    "\"polygon\",\"vertices\":[[0,0],[1,0],[0,1]]}]}"

static const char *const FIRST =
    HEAD "\"tick\":1,\"time\":1,\"full\":true,\"bodies\":[[1,5,6,0,0,0,0]],\"spawned\":[" BODY
         "],\"joints\":[{\"joint\":4,\"kind\":\"weld\",\"a\":1,\"b\":2}]}";
static const char *const SECOND =
    HEAD "\"tick\":2,\"time\":2,\"full\":false,\"bodies\":[[2,5,6,0,0,0,0]],\"removed\":[7],"
         "\"joints_removed\":[8],\"events\":[{\"kind\":\"begin\",\"a\":1,\"b\":2},{\"kind\":"
         "\"of_later\"}],\"contacts\":[{\"a\":1,\"b\":2,\"points\":[{\"point\":[0,0]}]}]}";

static void serve(fake_server *server, const fake_message *m, void *user)
{
    (void)user;
    static bool resumed;
    if (strcmp(m->method, "hello") == 0) {
        resumed = carom_get_str(m->args, "resume", NULL) != NULL;
        fake_reply(server, m->id, from_json("{\"session\":7,\"resume\":\"s\",\"applied\":{}}"));
    } else if (strcmp(m->method, "body.set") == 0) {
        if (resumed) { // the first client is lost with its connection
            fake_reply(server, m->id, from_json("{\"tick\":1}"));
        }
    } else if (strcmp(m->method, "world.subscribe") == 0) {
        fake_notify(server, "snapshot", from_json(FIRST)); // the snapshot overtakes the answer
        fake_reply(server, m->id, from_json("{\"subscription\":3}"));
        fake_notify(server, "snapshot", from_json(SECOND));
        fake_notify(server, "news", from_json("{\"a\":[1,2,{\"b\":\"c\"}]}"));
    } else if (strcmp(m->method, "world.apply") == 0) {
        size_t count = carom_value_count(carom_value_get(m->args, "commands"));
        carom_value *results = carom_array();
        for (size_t i = 0; i < count; i++) {
            carom_push(results, from_json("{\"body\":5}"));
        }
        fake_reply(server, m->id, carom_set(carom_map(), "results", results));
    } else if (strcmp(m->method, "body.get") == 0) {
        fake_reply(server, m->id, from_json(BODY));
    } else if (m->request && strncmp(m->method, "world.", 6) == 0) {
        fake_reply(server, m->id, from_json("{\"tick\":1}"));
    } else {
        fake_answer(server, m);
    }
}

// ---- the client's day

static void *note_body(carom_view *view, const carom_body *body, void *user)
{
    (void)view;
    (void)body;
    return user;
}

static carom_status call_echo(carom_client *client, carom_error *why)
{
    carom_value *args = carom_set(carom_map(), "a", carom_vec(1, 2));
    carom_set(args, "b", carom_str("text"));
    carom_set(args, "c", carom_bin("\1\2", 2));
    if (args == NULL) {
        why->status = CAROM_OUT_OF_MEMORY; // NULL would mean a call without arguments
        return CAROM_OUT_OF_MEMORY;
    }
    carom_value *result = NULL;
    carom_status outcome = carom_call(client, "echo", args, PATIENCE_MS, &result, why);
    if (outcome == CAROM_OK) {
        carom_value *copy = carom_value_clone(result);
        assert_true(copy == NULL || carom_value_equal(copy, args));
        outcome = copy == NULL ? CAROM_OUT_OF_MEMORY : outcome;
        carom_value_free(copy);
    }
    carom_value_free(result);
    carom_value_free(args);
    return outcome;
}

static carom_status watch(carom_client *client, carom_view *view, carom_error *why)
{
    static const char *const KINDS[] = {"begin"};
    carom_subscribe_options options = {
        .describe = true, .contacts = true, .events = KINDS, .event_count = 1};
    carom_status outcome = carom_watch(client, "demo", &options, view, PATIENCE_MS, NULL, why);
    while (outcome == CAROM_OK && carom_client_traffic(client).messages_in < 5) {
        outcome = carom_poll(client, PATIENCE_MS, why);
    }
    return outcome;
}

static carom_status build(carom_client *client, carom_error *why)
{
    carom_batch *batch = carom_batch_create();
    carom_shape shape = carom_shape_circle(1);
    carom_body_options options = {.shapes = &shape, .shape_count = 1};
    size_t first = carom_batch_spawn(batch, &options);
    carom_joint_settings weld = {.kind = CAROM_WELD, .a = 1, .b = CAROM_RESULT(first)};
    carom_batch_joint(batch, &weld);
    carom_status outcome =
        batch == NULL ? CAROM_OUT_OF_MEMORY
                      : carom_batch_apply(batch, client, "demo", NULL, PATIENCE_MS, NULL, why);
    carom_batch_free(batch);
    return outcome;
}

static carom_status describe(carom_client *client, carom_error *why)
{
    carom_body_info *info = NULL;
    carom_status outcome = carom_body_describe(client, "demo", 1, PATIENCE_MS, &info, why);
    carom_body_info_free(info);
    uint64_t request = 0;
    if (outcome == CAROM_OK) {
        outcome = carom_request(client, "echo", NULL, PATIENCE_MS, NULL, NULL, &request, why);
    }
    carom_cancel(client, request);
    return outcome;
}

static carom_status one_day(fake_server *server, carom_error *why)
{
    carom_client *client = NULL;
    carom_view_options options = {
        .history = 2, .added = note_body, .interpolation = CAROM_INTERPOLATION_DELAYED};
    carom_status outcome = carom_connect(NULL, fake_port(server), PATIENCE_MS, NULL, &client, why);
    carom_view *view = carom_view_create(&options);
    if (outcome == CAROM_OK && view == NULL) {
        outcome = CAROM_OUT_OF_MEMORY;
    }
    outcome = outcome == CAROM_OK ? call_echo(client, why) : outcome;
    outcome = outcome == CAROM_OK ? watch(client, view, why) : outcome;
    outcome = outcome == CAROM_OK ? build(client, why) : outcome;
    outcome = outcome == CAROM_OK ? describe(client, why) : outcome;
    if (outcome == CAROM_OK) {
        assert_true(carom_view_get_state(view).tick == 2 && carom_view_count(view) == 2);
    } else if (carom_close_reason(client, NULL) != CAROM_OK) {
        assert_int_equal(carom_close_reason(client, NULL), CAROM_OUT_OF_MEMORY);
        outcome = CAROM_OUT_OF_MEMORY; // a waiting request ended with the connection
    }
    carom_view_free(view);
    carom_free(client);
    return outcome;
}

static carom_status one_scene(fake_server *server, carom_error *why)
{
    static const char SCENE[] =
        "{\"name\":\"s\",\"constants\":{\"n\":3},\"commands\":[[\"body.spawn\",{\"type\":"
        "\"static\",\"shapes\":[]},{\"as\":\"floor\"}],{\"for\":{\"i\":[0,\"n-1\"]},\"do\":["
        "[\"body.spawn\",{\"position\":[\"=i\",0],\"shapes\":[],\"tag\":\"b {i}\"}]]},"
        "[\"body.remove\",{\"body\":\"$floor\"}]]}";
    carom_client *client = NULL;
    carom_status outcome = carom_connect(NULL, fake_port(server), PATIENCE_MS, NULL, &client, why);
    if (outcome == CAROM_OK) {
        outcome = carom_scene_check(SCENE, strlen(SCENE), NULL, why);
    }
    if (outcome == CAROM_OK) {
        outcome = carom_scene_apply(client, "demo", SCENE, strlen(SCENE), NULL, NULL, why);
    }
    if (outcome == CAROM_OK) {
        char *text = carom_json_print(carom_hello(client), true, NULL);
        outcome = text == NULL ? CAROM_OUT_OF_MEMORY : outcome;
        carom_free_text(text);
    }
    carom_free(client);
    return outcome;
}

// Loses the connection while a command waits, and reconnects.
static carom_status one_loss(fake_server *server, carom_error *why)
{
    carom_client *client = NULL;
    carom_options options = {
        .name = "game",
        .token = "t",
        .reconnect = {.on = true, .first_ms = 1, .max_ms = 2},
        .follow = {.off = true}, // a question for the standby may fail unseen: it comes again later
    };
    carom_status outcome =
        carom_connect(NULL, fake_port(server), PATIENCE_MS, &options, &client, why);
    carom_value *args = carom_set(carom_map(), "world", carom_str("demo"));
    uint64_t request = 0;
    if (outcome == CAROM_OK && args == NULL) {
        outcome = CAROM_OUT_OF_MEMORY;
    }
    if (outcome == CAROM_OK) {
        outcome = carom_request(client, "body.set", args, PATIENCE_MS, NULL, NULL, &request, why);
    }
    if (outcome == CAROM_OK) {
        fake_hang_up(server);
        carom_value *result = NULL;
        while (!carom_take(client, request, &outcome, &result, why)) {
            carom_poll(client, PATIENCE_MS, NULL);
        }
        carom_value_free(result);
    }
    carom_value_free(args);
    carom_free(client);
    return outcome;
}

static long play_until_none_fails(carom_status (*play)(fake_server *, carom_error *))
{
    enum { ALLOCATIONS_MAX = 5000 };
    fake_server *server = fake_start(&(fake_options){.handler = serve});
    long n = 0;
    for (failed = true; failed; n++) {
        assert_true(n < ALLOCATIONS_MAX);
        carom_error why = {0};
        failed = false;
        fail_after = n;
        carom_status outcome = play(server, &why);
        fail_after = -1;
        if (failed ? outcome != CAROM_OUT_OF_MEMORY : outcome != CAROM_OK) {
            fail_msg("allocation %ld: %s: %s", n, carom_status_name(outcome), why.text);
        }
    }
    fake_stop(server);
    return n - 1;
}

static void every_allocation_of_a_client_may_fail(void **state)
{
    (void)state;
    long count = play_until_none_fails(one_day);
    print_message("%ld allocations failed in turn\n", count);
    assert_true(count > 50);
}

static void every_allocation_of_a_scene_may_fail(void **state)
{
    (void)state;
    long count = play_until_none_fails(one_scene);
    print_message("%ld allocations failed in turn\n", count);
    assert_true(count > 50);
}

static void every_allocation_of_a_loss_may_fail(void **state)
{
    (void)state;
    long count = play_until_none_fails(one_loss);
    print_message("%ld allocations failed in turn\n", count);
    assert_true(count > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_a_client_may_fail),
        cmocka_unit_test(every_allocation_of_a_scene_may_fail),
        cmocka_unit_test(every_allocation_of_a_loss_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
