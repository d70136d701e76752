// Connecting, calls with deadlines, requests, what happens when the connection is lost.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/lib/connection.h"
#include "tests/unit/client/connected.h"

// ---- connecting

static void connect_says_hello_and_keeps_the_answer(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    assert_int_equal(carom_client_state(client), CAROM_OPEN);
    assert_string_equal(carom_get_str(carom_hello(client), "server", ""), "fake");
    assert_true(carom_fd(client) >= 0);
    carom_free(client);
    fake_stop(server);
}

typedef struct seen_hello {
    char name[32], token[32];
    uint64_t protocol;
} seen_hello;

static void note_hello(fake_server *server, const fake_message *m, void *user)
{
    seen_hello *seen = user;
    strncpy(seen->name, carom_get_str(m->args, "client", ""), sizeof seen->name - 1);
    strncpy(seen->token, carom_get_str(m->args, "token", ""), sizeof seen->token - 1);
    seen->protocol = carom_get_uint(m->args, "protocol", 0);
    fake_answer(server, m);
}

static void hello_bears_name_and_token(void **state)
{
    (void)state;
    seen_hello seen = {0};
    fake_server *server = fake_start(&(fake_options){.handler = note_hello, .user = &seen});
    carom_options options = carom_options_default();
    options.name = "billiards 2";
    options.token = "secret";
    carom_client *client = connect_to(server, &options);
    carom_free(client);
    fake_stop(server);
    assert_string_equal(seen.name, "billiards 2");
    assert_string_equal(seen.token, "secret");
    assert_int_equal(seen.protocol, 1);
}

static void refuse_all(fake_server *server, const fake_message *m, void *user)
{
    (void)user;
    fake_refuse(server, m->id, "unauthenticated: a token is needed");
}

static void refused_hello_fails_the_connect_with_its_reason(void **state)
{
    (void)state;
    fake_server *server = fake_start(&(fake_options){.handler = refuse_all});
    carom_client *client = NULL;
    carom_error why = {0};
    assert_int_equal(carom_connect(NULL, fake_port(server), PATIENCE_MS, NULL, &client, &why),
                     CAROM_UNAUTHENTICATED);
    assert_string_equal(why.text, "a token is needed");
    assert_null(client);
    fake_stop(server);
}

static void connection_refused_says_where(void **state)
{
    (void)state;
    carom_client *client = NULL;
    carom_error why = {0};
    assert_int_equal(carom_connect(NULL, fake_closed_port(), PATIENCE_MS, NULL, &client, &why),
                     CAROM_UNAVAILABLE);
    assert_non_null(strstr(why.text, "127.0.0.1:"));
    assert_non_null(strstr(why.text, "refused"));
    assert_false(why.from_server);
    assert_null(client);
}

static void host_that_cannot_be_found_is_unavailable(void **state)
{
    (void)state;
    carom_client *client = NULL;
    carom_error why = {0};
    assert_int_equal(carom_connect("no.such.host.invalid", 1, PATIENCE_MS, NULL, &client, &why),
                     CAROM_UNAVAILABLE);
    assert_non_null(strstr(why.text, "no.such.host.invalid"));
    assert_null(client);
}

// "localhost" may resolve to an IPv6 address first, on which no server listens.
static void every_address_of_a_host_is_tried(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_client *client = NULL;
    carom_error why;
    if (carom_connect("localhost", fake_port(server), PATIENCE_MS, NULL, &client, &why) !=
        CAROM_OK) {
        fail_msg("%s", why.text);
    }
    carom_free(client);
    fake_stop(server);
}

static void silent_server_fails_the_connect_at_the_deadline(void **state)
{
    (void)state;
    fake_server *server = fake_start(&(fake_options){.deaf = true});
    carom_client *client = NULL;
    carom_error why = {0};
    int64_t begin = monotonic_ns();
    assert_int_equal(carom_connect(NULL, fake_port(server), 80, NULL, &client, &why),
                     CAROM_UNAVAILABLE);
    int64_t took = monotonic_ns() - begin;
    assert_true(took >= 79 * 1000000 && took < 5000 * (int64_t)1000000);
    assert_non_null(strstr(why.text, "hello"));
    fake_stop(server);
}

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    carom_client *client = NULL;
    carom_options options = carom_options_default();
    options.output_bytes_max = 1;
    assert_int_equal(carom_connect(NULL, 1, 100, &options, &client, NULL), CAROM_INVALID_ARGUMENT);
    options = carom_options_default();
    options.message_bytes_max = SIZE_MAX;
    assert_int_equal(carom_connect(NULL, 1, 100, &options, &client, NULL), CAROM_INVALID_ARGUMENT);
    options = carom_options_default();
    options.requests_max = 0;
    assert_int_equal(carom_connect(NULL, 1, 100, &options, &client, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_connect(NULL, 1, 0, NULL, &client, NULL), CAROM_INVALID_ARGUMENT);
    assert_null(client);
}

static void started_connect_opens_in_one_s_own_loop(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_client *client = NULL;
    assert_int_equal(carom_connect_start(NULL, fake_port(server), PATIENCE_MS, NULL, &client, NULL),
                     CAROM_OK);
    uint64_t request;
    assert_int_equal(carom_request(client, "echo", NULL, PATIENCE_MS, NULL, NULL, &request, NULL),
                     CAROM_OK);
    carom_status outcome;
    while (!carom_take(client, request, &outcome, NULL, NULL)) {
        struct pollfd ready = {.fd = carom_fd(client), .events = POLLIN};
        ready.events = (short)(ready.events | (carom_wants_write(client) ? POLLOUT : 0));
        assert_true(carom_timeout_ms(client) > 0);
        assert_true(poll(&ready, 1, carom_timeout_ms(client)) > 0);
        assert_int_equal(carom_poll(client, 0, NULL), CAROM_OK);
    }
    assert_int_equal(outcome, CAROM_OK);
    assert_int_equal(carom_client_state(client), CAROM_OPEN);
    assert_int_equal(carom_timeout_ms(client), -1);
    carom_free(client);
    fake_stop(server);
}

static void started_connect_that_fails_is_told_by_closed(void **state)
{
    (void)state;
    fake_server *server = fake_start(&(fake_options){.handler = refuse_all});
    carom_client *client = NULL;
    assert_int_equal(carom_connect_start(NULL, fake_port(server), PATIENCE_MS, NULL, &client, NULL),
                     CAROM_OK);
    carom_status outcome = CAROM_OK;
    carom_error why = {0};
    while (outcome == CAROM_OK) {
        outcome = carom_poll(client, 1000, &why);
    }
    assert_int_equal(outcome, CAROM_UNAUTHENTICATED);
    assert_string_equal(why.text, "a token is needed");
    carom_free(client);
    fake_stop(server);
}

static void socket_that_is_connected_is_taken_over(void **state)
{
    (void)state;
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    carom_client *client = NULL;
    assert_int_equal(carom_connect_fd(pair[0], PATIENCE_MS, NULL, &client, NULL), CAROM_OK);
    assert_int_equal(carom_client_state(client), CAROM_CONNECTING);
    assert_int_equal(carom_poll(client, 0, NULL), CAROM_OK);
    char hello[256];
    assert_true(read(pair[1], hello, sizeof hello) > 10);
    static const char ANSWER[] = "\x94\x01\x01\xc0\x81\xa6server\xa1x";
    assert_int_equal(write(pair[1], ANSWER, sizeof ANSWER - 1), sizeof ANSWER - 1);
    assert_int_equal(carom_poll(client, PATIENCE_MS, NULL), CAROM_OK);
    assert_int_equal(carom_client_state(client), CAROM_OPEN);
    assert_string_equal(carom_get_str(carom_hello(client), "server", ""), "x");
    carom_free(client);
    assert_int_equal(read(pair[1], hello, sizeof hello), 0); // the other end was closed
    close(pair[1]);
    client = NULL;
    assert_int_equal(carom_connect_fd(-1, PATIENCE_MS, NULL, &client, NULL),
                     CAROM_INVALID_ARGUMENT);
    assert_null(client);
}

// ---- calls

static void call_returns_the_result(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    carom_value *args = carom_set(carom_map(), "list", carom_vec(1, -2.5));
    carom_set(args, "blob", carom_bin("\0\xff", 2));
    carom_value *result = NULL;
    assert_int_equal(carom_call(client, "echo", args, PATIENCE_MS, &result, NULL), CAROM_OK);
    assert_true(carom_value_equal(args, result));
    assert_int_equal(carom_call(client, "echo", NULL, PATIENCE_MS, NULL, NULL), CAROM_OK);
    carom_value_free(args);
    carom_value_free(result);
    carom_free(client);
    fake_stop(server);
}

static void call_returns_the_server_s_error(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    carom_value *result = NULL;
    carom_error why = {0};
    assert_int_equal(carom_call(client, "explode", NULL, PATIENCE_MS, &result, &why),
                     CAROM_UNKNOWN_METHOD);
    assert_true(why.from_server);
    assert_string_equal(why.text, "there is no such method");
    assert_null(result);
    assert_int_equal(carom_call(client, "echo", NULL, PATIENCE_MS, NULL, NULL), CAROM_OK);
    carom_free(client);
    fake_stop(server);
}

static void call_without_answer_ends_at_its_deadline(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    carom_error why = {0};
    int64_t begin = monotonic_ns();
    assert_int_equal(carom_call(client, "silence", NULL, 60, NULL, &why), CAROM_UNAVAILABLE);
    int64_t took = monotonic_ns() - begin;
    assert_true(took >= 59 * 1000000 && took < 5000 * (int64_t)1000000);
    assert_string_equal(why.text, "no answer to 'silence' within 60 ms");
    assert_int_equal(carom_client_state(client), CAROM_OPEN);
    assert_int_equal(carom_call(client, "echo", NULL, PATIENCE_MS, NULL, NULL), CAROM_OK);
    carom_free(client);
    fake_stop(server);
}

// A caller that was busy beyond the deadline still finds an answer that arrived in time.
static void answer_that_lay_there_at_the_deadline_counts(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    uint64_t request;
    assert_int_equal(carom_request(client, "echo", NULL, 50, NULL, NULL, &request, NULL), CAROM_OK);
    struct pollfd ready = {.fd = carom_fd(client), .events = POLLIN};
    assert_int_equal(poll(&ready, 1, PATIENCE_MS), 1);
    while (carom_timeout_ms(client) > 0) {
        usleep(5000);
    }
    assert_int_equal(carom_poll(client, 0, NULL), CAROM_OK);
    carom_status outcome = CAROM_INTERNAL;
    assert_true(carom_take(client, request, &outcome, NULL, NULL));
    assert_int_equal(outcome, CAROM_OK);
    carom_free(client);
    fake_stop(server);
}

static void late_answer_is_dropped_and_counted(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    uint64_t request;
    carom_request(client, "silence", NULL, 1, NULL, NULL, &request, NULL);
    carom_status outcome;
    while (!carom_take(client, request, &outcome, NULL, NULL)) {
        carom_poll(client, 10, NULL);
    }
    assert_int_equal(outcome, CAROM_UNAVAILABLE);
    fake_reply(server, (uint32_t)request, carom_str("late"));
    assert_int_equal(carom_call(client, "echo", NULL, PATIENCE_MS, NULL, NULL), CAROM_OK);
    assert_int_equal(carom_client_traffic(client).late, 1);
    assert_true(carom_take(client, request, &outcome, NULL, NULL));
    assert_int_equal(outcome, CAROM_NOT_FOUND);
    carom_free(client);
    fake_stop(server);
}

// Keeps the ids of the requests and answers them in reverse order when the third has arrived.
typedef struct backwards {
    uint32_t ids[3];
    int count;
} backwards;

static void answer_backwards(fake_server *server, const fake_message *m, void *user)
{
    backwards *b = user;
    if (strcmp(m->method, "hello") == 0) {
        fake_answer(server, m);
        return;
    }
    b->ids[b->count++] = m->id;
    for (int i = 2; b->count == 3 && i >= 0; i--) {
        fake_reply(server, b->ids[i], carom_int(i));
    }
}

static void answers_may_come_in_any_order(void **state)
{
    (void)state;
    backwards b = {0};
    fake_server *server = fake_start(&(fake_options){.handler = answer_backwards, .user = &b});
    carom_client *client = connect_to(server, NULL);
    uint64_t requests[3];
    for (int i = 0; i < 3; i++) {
        carom_request(client, "x", NULL, PATIENCE_MS, NULL, NULL, &requests[i], NULL);
    }
    for (int i = 0; i < 3; i++) {
        carom_status outcome;
        carom_value *result = NULL;
        while (!carom_take(client, requests[i], &outcome, &result, NULL)) {
            assert_int_equal(carom_poll(client, PATIENCE_MS, NULL), CAROM_OK);
        }
        assert_int_equal(carom_as_int(result, -1), i);
        carom_value_free(result);
    }
    carom_free(client);
    fake_stop(server);
}

static void arguments_that_cannot_be_sent_are_refused(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    carom_value *list = carom_array();
    carom_value *broken = carom_set(carom_map(), "a", NULL);
    carom_value *deep = carom_map();
    carom_value *inner = deep;
    for (int i = 0; i < CAROM_VALUE_DEPTH_MAX; i++) {
        carom_value *next = carom_map();
        carom_set(inner, "a", next);
        inner = next;
    }
    assert_int_equal(carom_call(client, "echo", list, 100, NULL, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_call(client, "echo", broken, 100, NULL, NULL), CAROM_OUT_OF_MEMORY);
    assert_int_equal(carom_call(client, "echo", deep, 100, NULL, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_call(client, "", NULL, 100, NULL, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_call(client, NULL, NULL, 100, NULL, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_call(client, "echo", NULL, 0, NULL, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_send(client, "echo", deep, NULL), CAROM_INVALID_ARGUMENT);
    // No byte of the request was sent, so the stream is intact.
    assert_int_equal(carom_call(client, "echo", NULL, PATIENCE_MS, NULL, NULL), CAROM_OK);
    assert_int_equal(carom_client_traffic(client).requests, 0);
    carom_value_free(list);
    carom_value_free(broken);
    carom_value_free(deep);
    carom_free(client);
    fake_stop(server);
}

static void requests_have_a_limit(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_options options = carom_options_default();
    options.requests_max = 3;
    carom_client *client = connect_to(server, &options);
    uint64_t first;
    carom_request(client, "echo", NULL, PATIENCE_MS, NULL, NULL, &first, NULL);
    carom_request(client, "silence", NULL, PATIENCE_MS, NULL, NULL, NULL, NULL);
    carom_request(client, "silence", NULL, PATIENCE_MS, NULL, NULL, NULL, NULL);
    assert_int_equal(carom_call(client, "echo", NULL, PATIENCE_MS, NULL, NULL),
                     CAROM_LIMIT_EXCEEDED);
    carom_status outcome;
    while (!carom_take(client, first, &outcome, NULL, NULL)) {
        carom_poll(client, 100, NULL);
    }
    assert_int_equal(carom_call(client, "echo", NULL, PATIENCE_MS, NULL, NULL), CAROM_OK);
    carom_free(client);
    fake_stop(server);
}

static void cancelled_request_is_forgotten(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    uint64_t request;
    carom_request(client, "silence", NULL, PATIENCE_MS, NULL, NULL, &request, NULL);
    carom_cancel(client, request);
    carom_cancel(client, request);
    carom_status outcome;
    assert_true(carom_take(client, request, &outcome, NULL, NULL));
    assert_int_equal(outcome, CAROM_NOT_FOUND);
    carom_free(client);
    fake_stop(server);
}

// ---- losing the connection

static void hang_up_on_x(fake_server *server, const fake_message *m, void *user)
{
    (void)user;
    if (strcmp(m->method, "x") == 0) {
        fake_hang_up(server);
    } else {
        fake_answer(server, m);
    }
}

static void lost_connection_ends_the_call(void **state)
{
    (void)state;
    fake_server *server = fake_start(&(fake_options){.handler = hang_up_on_x});
    carom_client *client = connect_to(server, NULL);
    carom_error why = {0};
    assert_int_equal(carom_call(client, "x", NULL, PATIENCE_MS, NULL, &why), CAROM_UNAVAILABLE);
    assert_non_null(strstr(why.text, "closed"));
    assert_int_equal(carom_client_state(client), CAROM_CLOSED);
    assert_int_equal(carom_fd(client), -1);
    assert_int_equal(carom_call(client, "echo", NULL, PATIENCE_MS, NULL, &why), CAROM_UNAVAILABLE);
    assert_int_equal(carom_send(client, "echo", NULL, &why), CAROM_UNAVAILABLE);
    assert_int_equal(carom_poll(client, 0, &why), CAROM_UNAVAILABLE);
    assert_int_equal(carom_flush(client, 0, &why), CAROM_UNAVAILABLE);
    assert_false(carom_wants_write(client));
    assert_int_equal(carom_timeout_ms(client), -1);
    carom_free(client);
    fake_stop(server);
}

static void close_with_reason(fake_server *server, const fake_message *m, void *user)
{
    (void)user;
    if (strcmp(m->method, "x") != 0) {
        fake_answer(server, m);
        return;
    }
    carom_value *params = carom_set(carom_map(), "code", carom_str("limit_exceeded"));
    fake_notify(server, "closing", carom_set(params, "reason", carom_str("too slow")));
    fake_hang_up(server);
}

static void reason_that_the_server_gave_is_kept(void **state)
{
    (void)state;
    fake_server *server = fake_start(&(fake_options){.handler = close_with_reason});
    carom_client *client = connect_to(server, NULL);
    carom_error why = {0};
    assert_int_equal(carom_call(client, "x", NULL, PATIENCE_MS, NULL, &why), CAROM_UNAVAILABLE);
    assert_non_null(strstr(why.text, "too slow"));
    const char *reason;
    assert_int_equal(carom_close_reason(client, &reason), CAROM_LIMIT_EXCEEDED);
    assert_string_equal(reason, "too slow");
    assert_int_equal(carom_poll(client, 0, &why), CAROM_LIMIT_EXCEEDED);
    carom_free(client);
    fake_stop(server);
}

static void closed_client_stays_readable(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    carom_close(client);
    carom_close(client);
    const char *reason = NULL;
    assert_int_equal(carom_client_state(client), CAROM_CLOSED);
    assert_int_equal(carom_close_reason(client, &reason), CAROM_OK);
    assert_string_equal(reason, "");
    assert_string_equal(carom_get_str(carom_hello(client), "server", ""), "fake");
    assert_int_equal(carom_poll(client, -1, NULL), CAROM_UNAVAILABLE);
    carom_free(client);
    carom_free(NULL);
    fake_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connect_says_hello_and_keeps_the_answer),
        cmocka_unit_test(hello_bears_name_and_token),
        cmocka_unit_test(refused_hello_fails_the_connect_with_its_reason),
        cmocka_unit_test(connection_refused_says_where),
        cmocka_unit_test(host_that_cannot_be_found_is_unavailable),
        cmocka_unit_test(every_address_of_a_host_is_tried),
        cmocka_unit_test(silent_server_fails_the_connect_at_the_deadline),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(started_connect_opens_in_one_s_own_loop),
        cmocka_unit_test(started_connect_that_fails_is_told_by_closed),
        cmocka_unit_test(socket_that_is_connected_is_taken_over),
        cmocka_unit_test(call_returns_the_result),
        cmocka_unit_test(call_returns_the_server_s_error),
        cmocka_unit_test(call_without_answer_ends_at_its_deadline),
        cmocka_unit_test(answer_that_lay_there_at_the_deadline_counts),
        cmocka_unit_test(late_answer_is_dropped_and_counted),
        cmocka_unit_test(answers_may_come_in_any_order),
        cmocka_unit_test(arguments_that_cannot_be_sent_are_refused),
        cmocka_unit_test(requests_have_a_limit),
        cmocka_unit_test(cancelled_request_is_forgotten),
        cmocka_unit_test(lost_connection_ends_the_call),
        cmocka_unit_test(reason_that_the_server_gave_is_kept),
        cmocka_unit_test(closed_client_stays_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
