// A hostile server: each kind of malformed message closes the connection with a reason, and does
// nothing else.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "client/lib/clock.h"
#include "client/lib/snapshot.h"
#include "tests/unit/client/connected.h"

typedef struct hostile {
    const char *name;
    const char *bytes;
    size_t size;
    carom_status outcome;
    const char *reason; // a part of the expected reason
} hostile;

#define BYTES(text) (text), sizeof(text) - 1
#define ROW         "\x97\x01\x00\x00\x00\x00\x00\x00"

// {subscription: 1, world: "w", tick: 1, full: true, …}, with `n` further pairs
#define SNAPSHOT(n)                                                                                \
    "\x93\x02\xa8snapshot\x91" n "\xacsubscription\x01\xa5world\xa1w\xa4tick\x01"                  \
    "\xa4"                                                                                         \
    "full\xc3"

static const hostile CASES[] = {
    {"reserved byte", BYTES("\xc1"), CAROM_INTERNAL, "cannot accept"},
    {"array of 2^28", BYTES("\xdd\x0f\xff\xff\xff"), CAROM_LIMIT_EXCEEDED, "cannot accept"},
    {"bin of 2 GiB", BYTES("\x94\x01\x01\xc0\xc6\x80\x00\x00\x00"), CAROM_LIMIT_EXCEEDED,
     "cannot accept"},
    {"integer", BYTES("\x05"), CAROM_INTERNAL, "neither"},
    {"empty array", BYTES("\x90"), CAROM_INTERNAL, "neither"},
    {"request", BYTES("\x94\x00\x01\xa1x\x90"), CAROM_INTERNAL, "neither"},
    {"kind 3", BYTES("\x94\x03\x01\xc0\xc0"), CAROM_INTERNAL, "neither"},
    {"response of 3", BYTES("\x93\x01\x01\xc0"), CAROM_INTERNAL, "neither"},
    {"response id text", BYTES("\x94\x01\xa1x\xc0\xc0"), CAROM_INTERNAL, "id"},
    {"response id negative", BYTES("\x94\x01\xff\xc0\xc0"), CAROM_INTERNAL, "id"},
    {"response id 2^32", BYTES("\x94\x01\xcf\x00\x00\x00\x01\x00\x00\x00\x00\xc0\xc0"),
     CAROM_INTERNAL, "id"},
    {"method number", BYTES("\x93\x02\x01\x90"), CAROM_INTERNAL, "method"},
    {"params number", BYTES("\x93\x02\xa1x\x01"), CAROM_INTERNAL, "params"},
    {"params two", BYTES("\x93\x02\xa1x\x92\x80\x80"), CAROM_INTERNAL, "params"},
    {"params text", BYTES("\x93\x02\xa1x\x91\xa1x"), CAROM_INTERNAL, "no map"},
    {"ext", BYTES("\x93\x02\xa1x\x91\x81\xa1x\xd4\x01\x00"), CAROM_INTERNAL, "malformed"},
    {"integer key", BYTES("\x93\x02\xa1x\x91\x81\x01\x01"), CAROM_INTERNAL, "malformed"},
    {"doubled key", BYTES("\x93\x02\xa1x\x91\x82\xa1x\x01\xa1x\x01"), CAROM_INTERNAL, "twice"},
    {"text not UTF-8", BYTES("\x93\x02\xa1x\x91\x81\xa1x\xa1\xff"), CAROM_INTERNAL, "UTF-8"},
    {"method not UTF-8", BYTES("\x93\x02\xa1\xff\x90"), CAROM_INTERNAL, "malformed"},
    {"NaN", BYTES("\x93\x02\xa1x\x91\x81\xa1x\xca\x7f\xc0\x00\x00"), CAROM_INTERNAL, "finite"},
    {"snapshot empty", BYTES("\x93\x02\xa8snapshot\x91\x80"), CAROM_INTERNAL, "snapshot"},
    {"snapshot number", BYTES("\x93\x02\xa8snapshot\x91\x01"), CAROM_INTERNAL, "snapshot"},
    {"snapshot nothing", BYTES("\x93\x02\xa8snapshot\x91\x90"), CAROM_INTERNAL, "snapshot"},
    {"row of 6",
     BYTES(SNAPSHOT("\x85") "\xa6"
                            "bodies\x91\x96\x01\x00\x00\x00\x00\x00"),
     CAROM_INTERNAL, "'bodies'"},
    {"row id 0",
     BYTES(SNAPSHOT("\x85") "\xa6"
                            "bodies\x91\x97\x00\x00\x00\x00\x00\x00\x00"),
     CAROM_INTERNAL, "'bodies'"},
    {"row with NaN",
     BYTES(SNAPSHOT("\x85") "\xa6"
                            "bodies\x91\x97\x01\xca\x7f\xc0\x00\x00\x00\x00\x00"
                            "\x00\x00"),
     CAROM_INTERNAL, "'bodies'"},
    {"row with text",
     BYTES(SNAPSHOT("\x85") "\xa6"
                            "bodies\x91\x97\x01\xa1x\x00\x00\x00\x00\x00"),
     CAROM_INTERNAL, "'bodies'"},
    {"bodies doubled",
     BYTES(SNAPSHOT("\x86") "\xa6"
                            "bodies\x90\xa6"
                            "bodies\x90"),
     CAROM_INTERNAL, "'bodies'"},
    {"removed negative", BYTES(SNAPSHOT("\x85") "\xa7removed\x91\xff"), CAROM_INTERNAL,
     "'removed'"},
    {"hash of 7", BYTES(SNAPSHOT("\x85") "\xa4hash\xc4\x07zzzzzzz"), CAROM_INTERNAL, "'hash'"},
    {"event without kind",
     BYTES(SNAPSHOT("\x85") "\xa6"
                            "events\x91\x81\xa1"
                            "a\x01"),
     CAROM_INTERNAL, "'events'"},
    {"event number",
     BYTES(SNAPSHOT("\x85") "\xa6"
                            "events\x91\x01"),
     CAROM_INTERNAL, "'events'"},
    {"contact of 9 points",
     BYTES(SNAPSHOT("\x85") "\xa8"
                            "contacts\x91\x81\xa6points\x99\x80\x80\x80\x80\x80\x80\x80\x80\x80"),
     CAROM_INTERNAL, "'contacts'"},
    {"world too long",
     BYTES("\x93\x02\xa8snapshot\x91\x81\xa5world\xd9\x50"
           "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
     CAROM_INTERNAL, "'world'"},
};

static void check_case(fake_server *server, const hostile *h)
{
    carom_options options = carom_options_default();
    carom_client *client = connect_to(server, &options);
    fake_send(server, h->bytes, h->size);
    carom_status outcome = CAROM_OK;
    carom_error why = {0};
    while (outcome == CAROM_OK) {
        int64_t begin = monotonic_ns();
        outcome = carom_poll(client, PATIENCE_MS, &why);
        if (outcome == CAROM_OK && monotonic_ns() - begin > PATIENCE_MS * (int64_t)1000000) {
            fail_msg("%s is taken", h->name);
        }
    }
    if (outcome != h->outcome || strstr(why.text, h->reason) == NULL) {
        fail_msg("%s: %s: %s", h->name, carom_status_name(outcome), why.text);
    }
    carom_free(client);
}

static void malformed_message_closes_with_a_reason(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        check_case(server, &CASES[i]);
    }
    fake_stop(server);
}

// The same bytes one by one: the result must not depend on how a message is split.
static void malformed_message_in_pieces_closes_too(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    const hostile *h = &CASES[sizeof CASES / sizeof *CASES - 3];
    carom_client *client = connect_to(server, NULL);
    carom_status outcome = CAROM_OK;
    for (size_t i = 0; i < h->size && outcome == CAROM_OK; i++) {
        fake_send(server, h->bytes + i, 1);
        outcome = carom_poll(client, 2, NULL);
    }
    while (outcome == CAROM_OK) {
        outcome = carom_poll(client, PATIENCE_MS, NULL);
    }
    assert_int_equal(outcome, h->outcome);
    carom_free(client);
    fake_stop(server);
}

static void message_over_the_client_s_own_limit_closes(void **state)
{
    (void)state;
    fake_server *server = fake_start(NULL);
    carom_options options = carom_options_default();
    options.message_bytes_max = 8192;
    carom_client *client = connect_to(server, &options);
    char text[8192];
    memset(text, 'x', sizeof text);
    carom_value *args = carom_set(carom_map(), "s", carom_strn(text, 8000));
    assert_int_equal(carom_call(client, "echo", args, PATIENCE_MS, NULL, NULL), CAROM_OK);
    carom_set(args, "s", carom_strn(text, sizeof text));
    assert_int_equal(carom_call(client, "echo", args, PATIENCE_MS, NULL, NULL), CAROM_UNAVAILABLE);
    assert_int_equal(carom_close_reason(client, NULL), CAROM_LIMIT_EXCEEDED);
    carom_value_free(args);
    carom_free(client);
    fake_stop(server);
}

// Replaces each byte of a valid message by all 255 other values.
static void changed_bytes_do_no_harm(void **state)
{
    (void)state;
    static const char GOOD[] = SNAPSHOT("\x88") "\xa6"
                                                "bodies\x92" ROW ROW "\xa7removed\x92\x03\x04\xa6"
                                                "events\x91\x82\xa4kind\xa5"
                                                "begin\xa1"
                                                "a\x01\xa4time\xca\x00\x00\x00\x00";
    snapshot_decoder decoder = {0};
    enum { HEAD = 12 }; // bytes of the envelope before the map
    int taken = 0;
    for (size_t i = HEAD; i < sizeof GOOD - 1; i++) {
        for (int change = 1; change < 256; change++) {
            char bytes[sizeof GOOD - 1];
            memcpy(bytes, GOOD, sizeof bytes);
            bytes[i] = (char)(bytes[i] ^ change);
            carom_snapshot snapshot;
            taken += snapshot_decode(&decoder, bytes + HEAD, sizeof bytes - HEAD, &snapshot,
                                     NULL) == CAROM_OK;
        }
    }
    assert_true(taken > 0);
    snapshot_decoder_deinit(&decoder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_message_closes_with_a_reason),
        cmocka_unit_test(malformed_message_in_pieces_closes_too),
        cmocka_unit_test(message_over_the_client_s_own_limit_closes),
        cmocka_unit_test(changed_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
