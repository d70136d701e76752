// A callback may do everything except wait; it may even close and free the client.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "client/lib/connection.h"
#include "tests/unit/client/connected.h"

typedef struct notes {
    int responses, notifications, closed;
    carom_status outcome;
    char text[CAROM_ERROR_TEXT_MAX];
    carom_status in_callback; // status of a call that was made in a callback
    bool done, freed;
} notes;

static void note_response(carom_client *client, uint64_t request, const carom_value *result,
                          const carom_error *err, void *user)
{
    (void)client;
    (void)request;
    notes *n = user;
    assert_true((result == NULL) != (err == NULL));
    n->responses++;
    n->outcome = err == NULL ? CAROM_OK : err->status;
    snprintf(n->text, sizeof n->text, "%s", err == NULL ? "" : err->text);
    n->done = true;
}

static void note_closed(carom_client *client, carom_status code, const char *reason, void *user)
{
    notes *n = user;
    n->closed++;
    n->outcome = code;
    snprintf(n->text, sizeof n->text, "%s", reason);
    n->done = true;
    assert_int_equal(carom_client_state(client), CAROM_CLOSED);
    assert_int_equal(carom_send(client, "echo", NULL, NULL), CAROM_UNAVAILABLE);
}

static carom_client *connect_noting(fake_server *server, notes *n)
{
    carom_options options = carom_options_default();
    options.handlers.user = n;
    options.handlers.closed = note_closed;
    return connect_to(server, &options);
}

static void response_callback_is_called_once(void **state)
{
    (void)state;
    notes n = {0};
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    assert_int_equal(
        carom_request(client, "echo", NULL, PATIENCE_MS, note_response, &n, NULL, NULL), CAROM_OK);
    assert_int_equal(n.responses, 0);
    poll_until(client, &n.done);
    assert_int_equal(n.outcome, CAROM_OK);
    carom_free(client);
    assert_int_equal(n.responses, 1);
    fake_stop(server);
}

static void response_callback_is_called_at_the_deadline(void **state)
{
    (void)state;
    notes n = {0};
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    carom_request(client, "silence", NULL, 20, note_response, &n, NULL, NULL);
    carom_request(client, "silence", NULL, PATIENCE_MS, note_response, &n, NULL, NULL);
    int timeout = carom_timeout_ms(client);
    assert_true(timeout >= 0 && timeout <= 20);
    poll_until(client, &n.done);
    assert_int_equal(n.responses, 1);
    assert_int_equal(n.outcome, CAROM_UNAVAILABLE);
    carom_free(client);
    assert_int_equal(n.responses, 2);
    fake_stop(server);
}

static void closing_answers_all_requests_then_tells(void **state)
{
    (void)state;
    notes n = {0};
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_noting(server, &n);
    for (int i = 0; i < 50; i++) {
        carom_request(client, "silence", NULL, PATIENCE_MS, note_response, &n, NULL, NULL);
    }
    carom_close(client);
    assert_int_equal(n.responses, 50);
    assert_int_equal(n.closed, 1);
    assert_int_equal(n.outcome, CAROM_OK); // the test itself closed the connection
    carom_free(client);
    assert_int_equal(n.closed, 1);
    fake_stop(server);
}

static void lost_connection_is_told_once(void **state)
{
    (void)state;
    notes n = {0};
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_noting(server, &n);
    fake_hang_up(server);
    poll_until(client, &n.done);
    assert_int_equal(n.outcome, CAROM_UNAVAILABLE);
    assert_string_equal(n.text, "the server closed the connection");
    carom_free(client);
    assert_int_equal(n.closed, 1);
    fake_stop(server);
}

// ---- waiting in a callback

static void wait_in_callback(carom_client *client, const char *method, const carom_value *params,
                             void *user)
{
    (void)method;
    (void)params;
    notes *n = user;
    n->in_callback = carom_call(client, "echo", NULL, 100, NULL, NULL);
    assert_int_equal(carom_poll(client, 0, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_flush(client, 0, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_request(client, "echo", NULL, PATIENCE_MS, note_response, n, NULL, NULL),
                     CAROM_OK);
}

static void waiting_in_a_callback_is_refused_asking_is_not(void **state)
{
    (void)state;
    notes n = {0};
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    carom_set_handlers(client, &(carom_handlers){.user = &n, .notification = wait_in_callback});
    assert_ptr_equal(carom_user(client), &n);
    fake_notify(server, "news", carom_map());
    poll_until(client, &n.done);
    assert_int_equal(n.in_callback, CAROM_INVALID_ARGUMENT);
    assert_int_equal(n.outcome, CAROM_OK);
    carom_free(client);
    fake_stop(server);
}

// ---- closing and freeing in callbacks

static void close_in_notification(carom_client *client, const char *method,
                                  const carom_value *params, void *user)
{
    notes *n = user;
    n->notifications++;
    assert_string_equal(method, "news");
    assert_int_equal(carom_get_int(params, "n", 0), 1);
    carom_close(client);
}

static carom_value *news(int number)
{
    return carom_set(carom_map(), "n", carom_int(number));
}

static void close_in_a_callback_ends_the_delivery(void **state)
{
    (void)state;
    notes n = {0};
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_noting(server, &n);
    carom_set_handlers(client, &(carom_handlers){.user = &n,
                                                 .closed = note_closed,
                                                 .notification = close_in_notification});
    carom_request(client, "silence", NULL, PATIENCE_MS, note_response, &n, NULL, NULL);
    fake_notify(server, "news", news(1));
    fake_notify(server, "news", news(2));
    poll_until(client, &n.done);
    assert_int_equal(n.notifications, 1);
    assert_int_equal(n.responses, 1);
    assert_int_equal(n.closed, 1);
    assert_int_equal(carom_poll(client, 0, NULL), CAROM_UNAVAILABLE);
    carom_free(client);
    fake_stop(server);
}

static void free_in_notification(carom_client *client, const char *method,
                                 const carom_value *params, void *user)
{
    (void)method;
    notes *n = user;
    n->notifications++;
    carom_free(client);
    n->freed = true;
    // The callback's arguments are still valid.
    assert_int_equal(carom_get_int(params, "n", 0), 1);
    assert_int_equal(carom_client_state(client), CAROM_CLOSED);
}

static void free_in_a_callback_of_poll_answers_unavailable(void **state)
{
    (void)state;
    notes n = {0};
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    carom_set_handlers(client, &(carom_handlers){.user = &n, .notification = free_in_notification});
    fake_notify(server, "news", news(1));
    fake_notify(server, "news", news(2));
    carom_status outcome = CAROM_OK;
    while (outcome == CAROM_OK) {
        outcome = carom_poll(client, 1000, NULL);
    }
    assert_int_equal(outcome, CAROM_UNAVAILABLE);
    assert_true(n.freed);
    assert_int_equal(n.notifications, 1);
    fake_stop(server);
}

static void notify_then_answer(fake_server *server, const fake_message *m, void *user)
{
    (void)user;
    if (strcmp(m->method, "echo") == 0) {
        fake_notify(server, "news", news(1));
    }
    fake_answer(server, m);
}

static void free_in_a_callback_of_call_answers_unavailable(void **state)
{
    (void)state;
    notes n = {0};
    fake_server *server = fake_start(&(fake_options){.handler = notify_then_answer});
    carom_client *client = connect_to(server, NULL);
    carom_set_handlers(client, &(carom_handlers){.user = &n, .notification = free_in_notification});
    carom_value *result = NULL;
    assert_int_equal(carom_call(client, "echo", NULL, PATIENCE_MS, &result, NULL),
                     CAROM_UNAVAILABLE);
    assert_null(result);
    assert_true(n.freed);
    fake_stop(server);
}

static void free_in_response(carom_client *client, uint64_t request, const carom_value *result,
                             const carom_error *err, void *user)
{
    (void)request;
    (void)result;
    (void)err;
    notes *n = user;
    n->responses++;
    carom_free(client);
}

static void free_in_the_callbacks_of_expiring_requests(void **state)
{
    (void)state;
    notes n = {0};
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    for (int i = 0; i < 10; i++) {
        carom_request(client, "silence", NULL, 10, free_in_response, &n, NULL, NULL);
    }
    carom_status outcome = CAROM_OK;
    while (outcome == CAROM_OK) {
        outcome = carom_poll(client, 1000, NULL);
    }
    // each request was answered once, by its deadline or by the close
    assert_int_equal(n.responses, 10);
    fake_stop(server);
}

static void free_in_closed(carom_client *client, carom_status code, const char *reason, void *user)
{
    (void)code;
    (void)reason;
    notes *n = user;
    n->closed++;
    carom_free(client);
}

static void free_in_closed_is_allowed(void **state)
{
    (void)state;
    notes n = {0};
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    carom_set_handlers(client, &(carom_handlers){.user = &n, .closed = free_in_closed});
    carom_close(client); // the handler of the close frees the client
    assert_int_equal(n.closed, 1);
    client = connect_to(server, NULL);
    carom_set_handlers(client, &(carom_handlers){.user = &n, .closed = free_in_closed});
    carom_free(client);
    assert_int_equal(n.closed, 2);
    fake_stop(server);
}

static void cancel_others(carom_client *client, uint64_t request, const carom_value *result,
                          const carom_error *err, void *user)
{
    (void)result;
    (void)err;
    notes *n = user;
    n->responses++;
    for (uint64_t other = 1; other < request + 20; other++) {
        carom_cancel(client, other);
    }
}

static void cancelling_in_a_callback_spares_the_others(void **state)
{
    (void)state;
    notes n = {0};
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    for (int i = 0; i < 10; i++) {
        carom_request(client, "silence", NULL, PATIENCE_MS, cancel_others, &n, NULL, NULL);
    }
    carom_free(client);
    assert_int_equal(n.responses, 1);
    fake_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(response_callback_is_called_once),
        cmocka_unit_test(response_callback_is_called_at_the_deadline),
        cmocka_unit_test(closing_answers_all_requests_then_tells),
        cmocka_unit_test(lost_connection_is_told_once),
        cmocka_unit_test(waiting_in_a_callback_is_refused_asking_is_not),
        cmocka_unit_test(close_in_a_callback_ends_the_delivery),
        cmocka_unit_test(free_in_a_callback_of_poll_answers_unavailable),
        cmocka_unit_test(free_in_a_callback_of_call_answers_unavailable),
        cmocka_unit_test(free_in_the_callbacks_of_expiring_requests),
        cmocka_unit_test(free_in_closed_is_allowed),
        cmocka_unit_test(cancelling_in_a_callback_spares_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
