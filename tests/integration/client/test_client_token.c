// libcarom and a server with keys: connecting with a token, changing it, resuming with it. The
// tokens were made with Python's jwt; they are valid until 2100 and signed with bytes 0 to 31.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/integration/client/against_server.h"

#define HEADER "eyJhbGciOiJIUzI1NiIsImtpZCI6InRlc3QiLCJ0eXAiOiJKV1QifQ."
#define ADA_VIEWER                                                                                 \
    HEADER "eyJzdWIiOiJhZGEiLCJyb2xlIjoidmlld2VyIiwiZXhwIjo0MTAyNDQ0ODAwfQ."                       \
           "NA55ZK8Vs6dfrwBBBH7b3dyvgQ6Fcf3Gy9Ugz_9SQ4s"
#define ADA_PLAYER                                                                                 \
    HEADER "eyJzdWIiOiJhZGEiLCJyb2xlIjoicGxheWVyIiwiZXhwIjo0MTAyNDQ0ODAwfQ."                       \
           "lHU7xGuq7_eE62IfQtwJ_zq5NLILOSx_MA7V9G3lPLU"
#define EVE_ADMIN                                                                                  \
    HEADER "eyJzdWIiOiJldmUiLCJyb2xlIjoiYWRtaW4iLCJleHAiOjQxMDI0NDQ4MDB9."                         \
           "9LAi7aeJoBM_QpkDlowtV3Eis1bbEY9PXMg4pu4LyGY"

static const char *program;

typedef struct fixture {
    process server;
    char keys[64];
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    static const char text[] = "{\"keys\": [{\"kty\": \"oct\", \"kid\": \"test\", \"k\": "
                               "\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\"}]}";
    assert_non_null(f);
    strcpy(f->keys, "/tmp/carom-keys-XXXXXX");
    int fd = mkstemp(f->keys);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    process_start(&f->server, program, (const char *const[]){"--keys", f->keys, NULL});
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    int code = process_stop(&f->server, 15, PATIENCE_MS);
    unlink(f->keys);
    free(f);
    return code;
}

static carom_status connect_as(const fixture *f, const char *token, bool reconnect,
                               carom_client **out, carom_error *error)
{
    carom_options options = {.token = token, .reconnect = {.on = reconnect, .first_ms = 1}};
    return carom_connect(NULL, f->server.port, PATIENCE_MS, &options, out, error);
}

static const char *role_of(const carom_client *client)
{
    return carom_get_str(carom_hello(client), "role", "");
}

static void connect_with_wrong_token_is_unauthenticated(void **state)
{
    carom_client *client = NULL;
    carom_error error = {0};
    assert_int_equal(connect_as(*state, "a.b.c", false, &client, &error), CAROM_UNAUTHENTICATED);
    assert_non_null(strstr(error.text, "token: "));
    assert_null(client);
}

static void set_token_changes_role_and_keeps_the_session(void **state)
{
    carom_client *client = NULL;
    carom_error error = {0};
    check_ok(connect_as(*state, ADA_VIEWER, false, &client, &error), &error);
    uint64_t session = carom_get_uint(carom_hello(client), "session", 0);
    assert_string_equal(role_of(client), "viewer");
    check_ok(carom_set_token(client, ADA_PLAYER, PATIENCE_MS, &error), &error);
    assert_string_equal(role_of(client), "player");
    assert_int_equal(carom_get_uint(carom_hello(client), "session", 0), session);
    carom_free(client);
}

static void set_token_of_another_leaves_the_old_one(void **state)
{
    carom_client *client = NULL;
    carom_error error = {0};
    check_ok(connect_as(*state, ADA_PLAYER, false, &client, &error), &error);
    assert_int_equal(carom_set_token(client, EVE_ADMIN, PATIENCE_MS, &error),
                     CAROM_PERMISSION_DENIED);
    assert_int_equal(carom_set_token(client, "a.b.c", PATIENCE_MS, &error), CAROM_UNAUTHENTICATED);
    assert_string_equal(role_of(client), "player");
    check_ok(carom_call(client, "world.list", NULL, PATIENCE_MS, NULL, &error), &error);
    assert_int_equal(carom_set_token(NULL, ADA_PLAYER, PATIENCE_MS, &error),
                     CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_set_token(client, NULL, PATIENCE_MS, &error), CAROM_INVALID_ARGUMENT);
    carom_free(client);
}

static void reconnect_sends_the_token_that_was_set(void **state)
{
    carom_client *client = NULL;
    carom_error error = {0};
    check_ok(connect_as(*state, ADA_VIEWER, true, &client, &error), &error);
    check_ok(carom_set_token(client, ADA_PLAYER, PATIENCE_MS, &error), &error);
    assert_int_equal(shutdown(carom_fd(client), SHUT_RDWR), 0);
    while (carom_client_traffic(client).reconnects == 0) {
        check_ok(carom_poll(client, 100, &error), &error);
    }
    assert_string_equal(role_of(client), "player");
    carom_free(client);
}

int main(int argc, char **argv)
{
    (void)argc;
    program = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(connect_with_wrong_token_is_unauthenticated, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(set_token_changes_role_and_keeps_the_session, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(set_token_of_another_leaves_the_old_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reconnect_sends_the_token_that_was_set, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
