// The compact form of records: encoding and decoding give the same commands, the form is as short
// as it should be, and altered bytes are refused.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <msgpack.h>

#include "common/physics/physics.h"
#include "proto/commands/canonical.h"
#include "proto/commands/command_decode.h"
#include "proto/log/log_compact.h"
#include "proto/log/log_record.h"
#include "proto/methods.h"
#include "proto/wire/json.h"

enum { BYTES_MAX = 1 << 20 };

static void add(buffer *rows, uint64_t tick, uint64_t session, method m, const char *json)
{
    buffer bytes;
    buffer arguments;
    msgpack_unpacked unpacked;
    command c = {0};
    error err;
    buffer_init(&bytes, BYTES_MAX);
    buffer_init(&arguments, BYTES_MAX);
    assert_int_equal(json_text_to_msgpack(json, strlen(json), &bytes, &err), STATUS_OK);
    msgpack_unpacked_init(&unpacked);
    assert_int_equal(msgpack_unpack_next(&unpacked, (const char *)bytes.data, bytes.size, NULL),
                     MSGPACK_UNPACK_SUCCESS);
    if (command_decode(m, &unpacked.data, &c, &err) != STATUS_OK) {
        fail_msg("%s: %s", json, err.text);
    }
    command_free(&c);
    arguments_canonical(&arguments, m, &unpacked.data);
    msgpack_unpacked_destroy(&unpacked);
    log_command row = {.tick = tick,
                       .session = session,
                       .method = method_name(m),
                       .method_size = (uint32_t)strlen(method_name(m)),
                       .arguments = arguments.data,
                       .arguments_size = (uint32_t)arguments.size};
    log_command_encode(rows, &row);
    buffer_deinit(&bytes);
    buffer_deinit(&arguments);
}

static uint32_t count_rows(const buffer *rows)
{
    const log_record record = {.commands = rows->data, .commands_size = rows->size};
    size_t offset = 0;
    uint32_t count = 0;
    for (log_command one; log_record_next(&record, &offset, &one);) {
        count++;
    }
    return count;
}

static log_record record_of(const buffer *rows, uint64_t from, uint64_t tick)
{
    return (log_record){.from = from,
                        .tick = tick,
                        .command_count = count_rows(rows),
                        .commands = rows->data,
                        .commands_size = rows->size,
                        .has_hash = true,
                        .hash = UINT64_C(0x0123456789abcdef)};
}

// Returns the size of the record's compact form; checks that it decodes to the same rows.
static size_t size_there_and_back(const log_record *record)
{
    buffer out;
    buffer rows;
    log_record back;
    error err;
    buffer_init(&out, BYTES_MAX);
    buffer_init(&rows, BYTES_MAX);
    assert_true(log_compact_encode(&out, record, "lab"));
    if (log_compact_decode(out.data, out.size, record->from, "lab", &rows, &back, &err) !=
        STATUS_OK) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(back.from, record->from);
    assert_int_equal(back.tick, record->tick);
    assert_int_equal(back.command_count, record->command_count);
    assert_int_equal(back.has_hash, record->has_hash);
    assert_int_equal(back.hash, record->hash);
    assert_int_equal(back.commands_size, record->commands_size);
    if (back.commands_size > 0) {
        assert_memory_equal(back.commands, record->commands, back.commands_size);
    }
    const size_t size = out.size;
    buffer_deinit(&out);
    buffer_deinit(&rows);
    return size;
}

// A command of each method, and together every kind of argument.
static void add_one_of_each(buffer *rows)
{
    static const struct {
        method m;
        const char *json;
    } EACH[] = {
        {METHOD_WORLD_SET, "{\"world\":\"lab\",\"gravity\":[0.1,-1e-300],\"sleep\":false}"},
        {METHOD_WORLD_SET,
         "{\"world\":\"lab\",\"players\":{\"methods\":[\"body.impulse\",\"data.get\"],"
         "\"types\":[\"dynamic\"],\"bodies\":3,\"mass\":0.1,\"area\":[-1,-2,3,4.5]}}"},
        {METHOD_WORLD_SET, "{\"world\":\"lab\",\"players\":{}}"},
        {METHOD_BODY_SPAWN,
         "{\"world\":\"lab\",\"type\":\"kinematic\",\"position\":[1,-2.5],\"angle\":0.1,"
         "\"tag\":\"h\u00e9\",\"awake\":true,\"lifetime\":\"session\",\"owner\":\"ada\",\"shapes\":"
         "["
         "{\"kind\":\"circle\",\"radius\":0.3,\"filter\":{\"category\":-1,\"mask\":7,\"group\":-3}}"
         ","
         "{\"kind\":\"box\",\"size\":[1,2],\"angle\":-0.25,\"sensor\":true,"
         "\"events\":[\"contact\",\"hit\"]},"
         "{\"kind\":\"polygon\",\"vertices\":[[0,0],[1,0.1],[0.3,1]],\"radius\":0.01},"
         "{\"kind\":\"capsule\",\"a\":[0,0],\"b\":[1,1],\"radius\":0.5},"
         "{\"kind\":\"segment\",\"a\":[0,0],\"b\":[0.1,1e-300]},"
         "{\"kind\":\"chain\",\"vertices\":[[0,0],[1,0],[2,0.7]],\"loop\":true}]}"},
        {METHOD_BODY_REMOVE, "{\"world\":\"lab\",\"body\":9007199254740991}"},
        {METHOD_BODY_SET, "{\"world\":\"lab\",\"body\":3,\"velocity\":[-0.0,3],\"mass\":2}"},
        {METHOD_BODY_IMPULSE,
         "{\"world\":\"lab\",\"body\":3,\"impulse\":[0.5,2],\"point\":[0.1,0]}"},
        {METHOD_BODY_ANGULAR_IMPULSE, "{\"world\":\"lab\",\"body\":3,\"impulse\":-4}"},
        {METHOD_BODY_FORCE, "{\"world\":\"lab\",\"body\":3,\"force\":[0,-0.0]}"},
        {METHOD_BODY_TORQUE, "{\"world\":\"other\",\"body\":3,\"torque\":1024}"},
        {METHOD_SHAPE_ADD,
         "{\"world\":\"lab\",\"body\":3,\"shape\":{\"kind\":\"circle\",\"radius\":2}}"},
        {METHOD_SHAPE_SET, "{\"world\":\"lab\",\"shape\":3,\"friction\":0.7,\"events\":[]}"},
        {METHOD_SHAPE_REMOVE, "{\"world\":\"lab\",\"shape\":3}"},
        {METHOD_DATA_SET,
         "{\"world\":\"lab\",\"key\":\"h\u00e9\",\"value\":{\"a\":[1,2.5,true,null,\"x\"]},"
         "\"version\":3}"},
        {METHOD_MESSAGE_SEND,
         "{\"world\":\"lab\",\"name\":\"chat\",\"data\":[\"hi\",{\"x\":-2.5}],\"to\":\"bob\","
         "\"subject\":\"ada\"}"},
        {METHOD_MESSAGE_SEND, "{\"world\":\"lab\",\"name\":\"go\",\"to\":7}"},
        {METHOD_DATA_REMOVE, "{\"world\":\"lab\",\"key\":\"k\"}"},
        {METHOD_WORLD_JOIN,
         "{\"world\":\"lab\",\"template\":\"arena\",\"data\":{\"n\":1},\"seat\":2,"
         "\"session\":7,\"subject\":\"ada\"}"},
        {METHOD_WORLD_LEAVE, "{\"world\":\"lab\",\"session\":7,\"seat\":2}"},
        {METHOD_JOINT_CREATE,
         "{\"world\":\"lab\",\"kind\":\"revolute\",\"a\":1,\"b\":2,\"anchor\":[0.1,0.2],"
         "\"motor_speed\":3.3,\"collide_connected\":true}"},
        {METHOD_JOINT_SET, "{\"world\":\"lab\",\"joint\":3,\"lower\":-0.1,\"upper\":0.1}"},
        {METHOD_JOINT_REMOVE, "{\"world\":\"lab\",\"joint\":3}"},
        {METHOD_WORLD_APPLY, "{\"world\":\"lab\",\"commands\":["
                             "[\"body.spawn\",{\"shapes\":[{\"kind\":\"circle\",\"radius\":1}]}],"
                             "[\"body.force\",{\"body\":{\"$\":0},\"force\":[1,2]}],"
                             "[\"body.remove\",{\"body\":12}]],\"at\":1234567890123}"},
    };
    for (size_t i = 0; i < sizeof EACH / sizeof *EACH; i++) {
        add(rows, 100 + i / 4, i % 3 * 1000, EACH[i].m, EACH[i].json);
    }
}

static void every_command_comes_back_to_the_bit(void **state)
{
    (void)state;
    buffer rows;
    buffer_init(&rows, BYTES_MAX);
    add_one_of_each(&rows);
    log_record record = record_of(&rows, 100, 106);
    const size_t size = size_there_and_back(&record);
    assert_true(3 * size < 2 * rows.size);
    record.has_hash = false;
    record.hash = 0;
    assert_int_equal(size_there_and_back(&record), size - 8);
    add(&rows, 1000, 0, METHOD_BODY_REMOVE, "{\"world\":\"lab\",\"body\":1}"); // ticks later
    record = record_of(&rows, 100, 100 + LOG_TICKS_MAX);
    size_there_and_back(&record);
    buffer_deinit(&rows);
}

static void pause_without_arguments_comes_back(void **state)
{
    (void)state;
    static const uint8_t EMPTY_MAP[] = {0x80};
    buffer rows;
    buffer_init(&rows, BYTES_MAX);
    const log_command row = {.tick = 7,
                             .method = "world.pause",
                             .method_size = 11,
                             .arguments = EMPTY_MAP,
                             .arguments_size = sizeof EMPTY_MAP};
    log_command_encode(&rows, &row);
    log_record record = record_of(&rows, 7, 7);
    record.has_hash = false;
    record.hash = 0;
    assert_int_equal(size_there_and_back(&record), 1 + 4);
    buffer_deinit(&rows);
}

// A driven body: the first command of a record is complete, later ones have only the changes.
static void command_like_one_before_is_a_difference(void **state)
{
    (void)state;
    buffer rows;
    buffer_init(&rows, BYTES_MAX);
    add(&rows, 1, 5, METHOD_BODY_FORCE, "{\"world\":\"lab\",\"body\":900,\"force\":[0.5,-8]}");
    log_record record = record_of(&rows, 0, 1);
    const size_t first = size_there_and_back(&record);
    assert_int_equal(first, 1 + 8 + 1 + 1 + 1 + 1 + 2 + 8);
    add(&rows, 2, 5, METHOD_BODY_FORCE, "{\"world\":\"lab\",\"body\":900,\"force\":[0.5,-8]}");
    record = record_of(&rows, 0, 2);
    assert_int_equal(size_there_and_back(&record), first + 1 + 2);
    add(&rows, 2, 6, METHOD_BODY_FORCE, "{\"world\":\"lab\",\"body\":900,\"force\":[0.5,-8]}");
    record = record_of(&rows, 0, 2);
    assert_int_equal(size_there_and_back(&record), first + 3 + 14); // another session
    add(&rows, 3, 5, METHOD_BODY_FORCE, "{\"world\":\"lab\",\"body\":900,\"force\":[-0.0,-8.25]}");
    record = record_of(&rows, 0, 3);
    assert_true(size_there_and_back(&record) <= first + 3 + 14 + 1 + 5 + 4);
    buffer_deinit(&rows);
    buffer_init(&rows, BYTES_MAX);
    for (uint64_t i = 0; i < 40; i++) { // more players than the coder compares earlier rows
        char text[128];
        snprintf(text, sizeof text, "{\"world\":\"lab\",\"joint\":%d,\"target\":[0.1,%d.1]}",
                 (int)(i % 20) + 1, (int)i);
        add(&rows, i / 20, 5, METHOD_JOINT_SET, text);
    }
    record = record_of(&rows, 0, 2);
    assert_int_equal(size_there_and_back(&record), 1 + 8 + 20 * (6 + 17) + 20 * (2 + 8));
    buffer_deinit(&rows);
}

// A push is rounded as the engine rounds it, so its effect is the same.
static void push_is_rounded_as_the_engine_rounds_it(void **state)
{
    (void)state;
    static const double VALUES[] = {0.1, -1e-50, 3.0000000001, 1e12, 123456789.123, -0.0, 5e-324};
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
        uint64_t hashes[2];
        for (int rounded = 0; rounded < 2; rounded++) {
            const double value = rounded != 0 ? (double)(float)VALUES[i] : VALUES[i];
            const vec2d push = {value, -value};
            const vec2d point = {0.3, 0.1};
            world_def def = world_def_default();
            body_def body = body_def_default();
            physics_world *world = NULL;
            body_id id = 0;
            assert_int_equal(world_create(&def, &world, NULL), STATUS_OK);
            assert_int_equal(body_create(world, &body, &id, NULL), STATUS_OK);
            assert_int_equal(body_set_force(world, id, push, &point, NULL), STATUS_OK);
            assert_int_equal(body_set_torque(world, id, value, NULL), STATUS_OK);
            assert_int_equal(body_apply_impulse(world, id, push, &point, NULL), STATUS_OK);
            assert_int_equal(body_apply_angular_impulse(world, id, value, NULL), STATUS_OK);
            world_step(world);
            hashes[rounded] = world_hash(world);
            world_free(world);
        }
        assert_int_equal(hashes[0], hashes[1]);
    }
    buffer rows;
    buffer out;
    buffer back;
    log_record record;
    log_command one;
    size_t offset = 0;
    buffer_init(&rows, BYTES_MAX);
    buffer_init(&out, BYTES_MAX);
    buffer_init(&back, BYTES_MAX);
    add(&rows, 1, 5, METHOD_BODY_TORQUE, "{\"world\":\"lab\",\"body\":3,\"torque\":0.1}");
    record = record_of(&rows, 0, 1);
    assert_true(log_compact_encode(&out, &record, "lab"));
    assert_int_equal(log_compact_decode(out.data, out.size, 0, "lab", &back, &record, NULL),
                     STATUS_OK);
    assert_true(log_record_next(&record, &offset, &one));
    uint64_t bits = 0;
    double value;
    for (uint32_t i = one.arguments_size - 8; i < one.arguments_size; i++) {
        bits = bits << 8 | one.arguments[i];
    }
    memcpy(&value, &bits, sizeof value);
    assert_true(value == (double)0.1f);
    buffer_deinit(&rows);
    buffer_deinit(&out);
    buffer_deinit(&back);
}

static void what_is_not_canonical_has_no_compact_form(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        const char *bytes;
        uint32_t size;
    } ROWS[] = {
        {"body.explode",
         "\x81\xa4"
         "body\x07",
         7}, // no such method
        {"body.remove",
         "\x81\xa4"
         "bady\x07",
         7}, // no such argument
        {"body.remove",
         "\x82\xa4"
         "body\x07\xa5"
         "world\xa3"
         "lab",
         17}, // another order
        {"body.remove",
         "\x81\xa4"
         "body\xcc\x07",
         8}, // a longer integer
        {"body.torque",
         "\x82\xa4"
         "body\x07\xa6torque\x01",
         15},                 // no float
        {"hello", "\x80", 1}, // no log contains this method
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        buffer rows;
        buffer out;
        buffer_init(&rows, BYTES_MAX);
        buffer_init(&out, BYTES_MAX);
        buffer_append(&out, "before", 6);
        const log_command row = {.tick = 1,
                                 .method = ROWS[i].method,
                                 .method_size = (uint32_t)strlen(ROWS[i].method),
                                 .arguments = (const uint8_t *)ROWS[i].bytes,
                                 .arguments_size = ROWS[i].size};
        log_command_encode(&rows, &row);
        const log_record record = record_of(&rows, 0, 1);
        assert_false(log_compact_encode(&out, &record, "lab"));
        assert_int_equal(out.size, 6);
        buffer_deinit(&rows);
        buffer_deinit(&out);
    }
}

// Checks that decoding gives an error with a text, or a record whose rows can be read.
static void expect_sound(const uint8_t *bytes, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    buffer rows;
    log_record record;
    error err = {STATUS_OK, ""};
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    buffer_init(&rows, LOG_RECORD_BYTES_MAX);
    if (log_compact_decode(exact, size, 100, "lab", &rows, &record, &err) == STATUS_OK) {
        size_t offset = 0;
        uint32_t count = 0;
        buffer whole;
        buffer_init(&whole, LOG_RECORD_BYTES_MAX);
        log_record_encode(&whole, &record);
        log_record again;
        if (log_record_decode(whole.data, whole.size, &again, &err) == STATUS_OK) {
            for (log_command one; log_record_next(&again, &offset, &one); count++) {
            }
            assert_int_equal(count, record.command_count);
        }
        buffer_deinit(&whole);
    } else {
        assert_true(err.status != STATUS_OK && err.text[0] != '\0');
    }
    buffer_deinit(&rows);
    free(exact);
}

static void record_of_too_many_ticks_is_refused(void **state)
{
    (void)state;
    static const uint64_t TICKS[] = {LOG_TICKS_MAX, LOG_TICKS_MAX + 1, UINT64_C(1) << 60};
    buffer rows;
    buffer out;
    buffer_init(&rows, BYTES_MAX);
    for (size_t i = 0; i < sizeof TICKS / sizeof *TICKS; i++) {
        buffer_init(&out, BYTES_MAX);
        const log_record record = record_of(&rows, 100, 100 + TICKS[i]);
        assert_true(log_compact_encode(&out, &record, "lab"));
        log_record got;
        error err;
        assert_int_equal(log_compact_decode(out.data, out.size, 100, "lab", &rows, &got, &err),
                         i == 0 ? STATUS_OK : STATUS_LIMIT_EXCEEDED);
        assert_true(i == 0 || strstr(err.text, "ticks, at most 131072 are allowed") != NULL);
        buffer_deinit(&out);
    }
    buffer_deinit(&rows);
}

static void cut_and_altered_records_are_refused_or_read_within_their_bytes(void **state)
{
    (void)state;
    buffer rows;
    buffer out;
    buffer_init(&rows, BYTES_MAX);
    buffer_init(&out, BYTES_MAX);
    add_one_of_each(&rows);
    add(&rows, 103, 5, METHOD_BODY_FORCE, "{\"world\":\"lab\",\"body\":900,\"force\":[0.5,-8]}");
    add(&rows, 103, 5, METHOD_BODY_FORCE, "{\"world\":\"lab\",\"body\":900,\"force\":[0.5,-9]}");
    const log_record record = record_of(&rows, 100, 106);
    assert_true(log_compact_encode(&out, &record, "lab"));
    for (size_t size = 0; size < out.size; size++) {
        expect_sound(out.data, size);
    }
    for (size_t at = 0; at < out.size * 8; at++) {
        out.data[at / 8] ^= (uint8_t)(1u << at % 8);
        expect_sound(out.data, out.size);
        out.data[at / 8] ^= (uint8_t)(1u << at % 8);
    }
    buffer_deinit(&rows);
    buffer_deinit(&out);
}

static void errors_name_the_place(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *text;
    } BAD[] = {
        {"", 0, "byte 0 of the compact record: expected a count of ticks"},
        {"\x01", 1, "byte 1 of the compact record: expected 8 bytes of hash"},
        {"\x02\x02", 2, "byte 2 of the compact record: expected a row before this of one of"},
        {"\x02\x04", 2, "byte 2 of the compact record: expected a row before this to which"},
        {"\x02\xf8", 2, "byte 2 of the compact record: expected the head of a row before this"},
        {"\x02\x00\x05\xff", 4, "byte 3 of the compact record: expected a method"},
        {"\x02\x08\x05\x00\x00", 5, "expected a method before this that a log may have"},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        buffer rows;
        log_record record;
        error err;
        buffer_init(&rows, BYTES_MAX);
        assert_int_equal(log_compact_decode((const uint8_t *)BAD[i].bytes, BAD[i].size, 0, "lab",
                                            &rows, &record, &err),
                         STATUS_INVALID_ARGUMENT);
        if (strstr(err.text, BAD[i].text) == NULL) {
            fail_msg("%s", err.text);
        }
        buffer_deinit(&rows);
    }
}

// At 60 Hz, ticks 60, 120 … end a second, whichever record contains them.
static void each_second_bears_a_hash(void **state)
{
    static const struct {
        uint64_t from, tick;
        double hz;
        bool bears;
    } CASES[] = {{59, 60, 60.0, true},  {60, 61, 60.0, false},  {58, 59, 60.0, false},
                 {57, 61, 60.0, true},  {60, 60, 60.0, false},  {0, 1, 1.0, true},
                 {149, 150, 7.5, true}, {151, 157, 7.5, false}, {1, 1000, 60.0, true}};
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const log_record record = {.from = CASES[i].from, .tick = CASES[i].tick};
        assert_int_equal(log_compact_bears_hash(&record, CASES[i].hz), CASES[i].bears);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_comes_back_to_the_bit),
        cmocka_unit_test(pause_without_arguments_comes_back),
        cmocka_unit_test(command_like_one_before_is_a_difference),
        cmocka_unit_test(push_is_rounded_as_the_engine_rounds_it),
        cmocka_unit_test(what_is_not_canonical_has_no_compact_form),
        cmocka_unit_test(record_of_too_many_ticks_is_refused),
        cmocka_unit_test(cut_and_altered_records_are_refused_or_read_within_their_bytes),
        cmocka_unit_test(errors_name_the_place),
        cmocka_unit_test(each_second_bears_a_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
