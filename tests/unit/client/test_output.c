// The output buffer: bounded, written piece by piece, and whole again after a refusal.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "client/lib/connection.h"
#include "tests/unit/client/connected.h"

static carom_value *blob(size_t size)
{
    char *bytes = malloc(size);
    assert_non_null(bytes);
    memset(bytes, 'x', size);
    carom_value *args = carom_set(carom_map(), "blob", carom_bin(bytes, size));
    free(bytes);
    return args;
}

static void deaf_reader_fills_the_buffer_to_its_limit(void **state)
{
    (void)state;
    enum { LIMIT = 1 << 20, PIECE = 10000 };
    fake_server *server = fake_start(&(fake_options){.deaf = true, .receive_bytes = 4096});
    carom_options options = carom_options_default();
    options.hello = false;
    options.output_bytes_max = LIMIT;
    carom_client *client = connect_to(server, &options);
    carom_value *args = blob(PIECE);
    carom_status outcome = CAROM_OK;
    carom_error why = {0};
    uint64_t sent = 0;
    while (outcome == CAROM_OK) {
        outcome = carom_send(client, "take", args, &why);
        sent += outcome == CAROM_OK;
        assert_true(carom_client_traffic(client).output_bytes <= LIMIT);
    }
    assert_int_equal(outcome, CAROM_LIMIT_EXCEEDED);
    assert_true(carom_client_traffic(client).output_bytes > LIMIT - PIECE - 100);
    assert_int_equal(carom_client_traffic(client).messages_out, sent);
    assert_true(carom_wants_write(client));
    assert_int_equal(carom_client_state(client), CAROM_OPEN);
    assert_int_equal(carom_flush(client, 30, &why), CAROM_UNAVAILABLE);
    assert_int_equal(carom_client_state(client), CAROM_OPEN);
    carom_value_free(args);
    carom_free(client);
    fake_stop(server);
}

static void message_over_the_limit_is_refused_alone(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_options options = carom_options_default();
    options.output_bytes_max = 100000;
    carom_client *client = connect_to(server, &options);
    carom_value *large = blob(100000);
    carom_value *fitting = blob(99000);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(carom_call(client, "echo", large, PATIENCE_MS, NULL, NULL),
                         CAROM_LIMIT_EXCEEDED);
        assert_int_equal(carom_call(client, "echo", fitting, PATIENCE_MS, NULL, NULL), CAROM_OK);
    }
    carom_value_free(large);
    carom_value_free(fitting);
    carom_free(client);
    fake_stop(server);
}

static void large_messages_arrive_whole_both_ways(void **state)
{
    (void)state;
    enum { SIZE = 3 << 20 };
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    carom_value *args = blob(SIZE);
    carom_value *result = NULL;
    assert_int_equal(carom_call(client, "echo", args, PATIENCE_MS, &result, NULL), CAROM_OK);
    assert_true(carom_value_equal(args, result));
    assert_true(carom_client_traffic(client).bytes_in > SIZE);
    assert_true(carom_client_traffic(client).bytes_out > SIZE);
    carom_value_free(args);
    carom_value_free(result);
    carom_free(client);
    fake_stop(server);
}

static void flood_is_sent_in_order_as_the_reader_takes_it(void **state)
{
    (void)state;
    enum { MESSAGES = 20000 };
    fake_server *server = fake_start(NULL);
    carom_options options = carom_options_default();
    options.output_bytes_max = 8192;
    carom_client *client = connect_to(server, &options);
    for (int i = 0; i < MESSAGES; i++) {
        carom_value *args = carom_set(carom_map(), "i", carom_int(i));
        while (carom_send(client, "note", args, NULL) == CAROM_LIMIT_EXCEEDED) {
            assert_int_equal(carom_flush(client, PATIENCE_MS, NULL), CAROM_OK);
        }
        carom_value_free(args);
    }
    assert_int_equal(carom_call(client, "echo", NULL, PATIENCE_MS, NULL, NULL), CAROM_OK);
    assert_true(fake_received(server) >= MESSAGES + 1); // the messages and the hello
    assert_int_equal(fake_received_bytes(server), carom_client_traffic(client).bytes_out);
    carom_free(client);
    fake_stop(server);
}

static void held_messages_go_out_in_one_piece(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_client *client = connect_to(server, NULL);
    uint64_t before = carom_client_traffic(client).bytes_out;
    carom_hold(client, true);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(carom_send(client, "note", NULL, NULL), CAROM_OK);
    }
    assert_int_equal(carom_client_traffic(client).bytes_out, before);
    assert_true(carom_wants_write(client));
    carom_hold(client, false);
    assert_int_equal(carom_client_traffic(client).output_bytes, 0);
    assert_int_equal(carom_call(client, "echo", NULL, PATIENCE_MS, NULL, NULL), CAROM_OK);
    carom_hold(client, true);
    assert_int_equal(carom_call(client, "echo", NULL, PATIENCE_MS, NULL, NULL), CAROM_OK);
    carom_free(client);
    fake_stop(server);
}

static void lost_connection_ends_a_flush(void **state)
{
    (void)state;
    fake_server *server = fake_start(&(fake_options){.deaf = true, .receive_bytes = 4096});
    carom_options options = carom_options_default();
    options.hello = false;
    carom_client *client = connect_to(server, &options);
    carom_value *args = blob(100000);
    while (carom_send(client, "take", args, NULL) == CAROM_OK) {
    }
    fake_stop(server); // the server closes what it accepted, or refuses what it had not
    assert_int_equal(carom_flush(client, PATIENCE_MS, NULL), CAROM_UNAVAILABLE);
    assert_int_equal(carom_client_state(client), CAROM_CLOSED);
    carom_value_free(args);
    carom_free(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deaf_reader_fills_the_buffer_to_its_limit),
        cmocka_unit_test(message_over_the_limit_is_refused_alone),
        cmocka_unit_test(large_messages_arrive_whole_both_ways),
        cmocka_unit_test(flood_is_sent_in_order_as_the_reader_takes_it),
        cmocka_unit_test(held_messages_go_out_in_one_piece),
        cmocka_unit_test(lost_connection_ends_a_flush),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
