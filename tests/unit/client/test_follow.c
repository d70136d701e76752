// Worlds that other servers serve: requests, subscriptions and views go there by themselves.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <carom/carom.h>

#include "client/lib/clock.h"
#include "client/lib/follow.h"
#include "tests/unit/client/connected.h"

// A server that serves every world, or says that another one does.
typedef struct place {
    fake_server *server;
    char moved_to[64]; // "" : it serves all worlds
    bool silent;       // answers no request for a world
    uint64_t number;   // number of the next subscription
    _Atomic int asked; // requests for a world
    int hellos;
    const char *standby;       // named by world.info; NULL: none
    const char *hello_standby; // named by hello; NULL: none
    char secret[32];           // secret by which a session was resumed here
    bool stranger;             // knows no session of another server
    int unready;               // refusals of resumed sessions to come, until the world is here
    char token[32];            // token of the last hello
    char seen[256];            // `body` of each body.set, in order
    uint32_t held[8];          // ids that were not answered
    uint32_t held_count;
} place;

enum { PLACES_MAX = FOLLOW_SERVERS_MAX + 2 };

static place places[PLACES_MAX];

// A client that reconnects asks for standbys when it likes, so that a server may be answering.
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

#define CHANGE(assignment)                                                                         \
    do {                                                                                           \
        pthread_mutex_lock(&turn);                                                                 \
        assignment;                                                                                \
        pthread_mutex_unlock(&turn);                                                               \
    } while (false)

// A packed snapshot that no client can decode: it changes a state that was never sent.
static carom_value *change_of(uint64_t subscription)
{
    carom_value *v = carom_set(carom_map(), "subscription", carom_uint(subscription));
    carom_set(v, "full", carom_bool(false));
    carom_set(v, "data", carom_bin("\x01\x02\x03", 3));
    return carom_set(v, "events", carom_array());
}

static carom_value *snapshot_of(uint64_t subscription, uint64_t tick)
{
    carom_value *row = carom_push(carom_array(), carom_uint(1));
    for (int i = 0; i < 6; i++) {
        carom_push(row, carom_real((double)tick));
    }
    carom_value *v = carom_set(carom_map(), "subscription", carom_uint(subscription));
    carom_set(v, "world", carom_str("lab"));
    carom_set(v, "tick", carom_uint(tick));
    carom_set(v, "time", carom_real((double)tick));
    carom_set(v, "full", carom_bool(true));
    carom_set(v, "bodies", carom_push(carom_array(), row));
    return carom_set(v, "events", carom_array());
}

static void refuse(place *p, uint32_t id)
{
    char text[128];
    snprintf(text, sizeof text, "moved: %s world 'lab' is served there", p->moved_to);
    fake_refuse(p->server, id, text);
}

static bool refuse_session(fake_server *server, const fake_message *m, place *p)
{
    if (carom_get_str(m->args, "resume", "")[0] == '\0' || (!p->stranger && p->unready == 0)) {
        return false;
    }
    fake_refuse(server, m->id,
                p->stranger ? "not_found: resume: there is no such session (any more)"
                            : "unavailable: resume: a world of the session is about to come");
    p->unready -= p->unready > 0 ? 1 : 0;
    return true;
}

// Every session goes on here with its subscription 3.
static void welcome(fake_server *server, const fake_message *m, place *p)
{
    const char *resume = carom_get_str(m->args, "resume", "");
    carom_value *hello = carom_set(carom_map(), "session", carom_uint(7));
    carom_set(hello, "resume", carom_str(p == places ? "first" : "other"));
    if (p->hello_standby != NULL) {
        carom_set(hello, "standby", carom_str(p->hello_standby));
    }
    if (resume[0] != '\0') {
        carom_value *three = carom_set(carom_map(), "subscription", carom_uint(3));
        carom_value *applied = carom_set(carom_map(), "epoch", carom_uint(1));
        carom_set(applied, "last", carom_uint(1000000));
        snprintf(p->secret, sizeof p->secret, "%s", resume);
        carom_set(hello, "subscriptions", carom_push(carom_array(), three));
        carom_set(hello, "applied", carom_set(carom_map(), "lab", applied));
    }
    fake_reply(server, m->id, hello);
    if (resume[0] != '\0') {
        fake_notify(server, "snapshot", snapshot_of(3, 60));
    }
}

static void answer_to(fake_server *server, const fake_message *m, void *user)
{
    place *p = user;
    if (strcmp(m->method, "hello") == 0) {
        p->hellos++;
        if (refuse_session(server, m, p)) {
            return;
        }
        snprintf(p->token, sizeof p->token, "%s", carom_get_str(m->args, "token", ""));
        welcome(server, m, p);
        return;
    }
    if (!m->request || carom_value_get(m->args, "world") == NULL) {
        if (m->request) {
            fake_reply(server, m->id, carom_map());
        }
        return;
    }
    if (p->silent) {
        p->held[p->held_count++ % 8] = m->id;
        p->asked++; // last: the test that awaits it looks at the others
        return;
    }
    p->asked++;
    if (p->moved_to[0] != '\0') {
        refuse(p, m->id);
    } else if (strcmp(m->method, "world.subscribe") == 0) {
        fake_reply(server, m->id, carom_set(carom_map(), "subscription", carom_uint(p->number)));
        fake_notify(server, "snapshot", snapshot_of(p->number, 10 * p->number));
        p->number++;
    } else if (strcmp(m->method, "world.info") == 0 && p->standby != NULL) {
        carom_value *info = carom_set(carom_map(), "durability", carom_str("replicated"));
        fake_reply(server, m->id, carom_set(info, "standby", carom_str(p->standby)));
    } else {
        const size_t used = strlen(p->seen);
        if (strcmp(m->method, "body.set") == 0) {
            snprintf(p->seen + used, sizeof p->seen - used, "%u ",
                     (unsigned)carom_get_uint(m->args, "body", 0));
        }
        fake_reply(server, m->id, carom_set(carom_map(), "tick", carom_uint(7)));
    }
}

static void serve(fake_server *server, const fake_message *m, void *user)
{
    pthread_mutex_lock(&turn);
    answer_to(server, m, user);
    pthread_mutex_unlock(&turn);
}

static void begin(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        places[i] = (place){.number = 3};
        places[i].server = fake_start(&(fake_options){.handler = serve, .user = &places[i]});
        fake_sync(places[i].server);
    }
}

static void end(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fake_stop(places[i].server);
    }
}

static void name(uint32_t from, uint32_t to)
{
    pthread_mutex_lock(&turn);
    snprintf(places[from].moved_to, sizeof places[from].moved_to, "127.0.0.1:%u",
             (unsigned)fake_port(places[to].server));
    pthread_mutex_unlock(&turn);
    fake_sync(places[from].server);
}

static carom_value *body_args(uint64_t body)
{
    return carom_set(carom_set(carom_map(), "world", carom_str("lab")), "body", carom_uint(body));
}

static carom_status set_body(carom_client *client, uint64_t body, int timeout_ms, carom_error *why)
{
    carom_value *args = body_args(body);
    const carom_status outcome = carom_call(client, "body.set", args, timeout_ms, NULL, why);
    carom_value_free(args);
    return outcome;
}

static carom_options with_token(void)
{
    carom_options options = carom_options_default();
    options.token = "mine";
    return options;
}

static void request_goes_to_the_server_that_is_named_and_later_ones_directly(void **state)
{
    (void)state;
    begin(2);
    name(0, 1);
    const carom_options options = with_token();
    carom_client *client = connect_to(places[0].server, &options);
    carom_error why;
    for (uint64_t body = 1; body <= 3; body++) {
        assert_int_equal(set_body(client, body, PATIENCE_MS, &why), CAROM_OK);
    }
    carom_value *args = body_args(4);
    assert_int_equal(carom_send(client, "body.set", args, NULL), CAROM_OK);
    carom_value_free(args);
    assert_int_equal(carom_flush(client, PATIENCE_MS, NULL), CAROM_OK);
    assert_non_null(carom_hello_of(client, "lab"));
    assert_ptr_not_equal(carom_hello_of(client, "lab"), carom_hello(client));
    assert_ptr_equal(carom_hello_of(client, "other"), carom_hello(client));
    carom_free(client);
    end(2);
    assert_int_equal(places[0].asked, 1);
    assert_string_equal(places[1].seen, "1 2 3 ");
    assert_string_equal(places[1].token, "mine");
    assert_int_equal(places[1].hellos, 1);
}

static void servers_that_name_each_other_are_told(void **state)
{
    (void)state;
    begin(2);
    name(0, 1);
    name(1, 0);
    carom_client *client = connect_to(places[0].server, NULL);
    carom_error why;
    assert_int_equal(set_body(client, 1, PATIENCE_MS, &why), CAROM_MOVED);
    assert_non_null(strstr(why.text, "world 'lab' was not found in 4 steps"));
    assert_non_null(strstr(why.text, "these servers name each other"));
    carom_free(client);
    end(2);
    assert_int_equal(places[0].asked + places[1].asked, FOLLOW_HOPS_MAX + 1);
}

typedef struct answers {
    int count;
    bool all;
    int wanted;
} answers;

static void on_answer(carom_client *client, uint64_t request, const carom_value *result,
                      const carom_error *why, void *user)
{
    (void)client;
    (void)request;
    answers *a = user;
    assert_null(why);
    assert_non_null(result);
    a->all = ++a->count == a->wanted;
}

static void ask(carom_client *client, uint64_t body, answers *a)
{
    carom_value *args = body_args(body);
    assert_int_equal(carom_request(client, "body.set", args, PATIENCE_MS, on_answer, a, NULL, NULL),
                     CAROM_OK);
    carom_value_free(args);
}

static void await_asked(carom_client *client, uint32_t at, int count)
{
    const int64_t deadline = deadline_after_ms(PATIENCE_MS);
    for (;;) {
        fake_sync(places[at].server);
        if (places[at].asked >= count) {
            return;
        }
        assert_true(monotonic_ns() < deadline);
        carom_poll(client, 5, NULL);
    }
}

// Waits until a connection of the client has said something to that server.
static void await_contact(carom_client *client, uint32_t at)
{
    const int64_t deadline = deadline_after_ms(PATIENCE_MS);
    while (fake_received(places[at].server) == 0) {
        assert_true(monotonic_ns() < deadline);
        carom_poll(client, 5, NULL);
    }
}

static void requests_of_a_moved_world_keep_their_order(void **state)
{
    (void)state;
    begin(2);
    name(0, 1);
    CHANGE(places[0].silent = true);
    fake_sync(places[0].server);
    carom_client *client = connect_to(places[0].server, NULL);
    answers got = {.wanted = 5};
    for (uint64_t body = 1; body <= 3; body++) {
        ask(client, body, &got);
    }
    await_asked(client, 0, 3);
    refuse(&places[0], places[0].held[0]);
    await_asked(client, 1, 1);
    ask(client, 4, &got); // waits for the second and third
    ask(client, 5, &got);
    carom_poll(client, 20, NULL);
    refuse(&places[0], places[0].held[1]);
    refuse(&places[0], places[0].held[2]);
    poll_until(client, &got.all);
    carom_free(client);
    end(2);
    assert_string_equal(places[1].seen, "1 2 3 4 5 ");
}

static void token_goes_to_no_server_outside_of_the_machine(void **state)
{
    (void)state;
    begin(2);
    snprintf(places[0].moved_to, sizeof places[0].moved_to, "192.0.2.1:22766");
    fake_sync(places[0].server);
    const carom_options options = with_token();
    carom_client *client = connect_to(places[0].server, &options);
    carom_error why;
    assert_int_equal(set_body(client, 1, PATIENCE_MS, &why), CAROM_MOVED);
    assert_non_null(strstr(why.text, "192.0.2.1:22766 world 'lab' is served there; not followed: "
                                     "the token goes only over TLS"));
    carom_free(client);
    end(2);
}

static void bad_address_is_told(void **state)
{
    (void)state;
    static const char *const BAD[] = {"nowhere", "a:b:c", "caroms://127.0.0.1:1", "127.0.0.1:0"};
    begin(1);
    carom_client *client = connect_to(places[0].server, NULL);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        snprintf(places[0].moved_to, sizeof places[0].moved_to, "%s", BAD[i]);
        fake_sync(places[0].server);
        carom_error why;
        assert_int_equal(set_body(client, 1, PATIENCE_MS, &why), CAROM_MOVED);
        assert_non_null(strstr(why.text, "; not followed: "));
    }
    carom_free(client);
    end(1);
}

static void client_told_not_to_follow_gets_the_error(void **state)
{
    (void)state;
    begin(2);
    name(0, 1);
    carom_options options = carom_options_default();
    options.follow.off = true;
    carom_client *client = connect_to(places[0].server, &options);
    carom_error why;
    char expected[128];
    snprintf(expected, sizeof expected, "%s world 'lab' is served there", places[0].moved_to);
    assert_int_equal(set_body(client, 1, PATIENCE_MS, &why), CAROM_MOVED);
    assert_string_equal(why.text, expected);
    carom_free(client);
    end(2);
    assert_int_equal(places[1].hellos, 0);
}

static void request_has_one_deadline_over_all_servers(void **state)
{
    (void)state;
    begin(2);
    name(0, 1);
    CHANGE(places[1].silent = true);
    fake_sync(places[1].server);
    carom_client *client = connect_to(places[0].server, NULL);
    carom_error why;
    assert_int_equal(set_body(client, 1, 300, &why), CAROM_UNAVAILABLE);
    assert_non_null(strstr(why.text, "no answer to 'body.set' within 300 ms"));
    carom_free(client);
    end(2);
}

static void servers_of_one_client_are_bounded(void **state)
{
    (void)state;
    begin(FOLLOW_SERVERS_MAX + 1);
    carom_client *client = connect_to(places[0].server, NULL);
    for (uint32_t i = 1; i <= FOLLOW_SERVERS_MAX; i++) {
        char world[8];
        snprintf(world, sizeof world, "w%u", (unsigned)i);
        name(0, i);
        carom_value *args = carom_set(carom_map(), "world", carom_str(world));
        carom_error why;
        const carom_status outcome =
            carom_call(client, "world.info", args, PATIENCE_MS, NULL, &why);
        assert_int_equal(outcome, i < FOLLOW_SERVERS_MAX ? CAROM_OK : CAROM_MOVED);
        if (outcome != CAROM_OK) {
            assert_non_null(strstr(why.text, "16 servers are connected, which is the limit"));
        }
        carom_value_free(args);
    }
    carom_free(client);
    end(FOLLOW_SERVERS_MAX + 1);
}

typedef struct watched {
    bool at_a, at_b, at_c, late, ended;
    uint64_t subscription, tick;
    char code[32];
} watched;

static void on_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user)
{
    (void)client;
    watched *w = user;
    w->subscription = snapshot->subscription;
    w->tick = snapshot->tick;
    w->at_a = w->at_a || snapshot->tick == 30;
    w->late = w->late || snapshot->tick == 31;
    w->at_b = w->at_b || snapshot->tick == 50;
    w->at_c = w->at_c || snapshot->tick == 60;
}

static void on_notification(carom_client *client, const char *method, const carom_value *params,
                            void *user)
{
    (void)client;
    watched *w = user;
    if (strcmp(method, "world_closed") == 0) {
        w->ended = true;
        snprintf(w->code, sizeof w->code, "%s", carom_get_str(params, "code", ""));
        assert_int_equal(carom_get_uint(params, "subscription", 0), w->subscription);
    }
}

static carom_value *closed(uint64_t number, const char *code, const char *reason)
{
    carom_value *v = carom_set(carom_map(), "subscription", carom_uint(number));
    carom_set(v, "world", carom_str("lab"));
    carom_set(v, "code", carom_str(code));
    return carom_set(v, "reason", carom_str(reason));
}

static void subscription_and_view_go_with_their_world(void **state)
{
    (void)state;
    begin(3);
    CHANGE(places[1].number = 5);
    CHANGE(places[2].number = 6);
    CHANGE(places[1].stranger = places[2].stranger = true);
    fake_sync(places[1].server);
    fake_sync(places[2].server);
    watched w = {0};
    carom_options options = carom_options_default();
    options.handlers =
        (carom_handlers){.user = &w, .snapshot = on_snapshot, .notification = on_notification};
    carom_client *client = connect_to(places[0].server, &options);
    carom_view *view = carom_view_create(NULL);
    uint64_t number = 0;
    assert_int_equal(carom_watch(client, "lab", NULL, view, PATIENCE_MS, &number, NULL), CAROM_OK);
    assert_int_equal(number, 3);
    poll_until(client, &w.at_a);
    name(0, 1);
    carom_value *left = carom_set(carom_map(), "world", carom_str("lab"));
    carom_set(left, "address", carom_str(places[0].moved_to));
    fake_notify(places[0].server, "moved", left);
    fake_notify(places[0].server, "snapshot", snapshot_of(3, 31)); // too late: not shown
    // A server that hung goes on with changes of a state that was forgotten with `moved`.
    fake_notify(places[0].server, "snapshot", change_of(3));
    fake_notify(places[0].server, "world_closed", closed(3, "moved", "it has left"));
    poll_until(client, &w.at_b);
    assert_int_equal(w.subscription, 3); // the program's number stays
    assert_false(w.late);
    assert_false(w.ended);
    assert_int_equal(carom_view_get_state(view).tick, 50);
    assert_int_equal(carom_view_subscription(view), 3);
    // A server that names the new address only in the text of its reason.
    char reason[128];
    snprintf(reason, sizeof reason, "127.0.0.1:%u world 'lab' is served there",
             (unsigned)fake_port(places[2].server));
    fake_notify(places[1].server, "world_closed", closed(5, "moved", reason));
    poll_until(client, &w.at_c);
    assert_int_equal(carom_view_get_state(view).tick, 60);
    // The end of the world is reported under the program's number.
    fake_notify(places[2].server, "world_closed", closed(6, "not_found", "it was destroyed"));
    poll_until(client, &w.ended);
    assert_string_equal(w.code, "not_found");
    assert_int_equal(carom_view_subscription(view), 0);
    carom_view_free(view);
    carom_free(client);
    end(3);
}

static void subscriptions_of_two_servers_have_different_numbers(void **state)
{
    (void)state;
    begin(2);
    carom_client *client = connect_to(places[0].server, NULL);
    uint64_t first = 0;
    uint64_t second = 0;
    assert_int_equal(carom_subscribe(client, "own", NULL, PATIENCE_MS, &first, NULL), CAROM_OK);
    name(0, 1);
    assert_int_equal(carom_subscribe(client, "lab", NULL, PATIENCE_MS, &second, NULL), CAROM_OK);
    assert_int_equal(first, 3);
    assert_int_not_equal(first, second);
    const double area[4] = {0, 0, 1, 1};
    assert_int_equal(carom_subscription_area(client, second, area, PATIENCE_MS, NULL), CAROM_OK);
    assert_int_equal(carom_unsubscribe(client, second, PATIENCE_MS, NULL), CAROM_OK);
    assert_int_equal(carom_unsubscribe(client, first, PATIENCE_MS, NULL), CAROM_OK);
    carom_free(client);
    end(2);
}

static void own_loop_hears_of_all_connections(void **state)
{
    (void)state;
    begin(2);
    name(0, 1);
    carom_client *client = connect_to(places[0].server, NULL);
    assert_int_equal(set_body(client, 1, PATIENCE_MS, NULL), CAROM_OK);
    answers got = {.wanted = 1};
    ask(client, 2, &got);
    const int64_t deadline = deadline_after_ms(PATIENCE_MS);
    while (!got.all) {
        struct pollfd ready = {.fd = carom_fd(client), .events = POLLIN};
        ready.events |= carom_wants_write(client) ? POLLOUT : 0;
        assert_true(ready.fd >= 0 && monotonic_ns() < deadline);
        assert_true(poll(&ready, 1, PATIENCE_MS) > 0); // not by a timeout
        carom_poll(client, 0, NULL);
    }
    carom_free(client);
    end(2);
}

static void world_of_a_server_that_has_gone_is_asked_for_again(void **state)
{
    (void)state;
    begin(3);
    name(0, 1);
    CHANGE(places[1].number = 5);
    CHANGE(places[2].number = 6);
    fake_sync(places[1].server);
    fake_sync(places[2].server);
    watched w = {0};
    carom_options options = carom_options_default();
    options.handlers =
        (carom_handlers){.user = &w, .snapshot = on_snapshot, .notification = on_notification};
    carom_client *client = connect_to(places[0].server, &options);
    uint64_t number = 0;
    assert_int_equal(carom_subscribe(client, "lab", NULL, PATIENCE_MS, &number, NULL), CAROM_OK);
    poll_until(client, &w.at_b);
    name(0, 2);
    fake_hang_up(places[1].server);
    poll_until(client, &w.at_c);
    assert_int_equal(w.subscription, number);
    assert_false(w.ended);
    assert_int_equal(set_body(client, 9, PATIENCE_MS, NULL), CAROM_OK);
    carom_free(client);
    end(3);
    assert_string_equal(places[2].seen, "9 ");
}

typedef struct told {
    bool ended;
    carom_applied applied;
} told;

static void on_lost_answer(carom_client *client, uint64_t request, const carom_value *result,
                           const carom_error *why, void *user)
{
    (void)client;
    (void)request;
    (void)result;
    assert_non_null(why);
    *(told *)user = (told){true, why->applied};
}

static void session_goes_on_where_its_worlds_are_when_its_server_dies(void **state)
{
    (void)state;
    begin(3);
    char standby[64];
    snprintf(standby, sizeof standby, "127.0.0.1:%u", (unsigned)fake_port(places[1].server));
    CHANGE(places[0].standby = standby);
    fake_sync(places[0].server);
    name(1, 0);
    watched w = {0};
    carom_options options = with_token();
    options.reconnect = (carom_reconnect){.on = true, .first_ms = 1, .max_ms = 20};
    options.handlers =
        (carom_handlers){.user = &w, .snapshot = on_snapshot, .notification = on_notification};
    carom_client *client = connect_to(places[0].server, &options);
    uint64_t number = 0;
    assert_int_equal(carom_subscribe(client, "lab", NULL, PATIENCE_MS, &number, NULL), CAROM_OK);
    await_contact(client, 1); // ahead of need
    CHANGE(places[0].silent = true);
    fake_sync(places[0].server);
    told answer = {0};
    carom_value *args = body_args(1);
    assert_int_equal(
        carom_request(client, "body.set", args, PATIENCE_MS, on_lost_answer, &answer, NULL, NULL),
        CAROM_OK);
    carom_value_free(args);
    await_asked(client, 0, 3);
    name(1, 2); // this server has taken over
    fake_stop(places[0].server);
    poll_until(client, &w.at_c);
    poll_until(client, &answer.ended);
    assert_int_equal(answer.applied, CAROM_APPLIED_YES);
    assert_int_equal(w.subscription, number);
    assert_false(w.ended);
    assert_int_equal(set_body(client, 2, PATIENCE_MS, NULL), CAROM_OK);
    carom_free(client);
    fake_stop(places[1].server);
    fake_stop(places[2].server);
    assert_string_equal(places[1].secret, "");
    assert_string_equal(places[2].secret, "first");
    assert_string_equal(places[2].seen, "2 ");
}

static void move_lab(uint32_t from, uint32_t to)
{
    name(from, to);
    carom_value *left = carom_set(carom_map(), "world", carom_str("lab"));
    fake_notify(places[from].server, "moved",
                carom_set(left, "address", carom_str(places[from].moved_to)));
    fake_notify(places[from].server, "world_closed", closed(3, "moved", "it has left"));
}

static void session_goes_along_when_its_world_moves(void **state)
{
    (void)state;
    begin(2);
    CHANGE(places[1].unready = 2);
    fake_sync(places[1].server);
    watched w = {0};
    carom_options options = with_token(); // without reconnect
    options.handlers =
        (carom_handlers){.user = &w, .snapshot = on_snapshot, .notification = on_notification};
    carom_client *client = connect_to(places[0].server, &options);
    carom_view *view = carom_view_create(NULL);
    uint64_t number = 0;
    assert_int_equal(carom_watch(client, "lab", NULL, view, PATIENCE_MS, &number, NULL), CAROM_OK);
    move_lab(0, 1);
    answers got = {.wanted = 1};
    ask(client, 1, &got); // before or after the notice
    poll_until(client, &w.at_c);
    poll_until(client, &got.all);
    assert_int_equal(w.subscription, number);
    assert_false(w.ended);
    assert_int_equal(carom_view_get_state(view).tick, 60);
    assert_int_equal(carom_client_traffic(client).reconnects, 0);
    carom_view_free(view);
    carom_free(client);
    end(2);
    assert_string_equal(places[1].secret, "first");
    assert_string_equal(places[1].token, "mine");
    assert_int_equal(places[1].hellos, 3);
    assert_string_equal(places[1].seen, "1 ");
    assert_int_equal(places[1].asked, 1); // it did not subscribe again
}

static void session_goes_along_with_its_bodies_to_a_server_that_is_connected(void **state)
{
    (void)state;
    begin(2);
    char standby[64];
    snprintf(standby, sizeof standby, "127.0.0.1:%u", (unsigned)fake_port(places[1].server));
    CHANGE(places[0].standby = standby);
    fake_sync(places[0].server);
    carom_options options = with_token();
    options.reconnect.on = true;
    carom_client *client = connect_to(places[0].server, &options);
    assert_int_equal(set_body(client, 1, PATIENCE_MS, NULL), CAROM_OK);
    await_contact(client, 1); // ahead of need
    name(0, 1);
    assert_int_equal(set_body(client, 2, PATIENCE_MS, NULL), CAROM_OK);
    assert_int_equal(set_body(client, 3, PATIENCE_MS, NULL), CAROM_OK);
    carom_free(client);
    end(2);
    assert_string_equal(places[1].secret, "first");
    assert_string_equal(places[1].seen, "2 3 ");
}

static void session_with_bodies_alone_goes_along_unasked(void **state)
{
    (void)state;
    begin(2);
    const carom_options options = with_token();
    carom_client *client = connect_to(places[0].server, &options);
    assert_int_equal(set_body(client, 1, PATIENCE_MS, NULL), CAROM_OK);
    name(0, 1);
    carom_value *left = carom_set(carom_map(), "world", carom_str("lab"));
    fake_notify(places[0].server, "moved",
                carom_set(left, "address", carom_str(places[0].moved_to)));
    await_contact(client, 1);
    assert_int_equal(set_body(client, 2, PATIENCE_MS, NULL), CAROM_OK);
    carom_free(client);
    end(2);
    assert_string_equal(places[1].secret, "first");
    assert_int_equal(places[0].asked, 1); // the second request went directly
    assert_string_equal(places[1].seen, "2 ");
}

static void client_with_nobody_to_ask_asks_the_standby_of_its_hello(void **state)
{
    (void)state;
    begin(3);
    name(1, 2);
    char standby[64];
    snprintf(standby, sizeof standby, "127.0.0.1:%u", (unsigned)fake_port(places[1].server));
    CHANGE(places[0].hello_standby = standby);
    fake_sync(places[0].server);
    carom_options options = with_token();
    options.reconnect = (carom_reconnect){.on = true, .first_ms = 1, .max_ms = 20};
    carom_client *client = connect_to(places[0].server, &options);
    assert_int_equal(set_body(client, 1, PATIENCE_MS, NULL), CAROM_OK);
    fake_stop(places[0].server);
    const int64_t deadline = deadline_after_ms(PATIENCE_MS);
    while (carom_client_state(client) == CAROM_OPEN) { // a request on its way would be lost
        assert_true(monotonic_ns() < deadline);
        carom_poll(client, 5, NULL);
    }
    assert_int_equal(set_body(client, 2, PATIENCE_MS, NULL), CAROM_OK);
    carom_free(client);
    fake_stop(places[1].server);
    fake_stop(places[2].server);
    assert_string_equal(places[2].secret, "first");
    assert_string_equal(places[2].seen, "2 ");
}

static void standby_of_a_world_without_one_is_not_asked_for_again(void **state)
{
    (void)state;
    begin(1);
    carom_options options = with_token();
    options.reconnect.on = true;
    carom_client *client = connect_to(places[0].server, &options);
    uint64_t number = 0;
    assert_int_equal(carom_subscribe(client, "lab", NULL, PATIENCE_MS, &number, NULL), CAROM_OK);
    await_asked(client, 0, 2); // the second is world.info, whose answer says nothing of replication
    assert_int_equal(carom_call(client, "ping", NULL, PATIENCE_MS, NULL, NULL), CAROM_OK);
    assert_true(carom_timeout_ms(client) > 4000); // until silence makes it ask
    carom_free(client);
    end(1);
}

static void notification_is_refused_while_the_session_goes_along(void **state)
{
    (void)state;
    enum { ALWAYS = 1000000 };
    begin(2);
    CHANGE(places[1].unready = ALWAYS);
    fake_sync(places[1].server);
    carom_client *client = connect_to(places[0].server, NULL);
    assert_int_equal(set_body(client, 1, PATIENCE_MS, NULL), CAROM_OK);
    name(0, 1);
    answers got = {.wanted = 1};
    ask(client, 2, &got);
    await_contact(client, 1); // the hello that resumes the session
    carom_value *args = body_args(3);
    carom_error why = {0};
    assert_int_equal(carom_send(client, "body.set", args, &why), CAROM_UNAVAILABLE);
    assert_non_null(strstr(why.text, "the session goes along with its world to 127.0.0.1:"));
    CHANGE(places[1].unready = 0);
    fake_sync(places[1].server);
    poll_until(client, &got.all);
    assert_int_equal(carom_send(client, "body.set", args, &why), CAROM_OK);
    carom_value_free(args);
    carom_free(client);
    end(2);
    assert_string_equal(places[1].seen, "2 ");
}

static void world_that_was_always_elsewhere_gets_a_session_of_its_own(void **state)
{
    (void)state;
    begin(2);
    carom_client *client = connect_to(places[0].server, NULL);
    carom_value *other = carom_set(carom_map(), "world", carom_str("other"));
    carom_set(other, "body", carom_uint(1));
    assert_int_equal(carom_call(client, "body.set", other, PATIENCE_MS, NULL, NULL), CAROM_OK);
    carom_value_free(other);
    name(0, 1);
    assert_int_equal(set_body(client, 2, PATIENCE_MS, NULL), CAROM_OK);
    carom_free(client);
    end(2);
    assert_string_equal(places[1].secret, "");
    assert_int_equal(places[1].hellos, 1);
}

typedef struct fate {
    watched shown; // first: the handlers of snapshots get a pointer to it
    int lost, resumed;
    bool back, closed;
} fate;

static void on_lost(carom_client *client, carom_status why, const char *reason, void *user)
{
    (void)client;
    (void)reason;
    assert_int_equal(why, CAROM_UNAVAILABLE);
    ((fate *)user)->lost++;
}

static void on_resumed(carom_client *client, const carom_value *hello, void *user)
{
    assert_ptr_equal(hello, carom_hello(client));
    ((fate *)user)->resumed++;
    ((fate *)user)->back = true;
}

static void on_closed(carom_client *client, carom_status why, const char *reason, void *user)
{
    (void)client;
    (void)reason;
    ((fate *)user)->closed = why != CAROM_OK;
}

static carom_options fateful(fate *f)
{
    carom_options options = with_token();
    options.reconnect = (carom_reconnect){.on = true, .first_ms = 1, .max_ms = 20};
    options.handlers = (carom_handlers){.user = f,
                                        .snapshot = on_snapshot,
                                        .notification = on_notification,
                                        .lost = on_lost,
                                        .resumed = on_resumed,
                                        .closed = on_closed};
    return options;
}

static void client_goes_on_where_its_worlds_are_when_the_first_server_ends(void **state)
{
    (void)state;
    begin(2);
    fate f = {0};
    const carom_options options = fateful(&f);
    carom_client *client = connect_to(places[0].server, &options);
    uint64_t number = 0;
    assert_int_equal(carom_subscribe(client, "lab", NULL, PATIENCE_MS, &number, NULL), CAROM_OK);
    move_lab(0, 1);
    poll_until(client, &f.shown.at_c);
    CHANGE(places[1].silent = true);
    fake_sync(places[1].server);
    answers got = {.wanted = 1};
    ask(client, 1, &got);
    await_asked(client, 1, 1);
    fake_stop(places[0].server);
    poll_until(client, &f.back);
    assert_int_equal(carom_client_state(client), CAROM_OPEN);
    assert_ptr_equal(carom_hello_of(client, "lab"), carom_hello(client));
    assert_string_equal(carom_get_str(carom_hello(client), "resume", ""), "other");
    CHANGE(places[1].silent = false);
    fake_sync(places[1].server);
    fake_reply(places[1].server, places[1].held[0],
               carom_set(carom_map(), "tick", carom_uint(8))); // a request goes on
    poll_until(client, &got.all);
    fake_notify(places[1].server, "snapshot", snapshot_of(3, 50)); // the subscription, too
    poll_until(client, &f.shown.at_b);
    assert_int_equal(f.shown.subscription, number);
    assert_int_equal(carom_call(client, "ping", NULL, PATIENCE_MS, NULL, NULL), CAROM_OK);
    assert_int_equal(set_body(client, 2, PATIENCE_MS, NULL), CAROM_OK);
    assert_int_equal(carom_client_traffic(client).reconnects, 1);
    assert_false(f.closed || f.shown.ended);
    assert_int_equal(f.lost, 1);
    assert_int_equal(f.resumed, 1);
    carom_free(client);
    fake_stop(places[1].server);
    assert_int_equal(places[1].hellos, 1); // over the connection that was there
    assert_string_equal(places[1].seen, "2 ");
}

static void client_goes_on_at_a_link_when_nobody_knows_its_session(void **state)
{
    (void)state;
    begin(3);
    fate f = {0};
    const carom_options options = fateful(&f);
    CHANGE(places[2].stranger = true);
    CHANGE(places[2].number = 5);
    fake_sync(places[2].server);
    carom_client *client = connect_to(places[0].server, &options);
    uint64_t number = 0;
    assert_int_equal(carom_subscribe(client, "own", NULL, PATIENCE_MS, &number, NULL), CAROM_OK);
    name(0, 1);
    carom_value *args = carom_set(carom_map(), "world", carom_str("lab"));
    assert_int_equal(carom_call(client, "world.info", args, PATIENCE_MS, NULL, NULL), CAROM_OK);
    carom_value_free(args);
    name(1, 2); // the second server does not know the session
    fake_stop(places[0].server);
    poll_until(client, &f.back);
    poll_until(client, &f.shown.at_b); // it has subscribed again there
    assert_int_equal(f.shown.subscription, number);
    assert_int_equal(set_body(client, 2, PATIENCE_MS, NULL), CAROM_OK);
    assert_false(f.closed || f.shown.ended);
    assert_int_equal(f.lost, 1);
    carom_free(client);
    fake_stop(places[1].server);
    fake_stop(places[2].server);
    assert_string_equal(places[2].seen, "2 ");
}

static void free_it(carom_client *client, uint64_t request, const carom_value *result,
                    const carom_error *why, void *user)
{
    (void)request;
    (void)result;
    (void)why;
    *(bool *)user = true;
    carom_free(client);
}

static void client_may_be_freed_in_an_answer_of_another_server(void **state)
{
    (void)state;
    begin(2);
    name(0, 1);
    carom_client *client = connect_to(places[0].server, NULL);
    bool freed = false;
    carom_value *args = body_args(1);
    assert_int_equal(
        carom_request(client, "body.set", args, PATIENCE_MS, free_it, &freed, NULL, NULL),
        CAROM_OK);
    carom_value_free(args);
    poll_until(client, &freed);
    end(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request_goes_to_the_server_that_is_named_and_later_ones_directly),
        cmocka_unit_test(servers_that_name_each_other_are_told),
        cmocka_unit_test(requests_of_a_moved_world_keep_their_order),
        cmocka_unit_test(token_goes_to_no_server_outside_of_the_machine),
        cmocka_unit_test(bad_address_is_told),
        cmocka_unit_test(client_told_not_to_follow_gets_the_error),
        cmocka_unit_test(request_has_one_deadline_over_all_servers),
        cmocka_unit_test(servers_of_one_client_are_bounded),
        cmocka_unit_test(subscription_and_view_go_with_their_world),
        cmocka_unit_test(subscriptions_of_two_servers_have_different_numbers),
        cmocka_unit_test(own_loop_hears_of_all_connections),
        cmocka_unit_test(world_of_a_server_that_has_gone_is_asked_for_again),
        cmocka_unit_test(session_goes_on_where_its_worlds_are_when_its_server_dies),
        cmocka_unit_test(session_goes_along_when_its_world_moves),
        cmocka_unit_test(session_goes_along_with_its_bodies_to_a_server_that_is_connected),
        cmocka_unit_test(session_with_bodies_alone_goes_along_unasked),
        cmocka_unit_test(client_with_nobody_to_ask_asks_the_standby_of_its_hello),
        cmocka_unit_test(standby_of_a_world_without_one_is_not_asked_for_again),
        cmocka_unit_test(notification_is_refused_while_the_session_goes_along),
        cmocka_unit_test(world_that_was_always_elsewhere_gets_a_session_of_its_own),
        cmocka_unit_test(client_goes_on_where_its_worlds_are_when_the_first_server_ends),
        cmocka_unit_test(client_goes_on_at_a_link_when_nobody_knows_its_session),
        cmocka_unit_test(client_may_be_freed_in_an_answer_of_another_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
