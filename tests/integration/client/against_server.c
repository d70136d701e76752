// Starts a caromd for a test and connects a client to it; see against_server.h. Any failure fails
// the test. The test's thread.
#include "tests/integration/client/against_server.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

const char *caromd_path;

void check_ok(carom_status outcome, const carom_error *error)
{
    if (outcome != CAROM_OK) {
        fail_msg("%s: %s", carom_status_name(outcome), error->text);
    }
}

carom_client *server_connect(against_server *s)
{
    carom_client *client = NULL;
    carom_error error;
    check_ok(carom_connect(NULL, s->server.port, PATIENCE_MS, NULL, &client, &error), &error);
    return client;
}

int server_set_up(void **state)
{
    against_server *s = calloc(1, sizeof *s);
    assert_non_null(s);
    process_start(&s->server, caromd_path, NULL);
    s->client = server_connect(s);
    *state = s;
    return 0;
}

int server_tear_down(void **state)
{
    against_server *s = *state;
    carom_free(s->client);
    if (s->server.pid != 0) {
        assert_int_equal(process_stop(&s->server, SIGTERM, PATIENCE_MS), 0);
    }
    free(s);
    return 0;
}

void poll_until_tick(carom_client *client, const carom_view *view, uint64_t tick)
{
    int64_t deadline = test_now_ms() + PATIENCE_MS;
    carom_error error;
    while (!carom_view_get_state(view).ready || carom_view_get_state(view).tick < tick) {
        assert_true(test_now_ms() < deadline);
        check_ok(carom_poll(client, 100, &error), &error);
    }
}
