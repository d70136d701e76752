// MessagePack-RPC envelopes: valid, refused and malformed ones, and those that can be answered.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/wire/rpc.h"
#include "proto/wire/scanner.h"
#include "tests/unit/proto/values.h"

#define BYTES(literal) literal, sizeof literal - 1

// Scans and decodes as a connection does. A copy of the exact size, so that a sanitizer sees any
// byte read past the end; it must live as long as the message.
static uint8_t *held;

static rpc_verdict decode(const void *bytes, size_t size, rpc_message *out, error *err)
{
    free(held);
    held = malloc(size);
    memcpy(held, bytes, size);
    scanner_limits limits = scanner_limits_default();
    scanner s;
    scanner_init(&s, &limits);
    size_t used;
    assert_int_equal(scanner_feed(&s, held, size, &used, NULL), SCAN_MESSAGE);
    assert_int_equal(used, size);
    *err = (error){STATUS_OK, ""};
    return rpc_decode(held, size, out, err);
}

static int free_held(void **state)
{
    (void)state;
    free(held);
    held = NULL;
    return 0;
}

static void assert_broken(const void *bytes, size_t size, bool answerable, uint32_t id,
                          const char *text)
{
    rpc_message m;
    error err;
    assert_int_equal(decode(bytes, size, &m, &err), RPC_BROKEN);
    assert_int_equal(m.answerable, answerable);
    if (answerable) {
        assert_int_equal(m.kind, RPC_REQUEST);
        assert_int_equal(m.id, id);
    }
    assert_int_equal(err.status, STATUS_INVALID_ARGUMENT);
    if (strstr(err.text, text) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, text);
    }
}

static void assert_refused(const void *bytes, size_t size, bool answerable, uint32_t id,
                           const char *text)
{
    rpc_message m;
    error err;
    assert_int_equal(decode(bytes, size, &m, &err), RPC_REFUSED);
    assert_int_equal(m.kind, answerable ? RPC_REQUEST : RPC_NOTIFICATION);
    assert_int_equal(m.answerable, answerable);
    assert_int_equal(m.id, id);
    assert_int_equal(err.status, STATUS_INVALID_ARGUMENT);
    if (strstr(err.text, text) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, text);
    }
}

static void assert_call(const void *bytes, size_t size, rpc_kind kind, uint32_t id,
                        const char *method, uint32_t arguments)
{
    rpc_message m;
    error err;
    rpc_verdict verdict = decode(bytes, size, &m, &err);
    if (verdict != RPC_GOOD) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(m.kind, kind);
    assert_int_equal(m.id, id);
    assert_int_equal(m.answerable, kind == RPC_REQUEST);
    assert_int_equal(m.method_size, strlen(method));
    assert_memory_equal(m.method, method, m.method_size);
    assert_int_equal(m.params.type, MSGPACK_OBJECT_MAP);
    assert_int_equal(m.params.via.map.size, arguments);
    rpc_message_deinit(&m);
}

// ---- good

static void request_with_a_map_is_good(void **state)
{
    (void)state;
    assert_call(BYTES("\x94\x00\x07\xa4ping\x91\x80"), RPC_REQUEST, 7, "ping", 0);
    assert_call(BYTES("\x94\x00\x07\xa4ping\x91\x81\xa3"
                      "any\x01"),
                RPC_REQUEST, 7, "ping", 1);
}

static void notification_is_good_and_not_answerable(void **state)
{
    (void)state;
    assert_call(BYTES("\x93\x02\xa4ping\x91\x80"), RPC_NOTIFICATION, 0, "ping", 0);
}

static void empty_params_stand_for_the_empty_map(void **state)
{
    (void)state;
    assert_call(BYTES("\x94\x00\x07\xa4ping\x90"), RPC_REQUEST, 7, "ping", 0);
    assert_call(BYTES("\x93\x02\xa4ping\xdc\x00\x00"), RPC_NOTIFICATION, 0, "ping", 0);
}

static void empty_array_as_the_map_is_an_empty_lua_table(void **state)
{
    (void)state;
    assert_call(BYTES("\x94\x00\x07\xa4ping\x91\x90"), RPC_REQUEST, 7, "ping", 0);
}

static void method_may_be_bin_of_any_width(void **state)
{
    (void)state;
    assert_call(BYTES("\x94\x00\x07\xc4\x04ping\x90"), RPC_REQUEST, 7, "ping", 0);
    assert_call(BYTES("\x94\x00\x07\xc5\x00\x04ping\x90"), RPC_REQUEST, 7, "ping", 0);
    assert_call(BYTES("\x94\x00\x07\xc6\x00\x00\x00\x04ping\x90"), RPC_REQUEST, 7, "ping", 0);
    assert_call(BYTES("\x94\x00\x07\xd9\x04ping\x90"), RPC_REQUEST, 7, "ping", 0);
    assert_call(BYTES("\x94\x00\x07\xda\x00\x04ping\x90"), RPC_REQUEST, 7, "ping", 0);
    assert_call(BYTES("\x94\x00\x07\xdb\x00\x00\x00\x04ping\x90"), RPC_REQUEST, 7, "ping", 0);
}

static void id_may_come_in_any_integer_width(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        uint32_t id;
    } IDS[] = {
        {BYTES("\x00"), 0},
        {BYTES("\x7f"), 127},
        {BYTES("\xcc\xff"), 255},
        {BYTES("\xcd\xff\xff"), 65535},
        {BYTES("\xce\xff\xff\xff\xff"), UINT32_MAX},
        {BYTES("\xcf\x00\x00\x00\x00\xff\xff\xff\xff"), UINT32_MAX},
        {BYTES("\xd0\x7f"), 127},
        {BYTES("\xd1\x7f\xff"), 32767},
        {BYTES("\xd2\x7f\xff\xff\xff"), INT32_MAX},
        {BYTES("\xd3\x00\x00\x00\x00\xff\xff\xff\xff"), UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof IDS / sizeof *IDS; i++) {
        uint8_t bytes[32] = {0x94, 0x00};
        size_t size = 2;
        memcpy(bytes + size, IDS[i].bytes, IDS[i].size);
        size += IDS[i].size;
        static const uint8_t REST[] = {0xA1, 'm', 0x90};
        memcpy(bytes + size, REST, sizeof REST);
        size += sizeof REST;
        assert_call(bytes, size, RPC_REQUEST, IDS[i].id, "m", 0);
        uint32_t id = 1;
        assert_true(rpc_peek_id(bytes, size, &id));
        assert_int_equal(id, IDS[i].id);
    }
}

static void envelope_may_be_an_array_of_any_width(void **state)
{
    (void)state;
    assert_call(BYTES("\xdc\x00\x04\x00\x07\xa1m\x90"), RPC_REQUEST, 7, "m", 0);
    assert_call(BYTES("\xdd\x00\x00\x00\x04\xcc\x00\x07\xa1m\xdd\x00\x00\x00\x01"
                      "\xdf\x00\x00\x00\x01\xa1k\x01"),
                RPC_REQUEST, 7, "m", 1);
}

static void response_carries_error_or_result(void **state)
{
    (void)state;
    rpc_message m;
    error err;
    assert_int_equal(decode(BYTES("\x94\x01\x07\xc0\x81\xa4tick\x05"), &m, &err), RPC_GOOD);
    assert_int_equal(m.kind, RPC_RESPONSE);
    assert_int_equal(m.id, 7);
    assert_false(m.answerable);
    assert_int_equal(m.error.type, MSGPACK_OBJECT_NIL);
    assert_int_equal(rpc_map_get(&m.result, "tick")->via.u64, 5);
    rpc_message_deinit(&m);
    assert_int_equal(decode(BYTES("\x94\x01\x08\xa5wrong\xc0"), &m, &err), RPC_GOOD);
    assert_true(rpc_text_equals(&m.error, "wrong"));
    assert_int_equal(m.result.type, MSGPACK_OBJECT_NIL);
    rpc_message_deinit(&m);
}

static void every_width_as_an_argument_is_good(void **state)
{
    (void)state;
    size_t count;
    const sample *all = samples(&count);
    for (size_t i = 0; i < count; i++) {
        buffer b;
        buffer_init(&b, 1 << 20);
        buffer_append(&b, BYTES("\x94\x00\x07\xa1m\x91\x81\xa1k"));
        buffer_append(&b, all[i].bytes, all[i].size);
        assert_call(b.data, b.size, RPC_REQUEST, 7, "m", 1);
        buffer_deinit(&b);
    }
}

static void nesting_that_the_scanner_passes_is_unpacked(void **state)
{
    (void)state;
    // The envelope, the params, the map, and 29 more containers.
    uint8_t bytes[64] = {0x94, 0x00, 0x07, 0xA1, 'm', 0x91, 0x81, 0xA1, 'k'};
    memset(bytes + 9, 0x91, 29);
    bytes[9 + 29] = 0x05;
    assert_call(bytes, 9 + 30, RPC_REQUEST, 7, "m", 1);
}

// ---- broken: not MessagePack-RPC

static void message_that_is_no_array_is_broken(void **state)
{
    (void)state;
    assert_broken(BYTES("G"), false, 0, "an array of 3 or 4");
    assert_broken(BYTES("\xc0"), false, 0, "an array of 3 or 4");
    assert_broken(BYTES("\x80"), false, 0, "an array of 3 or 4");
    assert_broken(BYTES("\x81\xa1k\x01"), false, 0, "an array of 3 or 4");
    assert_broken(BYTES("\xa4ping"), false, 0, "an array of 3 or 4");
}

static void empty_array_is_broken(void **state)
{
    (void)state;
    assert_broken(BYTES("\x90"), false, 0, "an array of 3 or 4");
}

static void kind_that_does_not_exist_is_broken(void **state)
{
    (void)state;
    assert_broken(BYTES("\x94\x03\x07\xa1m\x90"), false, 0, "0, 1 or 2");
    assert_broken(BYTES("\x94\xff\x07\xa1m\x90"), false, 0, "0, 1 or 2");
    assert_broken(BYTES("\x94\xa1"
                        "0\x07\xa1m\x90"),
                  false, 0, "0, 1 or 2");
    assert_broken(BYTES("\x94\xca\x00\x00\x00\x00\x07\xa1m\x90"), false, 0, "0, 1 or 2");
}

static void id_that_is_no_uint32_is_broken_and_not_answerable(void **state)
{
    (void)state;
    assert_broken(BYTES("\x94\x00\xff\xa1m\x90"), false, 0, "the id");
    assert_broken(BYTES("\x94\x00\xcf\x00\x00\x00\x01\x00\x00\x00\x00\xa1m\x90"), false, 0,
                  "the id");
    assert_broken(BYTES("\x94\x00\xa1"
                        "7\xa1m\x90"),
                  false, 0, "the id");
    assert_broken(BYTES("\x94\x00\xc0\xa1m\x90"), false, 0, "the id");
    assert_broken(BYTES("\x94\x00\xca\x40\xe0\x00\x00\xa1m\x90"), false, 0, "the id");
    assert_broken(BYTES("\x94\x01\xff\xc0\xc0"), false, 0, "the id");
}

static void request_without_an_id_is_broken(void **state)
{
    (void)state;
    assert_broken(BYTES("\x91\x00"), false, 0, "no id");
    assert_broken(BYTES("\x91\x01"), false, 0, "no id");
}

static void request_of_a_wrong_length_is_broken_but_answerable(void **state)
{
    (void)state;
    assert_broken(BYTES("\x92\x00\x07"), true, 7, "4 elements");
    assert_broken(BYTES("\x93\x00\x07\xa1m"), true, 7, "4 elements");
    assert_broken(BYTES("\x95\x00\x07\xa1m\x90\xc0"), true, 7, "4 elements");
}

static void response_of_a_wrong_length_is_broken(void **state)
{
    (void)state;
    assert_broken(BYTES("\x93\x01\x07\xc0"), false, 0, "4 elements");
}

static void notification_of_a_wrong_length_is_broken(void **state)
{
    (void)state;
    assert_broken(BYTES("\x91\x02"), false, 0, "3 elements");
    assert_broken(BYTES("\x92\x02\xa1m"), false, 0, "3 elements");
    assert_broken(BYTES("\x94\x02\x07\xa1m\x90"), false, 0, "3 elements");
}

static void method_that_is_no_string_is_broken_but_answerable(void **state)
{
    (void)state;
    assert_broken(BYTES("\x94\x00\x07\x05\x90"), true, 7, "the method");
    assert_broken(BYTES("\x94\x00\x07\xc0\x90"), true, 7, "the method");
    assert_broken(BYTES("\x94\x00\x07\x91\xa1m\x90"), true, 7, "the method");
    assert_broken(BYTES("\x93\x02\x05\x90"), false, 0, "the method");
}

static void params_that_are_no_array_are_broken_but_answerable(void **state)
{
    (void)state;
    assert_broken(BYTES("\x94\x00\x07\xa1m\x80"), true, 7, "the params");
    assert_broken(BYTES("\x94\x00\x07\xa1m\xc0"), true, 7, "the params");
    assert_broken(BYTES("\x94\x00\x07\xa1m\xa1x"), true, 7, "the params");
    assert_broken(BYTES("\x93\x02\xa1m\x81\xa1x\x01"), false, 0, "the params");
}

// ---- refused: MessagePack-RPC with invalid contents

static void params_of_more_than_one_element_are_refused(void **state)
{
    (void)state;
    assert_refused(BYTES("\x94\x00\x07\xa1m\x92\x80\x80"), true, 7, "one map");
    assert_refused(BYTES("\x94\x00\x07\xa1m\x92\x90\x90"), true, 7, "one map");
    assert_refused(BYTES("\x93\x02\xa1m\x92\x80\x80"), false, 0, "one map");
}

static void params_whose_element_is_no_map_are_refused(void **state)
{
    (void)state;
    assert_refused(BYTES("\x94\x00\x07\xa1m\x91\x01"), true, 7, "one map");
    assert_refused(BYTES("\x94\x00\x07\xa1m\x91\xc0"), true, 7, "one map");
    assert_refused(BYTES("\x94\x00\x07\xa1m\x91\x91\x01"), true, 7, "one map");
}

static void argument_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    assert_refused(BYTES("\x94\x00\x07\xa1m\x91\x81\xa1k\xca\x7f\xc0\x00\x00"), true, 7,
                   "k: not a finite number");
    assert_refused(BYTES("\x93\x02\xa1m\x91\x81\xa1k\xca\x7f\xc0\x00\x00"), false, 0,
                   "k: not a finite number");
}

static void text_that_is_not_utf8_is_refused(void **state)
{
    (void)state;
    assert_refused(BYTES("\x94\x00\x07\xa1\xff\x90"), true, 7, "UTF-8");
    assert_refused(BYTES("\x94\x00\x07\xa1m\x91\x81\xa1k\xa1\xff"), true, 7, "k: the string");
}

static void argument_that_is_there_twice_is_refused(void **state)
{
    (void)state;
    assert_refused(BYTES("\x94\x00\x07\xa1m\x91\x82\xa1k\x01\xa1k\x02"), true, 7,
                   "the key 'k' is there twice");
}

// ---- the id of an incomplete message

static void peek_id_of_the_start_of_a_request_is_found(void **state)
{
    (void)state;
    static const uint8_t START[] = {0x94, 0x00, 0xCE, 0x01, 0x02, 0x03, 0x04, 0xDB, 0x40};
    for (size_t size = 0; size <= sizeof START; size++) {
        uint32_t id = 0;
        assert_int_equal(rpc_peek_id(START, size, &id), size >= 7);
        assert_int_equal(id, size >= 7 ? 0x01020304 : 0);
    }
}

static void peek_id_of_what_is_no_request_is_not_found(void **state)
{
    (void)state;
    uint32_t id;
    assert_false(rpc_peek_id(BYTES("\x94\x01\x07\xc0\xc0"), &id));
    assert_false(rpc_peek_id(BYTES("\x93\x02\x07\x90"), &id));
    assert_false(rpc_peek_id(BYTES("\x91\x00\x07"), &id));
    assert_false(rpc_peek_id(BYTES("\x84\x00\x07\x00\x07"), &id));
    assert_false(rpc_peek_id(BYTES("\x94\x00\xff\xa1m"), &id));
    assert_false(rpc_peek_id(BYTES("\x94\x00\xd3\xff\xff\xff\xff\xff\xff\xff\xff\xa1m"), &id));
    assert_false(rpc_peek_id(BYTES("\x94\x00\xcf\x00\x00\x00\x01\x00\x00\x00\x00\xa1m"), &id));
    assert_false(rpc_peek_id(BYTES("\x94\x00\xca\x40\xe0\x00\x00\xa1m"), &id));
    assert_false(rpc_peek_id(BYTES("\xc1\xc1\xc1"), &id));
}

// ---- writing, and reading back what was written

static void pack_request_is_the_bytes_of_the_contract(void **state)
{
    (void)state;
    buffer b;
    buffer_init(&b, 1000);
    msgpack_packer packer = buffer_packer(&b);
    rpc_pack_request(&packer, 300, "ping");
    msgpack_pack_map(&packer, 0);
    assert_int_equal(b.size, 12);
    assert_memory_equal(b.data, "\x94\x00\xcd\x01\x2c\xa4ping\x91\x80", 12);
    assert_call(b.data, b.size, RPC_REQUEST, 300, "ping", 0);
    buffer_deinit(&b);
}

static void pack_notification_is_read_back(void **state)
{
    (void)state;
    buffer b;
    buffer_init(&b, 1000);
    msgpack_packer packer = buffer_packer(&b);
    rpc_pack_notification(&packer, "snapshot");
    msgpack_pack_map(&packer, 1);
    rpc_pack_text(&packer, "tick");
    msgpack_pack_int(&packer, 9);
    assert_call(b.data, b.size, RPC_NOTIFICATION, 0, "snapshot", 1);
    buffer_deinit(&b);
}

static void pack_response_is_read_back(void **state)
{
    (void)state;
    buffer b;
    buffer_init(&b, 1000);
    msgpack_packer packer = buffer_packer(&b);
    rpc_pack_response(&packer, UINT32_MAX);
    msgpack_pack_true(&packer);
    rpc_message m;
    error err;
    assert_int_equal(decode(b.data, b.size, &m, &err), RPC_GOOD);
    assert_int_equal(m.kind, RPC_RESPONSE);
    assert_int_equal(m.id, UINT32_MAX);
    assert_true(m.result.via.boolean);
    rpc_message_deinit(&m);
    buffer_deinit(&b);
}

static void pack_error_of_every_status_is_parsed_back(void **state)
{
    (void)state;
    for (int s = STATUS_OK + 1; s < STATUS_COUNT; s++) {
        error sent;
        error_set(&sent, (status)s, "world 'x': it is: so");
        buffer b;
        buffer_init(&b, 1000);
        msgpack_packer packer = buffer_packer(&b);
        rpc_pack_error(&packer, 5, &sent);
        rpc_message m;
        error err;
        assert_int_equal(decode(b.data, b.size, &m, &err), RPC_GOOD);
        assert_int_equal(m.result.type, MSGPACK_OBJECT_NIL);
        error got;
        rpc_parse_error(&m.error, &got);
        assert_int_equal(got.status, s);
        assert_string_equal(got.text, sent.text);
        rpc_message_deinit(&m);
        buffer_deinit(&b);
    }
}

static void parse_error_of_a_stranger_is_internal_with_its_text(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"no code here", "nonsense: text", "ok: not an error",
                                        ": x",          "int: x",         ""};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        msgpack_object object = {.type = MSGPACK_OBJECT_STR};
        object.via.str.ptr = TEXTS[i];
        object.via.str.size = (uint32_t)strlen(TEXTS[i]);
        error got;
        rpc_parse_error(&object, &got);
        assert_int_equal(got.status, STATUS_INTERNAL);
        assert_string_equal(got.text, TEXTS[i]);
    }
    msgpack_object number = {.type = MSGPACK_OBJECT_POSITIVE_INTEGER};
    error got;
    rpc_parse_error(&number, &got);
    assert_int_equal(got.status, STATUS_INTERNAL);
}

static void map_get_finds_str_and_bin_keys(void **state)
{
    (void)state;
    rpc_message m;
    error err;
    assert_int_equal(
        decode(BYTES("\x93\x02\xa1m\x91\x83\xa2xy\x01\xc4\x02xz\x02\x05\x03"), &m, &err), RPC_GOOD);
    assert_int_equal(rpc_map_get(&m.params, "xy")->via.u64, 1);
    assert_int_equal(rpc_map_get(&m.params, "xz")->via.u64, 2);
    assert_null(rpc_map_get(&m.params, "x"));
    assert_null(rpc_map_get(&m.params, "xyz"));
    rpc_message_deinit(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request_with_a_map_is_good),
        cmocka_unit_test(notification_is_good_and_not_answerable),
        cmocka_unit_test(empty_params_stand_for_the_empty_map),
        cmocka_unit_test(empty_array_as_the_map_is_an_empty_lua_table),
        cmocka_unit_test(method_may_be_bin_of_any_width),
        cmocka_unit_test(id_may_come_in_any_integer_width),
        cmocka_unit_test(envelope_may_be_an_array_of_any_width),
        cmocka_unit_test(response_carries_error_or_result),
        cmocka_unit_test(every_width_as_an_argument_is_good),
        cmocka_unit_test(nesting_that_the_scanner_passes_is_unpacked),
        cmocka_unit_test(message_that_is_no_array_is_broken),
        cmocka_unit_test(empty_array_is_broken),
        cmocka_unit_test(kind_that_does_not_exist_is_broken),
        cmocka_unit_test(id_that_is_no_uint32_is_broken_and_not_answerable),
        cmocka_unit_test(request_without_an_id_is_broken),
        cmocka_unit_test(request_of_a_wrong_length_is_broken_but_answerable),
        cmocka_unit_test(response_of_a_wrong_length_is_broken),
        cmocka_unit_test(notification_of_a_wrong_length_is_broken),
        cmocka_unit_test(method_that_is_no_string_is_broken_but_answerable),
        cmocka_unit_test(params_that_are_no_array_are_broken_but_answerable),
        cmocka_unit_test(params_of_more_than_one_element_are_refused),
        cmocka_unit_test(params_whose_element_is_no_map_are_refused),
        cmocka_unit_test(argument_that_is_not_finite_is_refused),
        cmocka_unit_test(text_that_is_not_utf8_is_refused),
        cmocka_unit_test(argument_that_is_there_twice_is_refused),
        cmocka_unit_test(peek_id_of_the_start_of_a_request_is_found),
        cmocka_unit_test(peek_id_of_what_is_no_request_is_not_found),
        cmocka_unit_test(pack_request_is_the_bytes_of_the_contract),
        cmocka_unit_test(pack_notification_is_read_back),
        cmocka_unit_test(pack_response_is_read_back),
        cmocka_unit_test(pack_error_of_every_status_is_parsed_back),
        cmocka_unit_test(parse_error_of_a_stranger_is_internal_with_its_text),
        cmocka_unit_test(map_get_finds_str_and_bin_keys),
    };
    return cmocka_run_group_tests(tests, NULL, free_held);
}
