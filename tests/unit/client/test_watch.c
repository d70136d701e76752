// Subscriptions and attached views, over a connection.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <carom/view.h>
#include <carom/json.h>
#include <carom/watch.h>

#include "client/lib/connection.h"
#include "tests/unit/client/connected.h"

static carom_value *snapshot_of(uint64_t subscription, uint64_t tick, bool full, uint64_t body)
{
    carom_value *row = carom_push(carom_array(), carom_uint(body));
    for (int i = 0; i < 6; i++) {
        carom_push(row, carom_real((double)tick));
    }
    carom_value *event = carom_set(carom_map(), "kind", carom_str("begin"));
    carom_set(event, "tick", carom_uint(tick));
    carom_value *v = carom_set(carom_map(), "subscription", carom_uint(subscription));
    carom_set(v, "world", carom_str("demo"));
    carom_set(v, "tick", carom_uint(tick));
    carom_set(v, "time", carom_real((double)tick));
    carom_set(v, "full", carom_bool(full));
    carom_set(v, "bodies", carom_push(carom_array(), row));
    return carom_set(v, "events", carom_push(carom_array(), event));
}

// Answers world.subscribe with the next number. `early` snapshots of it, and of others, go before
// the answer.
typedef struct subscriptions {
    uint64_t next;
    bool early;
    bool refuse;
    char last_args[512]; // arguments of the last call, as JSON
} subscriptions;

static void send_early(fake_server *server, uint64_t subscription)
{
    for (uint64_t other = 100; other < 130; other++) {
        fake_notify(server, "snapshot", snapshot_of(other, 1, true, 9));
    }
    fake_notify(server, "snapshot", snapshot_of(subscription, 1, true, 1));
    fake_notify(server, "snapshot", snapshot_of(subscription, 2, false, 2));
}

static void subscribe_handler(fake_server *server, const fake_message *m, void *user)
{
    subscriptions *s = user;
    if (strcmp(m->method, "hello") == 0) {
        fake_answer(server, m);
        return;
    }
    size_t size;
    char *args = carom_json_print(m->args, false, &size);
    assert_true(size < sizeof s->last_args);
    memcpy(s->last_args, args, size + 1);
    carom_free_text(args);
    if (!m->request) {
        return;
    }
    if (s->refuse) {
        fake_refuse(server, m->id, "not_found: world 'demo' does not exist");
    } else if (strcmp(m->method, "world.subscribe") == 0) {
        uint64_t number = s->next++;
        if (s->early) {
            send_early(server, number);
        }
        carom_value *result = carom_set(carom_map(), "subscription", carom_uint(number));
        fake_reply(server, m->id, carom_set(result, "tick", carom_uint(2)));
    } else {
        fake_reply(server, m->id, carom_map());
    }
}

typedef struct setup {
    subscriptions subscriptions;
    fake_server *server;
    carom_client *client;
    carom_view *view;
} setup;

static setup *set_up(void)
{
    static setup s;
    s = (setup){.subscriptions = {.next = 3}};
    s.server = fake_start(&(fake_options){.handler = subscribe_handler, .user = &s.subscriptions});
    s.client = connect_to(s.server, NULL);
    s.view = carom_view_create(NULL);
    return &s;
}

static void tear_down(setup *s)
{
    carom_view_free(s->view);
    carom_free(s->client);
    fake_stop(s->server);
}

static void poll_until_tick(setup *s, uint64_t tick)
{
    int64_t deadline = deadline_after_ms(PATIENCE_MS);
    while (carom_view_get_state(s->view).tick < tick) {
        assert_true(monotonic_ns() < deadline);
        assert_int_equal(carom_poll(s->client, 100, NULL), CAROM_OK);
    }
}

static void watched_view_gets_the_snapshots(void **state)
{
    (void)state;
    setup *s = set_up();
    uint64_t number = 0;
    assert_int_equal(carom_watch(s->client, "demo", NULL, s->view, PATIENCE_MS, &number, NULL),
                     CAROM_OK);
    assert_int_equal(number, 3);
    assert_int_equal(carom_view_subscription(s->view), 3);
    fake_notify(s->server, "snapshot", snapshot_of(3, 5, true, 8));
    // a snapshot of another subscription
    fake_notify(s->server, "snapshot", snapshot_of(4, 6, true, 9));
    fake_notify(s->server, "snapshot", snapshot_of(3, 7, false, 10));
    poll_until_tick(s, 7);
    assert_int_equal(carom_view_count(s->view), 2);
    assert_null(carom_view_find(s->view, 9));
    assert_int_equal(carom_view_get_state(s->view).events, 2);
    assert_int_equal(carom_client_traffic(s->client).snapshots, 3);
    tear_down(s);
}

static int bodies_added;

static void *count_added(carom_view *view, const carom_body *body, void *user)
{
    (void)view;
    (void)body;
    (void)user;
    bodies_added++;
    return &bodies_added;
}

static void snapshots_that_overtake_the_answer_are_not_lost(void **state)
{
    (void)state;
    setup *s = set_up();
    s->subscriptions.early = true;
    s->subscriptions.next = 105;
    fake_sync(s->server);
    carom_view_free(s->view);
    carom_view_options options = carom_view_options_default();
    options.history = 2;
    options.added = count_added;
    s->view = carom_view_create(&options);
    bodies_added = 0;
    assert_int_equal(carom_watch(s->client, "demo", NULL, s->view, PATIENCE_MS, NULL, NULL),
                     CAROM_OK);
    carom_view_state now = carom_view_get_state(s->view);
    assert_true(now.ready);
    assert_int_equal(now.tick, 2);
    assert_non_null(carom_view_find(s->view, 1));
    assert_non_null(carom_view_find(s->view, 2));
    assert_true(now.events >= 2);
    assert_int_equal(bodies_added, carom_view_count(s->view));
    assert_ptr_equal(carom_view_data(s->view, 1), &bodies_added);
    fake_notify(s->server, "snapshot", snapshot_of(105, 3, false, 4));
    poll_until_tick(s, 3);
    assert_non_null(carom_view_find(s->view, 4));
    tear_down(s);
}

static void refused_watch_leaves_the_view_free(void **state)
{
    (void)state;
    setup *s = set_up();
    s->subscriptions.refuse = true;
    fake_sync(s->server);
    carom_error why = {0};
    assert_int_equal(carom_watch(s->client, "demo", NULL, s->view, PATIENCE_MS, NULL, &why),
                     CAROM_NOT_FOUND);
    assert_true(why.from_server);
    assert_int_equal(carom_view_subscription(s->view), 0);
    s->subscriptions.refuse = false;
    fake_sync(s->server);
    assert_int_equal(carom_watch(s->client, "demo", NULL, s->view, PATIENCE_MS, NULL, NULL),
                     CAROM_OK);
    assert_int_equal(carom_watch(s->client, "demo", NULL, s->view, PATIENCE_MS, NULL, NULL),
                     CAROM_INVALID_ARGUMENT);
    tear_down(s);
}

static void options_become_arguments(void **state)
{
    (void)state;
    static const char *const KINDS[] = {"begin", "hit"};
    setup *s = set_up();
    carom_subscribe_options options = carom_subscribe_options_default();
    assert_int_equal(carom_subscribe(s->client, "demo", &options, PATIENCE_MS, NULL, NULL),
                     CAROM_OK);
    fake_sync(s->server);
    assert_string_equal(s->subscriptions.last_args, "{\"world\":\"demo\",\"encoding\":\"packed\"}");
    options = (carom_subscribe_options){.exact = true,
                                        .encoding = "plain",
                                        .rate = 20,
                                        .contacts = true,
                                        .has_area = true,
                                        .area = {-1, -2, 3, 4},
                                        .events = KINDS,
                                        .event_count = 2};
    carom_subscribe(s->client, "demo", &options, PATIENCE_MS, NULL, NULL);
    fake_sync(s->server);
    assert_string_equal(
        s->subscriptions.last_args,
        "{\"world\":\"demo\",\"encoding\":\"plain\",\"rate\":20.0,\"bodies\":false,"
        "\"contacts\":true,\"area\":[-1.0,-2.0,3.0,4.0],\"events\":[\"begin\",\"hit\"]}");
    carom_subscription_area(s->client, 4, options.area, PATIENCE_MS, NULL);
    fake_sync(s->server);
    assert_string_equal(s->subscriptions.last_args,
                        "{\"subscription\":4,\"area\":[-1.0,-2.0,3.0,4.0]}");
    carom_subscription_area(s->client, 4, NULL, PATIENCE_MS, NULL);
    fake_sync(s->server);
    assert_string_equal(s->subscriptions.last_args, "{\"subscription\":4}");
    assert_int_equal(carom_subscribe(s->client, "demo", NULL, CAROM_NO_REPLY, NULL, NULL),
                     CAROM_INVALID_ARGUMENT);
    tear_down(s);
}

static void unsubscribed_view_is_let_go(void **state)
{
    (void)state;
    setup *s = set_up();
    uint64_t number;
    carom_watch(s->client, "demo", NULL, s->view, PATIENCE_MS, &number, NULL);
    assert_int_equal(carom_unsubscribe(s->client, number, PATIENCE_MS, NULL), CAROM_OK);
    assert_int_equal(carom_view_subscription(s->view), 0);
    assert_true(carom_view_get_state(s->view).ended);
    carom_watch(s->client, "demo", NULL, s->view, PATIENCE_MS, &number, NULL);
    assert_false(carom_view_get_state(s->view).ended);
    assert_int_equal(carom_unsubscribe(s->client, number, CAROM_NO_REPLY, NULL), CAROM_OK);
    assert_true(carom_view_get_state(s->view).ended);
    tear_down(s);
}

static void closed_world_ends_its_view(void **state)
{
    (void)state;
    setup *s = set_up();
    carom_watch(s->client, "demo", NULL, s->view, PATIENCE_MS, NULL, NULL);
    fake_notify(s->server, "snapshot", snapshot_of(3, 5, true, 8));
    poll_until_tick(s, 5);
    carom_value *closed = carom_set(carom_map(), "subscription", carom_uint(3));
    fake_notify(s->server, "world_closed", carom_set(closed, "reason", carom_str("gone")));
    while (!carom_view_get_state(s->view).ended) {
        assert_int_equal(carom_poll(s->client, PATIENCE_MS, NULL), CAROM_OK);
    }
    assert_int_equal(carom_view_count(s->view), 1); // as last seen
    tear_down(s);
}

static void view_outlives_its_client_and_the_other_way(void **state)
{
    (void)state;
    setup *s = set_up();
    carom_watch(s->client, "demo", NULL, s->view, PATIENCE_MS, NULL, NULL);
    carom_view *second = carom_view_create(NULL);
    carom_watch(s->client, "demo", NULL, second, PATIENCE_MS, NULL, NULL);
    carom_view_free(second);
    // a snapshot of the freed subscription
    fake_notify(s->server, "snapshot", snapshot_of(4, 5, true, 8));
    fake_notify(s->server, "snapshot", snapshot_of(3, 5, true, 8));
    poll_until_tick(s, 5);
    carom_close(s->client);
    assert_true(carom_view_get_state(s->view).ended);
    assert_int_equal(carom_view_count(s->view), 1);
    assert_int_equal(carom_view_attach(s->view, s->client, 3, NULL), CAROM_UNAVAILABLE);
    tear_down(s);
}

static void attaching_twice_is_refused(void **state)
{
    (void)state;
    setup *s = set_up();
    carom_view *second = carom_view_create(NULL);
    assert_int_equal(carom_view_attach(s->view, s->client, 0, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_view_attach(s->view, s->client, 7, NULL), CAROM_OK);
    assert_int_equal(carom_view_attach(s->view, s->client, 8, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_view_attach(second, s->client, 7, NULL), CAROM_ALREADY_EXISTS);
    carom_view_detach(s->view);
    carom_view_detach(s->view);
    assert_int_equal(carom_view_attach(second, s->client, 7, NULL), CAROM_OK);
    carom_view_free(second);
    tear_down(s);
}

// ---- handlers

typedef struct seen {
    int snapshots, events;
    uint64_t view_tick; // the view's tick within the handler
    setup *setup;
    bool done;
} seen;

static void see_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user)
{
    (void)client;
    (void)snapshot;
    seen *n = user;
    n->snapshots++;
    n->view_tick = carom_view_get_state(n->setup->view).tick;
}

static void see_event(carom_client *client, const carom_snapshot *snapshot,
                      const carom_event *event, void *user)
{
    seen *n = user;
    assert_int_equal(event->tick, snapshot->tick);
    n->events++;
    n->done = true;
    carom_close(client);
}

static void handlers_come_after_the_view(void **state)
{
    (void)state;
    setup *s = set_up();
    seen n = {.setup = s};
    carom_set_handlers(s->client,
                       &(carom_handlers){.user = &n, .snapshot = see_snapshot, .event = see_event});
    carom_watch(s->client, "demo", NULL, s->view, PATIENCE_MS, NULL, NULL);
    fake_notify(s->server, "snapshot", snapshot_of(3, 5, true, 8));
    fake_notify(s->server, "snapshot", snapshot_of(3, 6, false, 8));
    poll_until(s->client, &n.done);
    assert_int_equal(n.view_tick, 5);
    assert_int_equal(n.snapshots, 1); // the event's handler has closed the client
    assert_int_equal(n.events, 1);
    tear_down(s);
}

// Sends the JSON of a snapshot.
static void send_json(fake_server *server, const char *text)
{
    carom_value *snapshot = NULL;
    assert_int_equal(carom_json_parse(text, strlen(text), &snapshot, NULL), CAROM_OK);
    fake_notify(server, "snapshot", snapshot);
}

static int described_count;

static void count_described(carom_view *view, const carom_body *body, const carom_body_info *info,
                            void *data, void *user)
{
    (void)view;
    (void)data;
    (void)user;
    assert_int_equal(body->id, info->body.id);
    described_count++;
}

#define HEAD   "{\"subscription\":3,\"world\":\"demo\",\"epoch\":1,"
#define CIRCLE "[{\"shape\":9,\"kind\":\"circle\",\"radius\":0.5,\"friction\":0}]"

static void described_bodies_and_joints_are_known(void **state)
{
    (void)state;
    setup *s = set_up();
    carom_view_free(s->view);
    described_count = 0;
    s->view = carom_view_create(&(carom_view_options){.described = count_described});
    carom_watch(s->client, "demo", &(carom_subscribe_options){.describe = true}, s->view,
                PATIENCE_MS, NULL, NULL);
    fake_sync(s->server);
    assert_string_equal(s->subscriptions.last_args,
                        "{\"world\":\"demo\",\"encoding\":\"packed\",\"describe\":true}");
    // Body 1 is described and has a row; 2 sleeps and has none; 3 is described later.
    send_json(s->server,
              HEAD "\"tick\":1,\"time\":1,\"full\":true,\"describing\":true,\"view\":[-1,-2,3,4],"
                   "\"bodies\":[[1,5,6,0,0,0,0],[3,0,0,0,0,0,0]],\"spawned\":["
                   "{\"body\":1,\"type\":\"dynamic\",\"tag\":\"cue\",\"owner\":\"ann\","
                   "\"position\":[5,6],\"shapes\":" CIRCLE "},"
                   "{\"body\":2,\"type\":\"static\",\"position\":[7,8],\"awake\":false,"
                   "\"shapes\":[]}],"
                   "\"joints\":[{\"joint\":4,\"kind\":\"weld\",\"a\":1,\"b\":2},"
                   "{\"joint\":5,\"kind\":\"weld\",\"a\":1,\"b\":3}]}");
    poll_until_tick(s, 1);
    carom_view_state now = carom_view_get_state(s->view);
    assert_true(now.bodies == 3 && now.joints == 2 && now.describing && now.has_area);
    assert_true(now.area[3] == 4);
    size_t one = 9, two = 9, three = 9;
    assert_true(carom_view_index(s->view, 1, &one) && carom_view_index(s->view, 2, &two));
    assert_true(carom_view_index(s->view, 3, &three));
    const carom_body_info *info = carom_view_info(s->view, one);
    assert_string_equal(info->tag, "cue");
    assert_string_equal(info->owner, "ann");
    assert_true(info->shape_count == 1 && info->shapes[0].shape.radius == 0.5);
    assert_true(carom_view_body(s->view, two)->x == 7);
    assert_int_equal(carom_view_info(s->view, two)->type, CAROM_STATIC);
    assert_true(carom_view_awake(s->view, one) && !carom_view_awake(s->view, two));
    assert_null(carom_view_info(s->view, three));
    assert_int_equal(described_count, 2);
    // Body 1 falls asleep, and is described again; body 3 is described.
    send_json(s->server, HEAD "\"tick\":2,\"time\":2,\"full\":false,\"spawned\":["
                              "{\"body\":1,\"type\":\"kinematic\",\"shapes\":" CIRCLE "},"
                              "{\"body\":3,\"type\":\"dynamic\",\"shapes\":" CIRCLE "}],"
                              "\"joints_removed\":[4],\"events\":[{\"kind\":\"sleep\",\"a\":3}]}");
    poll_until_tick(s, 2);
    assert_int_equal(carom_view_info(s->view, one)->type, CAROM_KINEMATIC);
    assert_non_null(carom_view_info(s->view, three));
    assert_false(carom_view_awake(s->view, three));
    assert_int_equal(described_count, 4);
    assert_null(carom_view_find_joint(s->view, 4));
    assert_int_equal(carom_view_find_joint(s->view, 5)->settings.b, 3);
    assert_false(carom_view_get_state(s->view).describing);
    // A row shows that the body moves; a joint whose bodies have left the view is no longer
    // visible.
    send_json(s->server, HEAD "\"tick\":3,\"time\":3,\"full\":false,"
                              "\"bodies\":[[3,1,1,0,0,0,0]],\"leave\":[1]}");
    poll_until_tick(s, 3);
    assert_true(carom_view_index(s->view, 3, &three) && carom_view_awake(s->view, three));
    assert_int_equal(carom_view_joint_count(s->view), 1);
    send_json(s->server, HEAD "\"tick\":4,\"time\":4,\"full\":false,\"leave\":[3]}");
    poll_until_tick(s, 4);
    assert_int_equal(carom_view_joint_count(s->view), 0);
    tear_down(s);
}

static void malformed_description_closes_the_connection(void **state)
{
    (void)state;
    static const char *const BAD[] = {
        "\"spawned\":[{\"body\":1,\"type\":\"ghost\",\"shapes\":[]}]",
        "\"spawned\":[{\"type\":\"static\",\"shapes\":[]}]",
        "\"spawned\":[7]",
        "\"spawned\":[{\"body\":1,\"type\":\"static\",\"shapes\":[{\"kind\":\"blob\"}]}]",
        "\"joints\":[{\"kind\":\"weld\"}]",
        "\"joints_removed\":[0]",
        "\"view\":[1,2,3]",
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        setup *s = set_up();
        char text[256];
        snprintf(text, sizeof text, HEAD "\"tick\":1,\"time\":1,\"full\":true,%s}", BAD[i]);
        send_json(s->server, text);
        int64_t deadline = deadline_after_ms(PATIENCE_MS);
        while (carom_poll(s->client, 100, NULL) == CAROM_OK) {
            assert_true(monotonic_ns() < deadline);
        }
        assert_int_equal(carom_close_reason(s->client, NULL), CAROM_INTERNAL);
        tear_down(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watched_view_gets_the_snapshots),
        cmocka_unit_test(snapshots_that_overtake_the_answer_are_not_lost),
        cmocka_unit_test(refused_watch_leaves_the_view_free),
        cmocka_unit_test(options_become_arguments),
        cmocka_unit_test(unsubscribed_view_is_let_go),
        cmocka_unit_test(closed_world_ends_its_view),
        cmocka_unit_test(view_outlives_its_client_and_the_other_way),
        cmocka_unit_test(attaching_twice_is_refused),
        cmocka_unit_test(handlers_come_after_the_view),
        cmocka_unit_test(described_bodies_and_joints_are_known),
        cmocka_unit_test(malformed_description_closes_the_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
