// Snapshots decoded into structs. Malformed ones are in test_hostile.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <carom/json.h>
#include <carom/view.h>

#include "client/lib/snapshot.h"
#include "client/lib/value_wire.h"
#include "proto/wire/buffer.h"

typedef struct decoded {
    snapshot_decoder decoder;
    buffer bytes;
    carom_snapshot snapshot;
    carom_status outcome;
    carom_error why;
} decoded;

static decoded decode(const char *json)
{
    decoded d = {0};
    carom_value *v = NULL;
    if (carom_json_parse(json, strlen(json), &v, &d.why) != CAROM_OK) {
        fail_msg("%s", d.why.text);
    }
    buffer_init(&d.bytes, 1 << 20);
    msgpack_packer packer = buffer_packer(&d.bytes);
    value_pack(&packer, v, CAROM_VALUE_DEPTH_MAX, NULL);
    carom_value_free(v);
    return d;
}

// Sets the snapshot's pointers, which point into the struct, once the struct no longer moves.
static void finish(decoded *d)
{
    d->outcome = snapshot_decode(&d->decoder, d->bytes.data, d->bytes.size, &d->snapshot, &d->why);
}

static void drop(decoded *d)
{
    snapshot_decoder_deinit(&d->decoder);
    buffer_deinit(&d->bytes);
}

static void all_fields_are_decoded(void **state)
{
    (void)state;
    decoded d =
        decode("{\"subscription\":3,\"world\":\"demo\",\"epoch\":9,\"tick\":120,\"time\":2.0,"
               "\"full\":false,\"bodies\":[[7,1.5,-2.5,0.25,3,-4,5],[8,0,0,0,0,0,0]],"
               "\"removed\":[1,2],\"enter\":[8],\"leave\":[4,5,6],\"last\":42,\"skipped\":2,"
               "\"events_lost\":5000000000,\"margin\":-0.25,"
               "\"hash\":{\"$bin\":\"0102030405060708\"},\"something_new\":{\"a\":[1,{\"b\":2}]},"
               "\"events\":[],\"contacts\":[]}");
    finish(&d);
    assert_int_equal(d.outcome, CAROM_OK);
    const carom_snapshot *s = &d.snapshot;
    assert_int_equal(s->subscription, 3);
    assert_string_equal(s->world, "demo");
    assert_int_equal(s->epoch, 9);
    assert_int_equal(s->tick, 120);
    assert_true(s->time == 2.0);
    assert_false(s->full);
    assert_false(s->packed);
    assert_int_equal(s->body_count, 2);
    const carom_body *b = &s->bodies[0];
    assert_int_equal(b->id, 7);
    assert_true(b->x == 1.5 && b->y == -2.5 && b->angle == 0.25);
    assert_true(b->vx == 3 && b->vy == -4 && b->w == 5);
    assert_int_equal(s->removed_count, 2);
    assert_int_equal(s->removed[1], 2);
    assert_int_equal(s->enter_count, 1);
    assert_int_equal(s->enter[0], 8);
    assert_int_equal(s->leave_count, 3);
    assert_int_equal(s->leave[2], 6);
    assert_int_equal(s->last, 42);
    assert_int_equal(s->skipped, 2);
    assert_true(s->events_lost == 5000000000);
    assert_true(s->has_margin && s->margin == -0.25);
    assert_true(s->has_hash && s->has_contacts);
    assert_int_equal(s->hash[7], 8);
    drop(&d);
}

static void data_of_the_world_are_decoded_by_either_name(void **state)
{
    (void)state;
    const char *const names[] = {"data", "world_data"};
    for (size_t i = 0; i < 2; i++) {
        char json[256];
        snprintf(json, sizeof json,
                 "{\"subscription\":3,\"world\":\"demo\",\"tick\":1,\"full\":true,"
                 "\"%s\":{\"score\":[1,2],\"gone\":null}}",
                 names[i]);
        decoded d = decode(json);
        finish(&d);
        assert_int_equal(d.outcome, CAROM_OK);
        assert_true(d.snapshot.has_data && !d.snapshot.packed);
        assert_int_equal(d.snapshot.data_count, 2);
        const bool first = strcmp(d.snapshot.data[0].key, "score") == 0;
        const carom_datum *score = &d.snapshot.data[first ? 0 : 1];
        assert_null(d.snapshot.data[first ? 1 : 0].encoded);
        carom_value *value = carom_datum_value(score);
        assert_int_equal(carom_value_count(value), 2);
        carom_value_free(value);
        drop(&d);
    }
}

static void messages_have_their_texts_and_data(void **state)
{
    (void)state;
    decoded d =
        decode("{\"subscription\":3,\"world\":\"demo\",\"tick\":2,\"full\":true,\"events\":["
               "{\"kind\":\"message\",\"tick\":1,\"name\":\"chat\",\"data\":[1,2],"
               "\"session\":7,\"subject\":\"ada\"},"
               "{\"kind\":\"spawn\",\"tick\":1,\"a\":4},"
               "{\"kind\":\"message\",\"tick\":2,\"name\":\"go\",\"session\":8}]}");
    finish(&d);
    assert_int_equal(d.outcome, CAROM_OK);
    assert_int_equal(d.snapshot.event_count, 3);
    const carom_event *e = d.snapshot.events;
    assert_int_equal(e[0].kind, CAROM_EVENT_MESSAGE);
    assert_string_equal(e[0].name, "message");
    assert_string_equal(e[0].message, "chat");
    assert_string_equal(e[0].subject, "ada");
    assert_int_equal(e[0].session, 7);
    carom_value *data = carom_event_data(&e[0]);
    assert_int_equal(carom_value_count(data), 2);
    carom_value_free(data);
    assert_null(e[1].message);
    assert_string_equal(e[2].message, "go");
    assert_string_equal(e[2].subject, "");
    assert_null(carom_event_data(&e[2]));
    drop(&d);
}

static void seats_have_their_session_and_data(void **state)
{
    (void)state;
    decoded d =
        decode("{\"subscription\":3,\"world\":\"arena-1\",\"tick\":2,\"full\":true,\"events\":["
               "{\"kind\":\"join\",\"tick\":1,\"seat\":2,\"session\":7,\"subject\":\"ada\","
               "\"data\":[1,2]},"
               "{\"kind\":\"leave\",\"tick\":2,\"seat\":2,\"session\":8}]}");
    finish(&d);
    assert_int_equal(d.outcome, CAROM_OK);
    const carom_event *e = d.snapshot.events;
    assert_int_equal(e[0].kind, CAROM_EVENT_JOIN);
    assert_string_equal(e[0].name, "join");
    assert_null(e[0].message);
    assert_string_equal(e[0].subject, "ada");
    assert_int_equal(e[0].session, 7);
    assert_int_equal(e[0].seat, 2);
    carom_value *data = carom_event_data(&e[0]);
    assert_int_equal(carom_value_count(data), 2);
    carom_value_free(data);
    assert_int_equal(e[1].kind, CAROM_EVENT_LEAVE);
    assert_int_equal(e[1].seat, 2);
    assert_string_equal(e[1].subject, "");
    drop(&d);
    d = decode("{\"subscription\":3,\"world\":\"w\",\"tick\":1,\"full\":true,\"events\":["
               "{\"kind\":\"join\",\"tick\":1,\"session\":7}]}");
    finish(&d);
    assert_int_equal(d.outcome, CAROM_INTERNAL);
    drop(&d);
}

static void messages_without_a_name_or_with_a_long_one_are_refused(void **state)
{
    (void)state;
    static const char *const events[] = {
        "{\"kind\":\"message\",\"tick\":1,\"session\":7}",
        "{\"kind\":\"message\",\"tick\":1,\"session\":7,\"name\":3}",
        ("{\"kind\":\"message\",\"tick\":1,\"session\":7,\"name\":\"n\",\"subject\":"
         "\"0123456789012345678901234567890123456789012345678901234567890123-\"}")};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        char json[512];
        snprintf(json, sizeof json,
                 "{\"subscription\":3,\"world\":\"demo\",\"tick\":1,\"full\":true,\"events\":[%s]}",
                 events[i]);
        decoded d = decode(json);
        finish(&d);
        assert_int_equal(d.outcome, CAROM_INTERNAL);
        drop(&d);
    }
}

static void events_are_decoded_in_order(void **state)
{
    (void)state;
    decoded d =
        decode("{\"subscription\":3,\"world\":\"demo\",\"tick\":1,\"full\":true,\"events\":["
               "{\"kind\":\"begin\",\"tick\":1,\"a\":2,\"b\":3,\"shape_a\":4,\"shape_b\":5,"
               "\"point\":[1,2],\"normal\":[0,1.0],\"depth\":0.5,\"speed\":6,\"impulse\":7},"
               "{\"a\":9,\"kind\":\"melt\",\"heat\":[1]},{\"kind\":\"freeze\",\"a\":1},"
               "{\"kind\":\"glow\"},{\"kind\":\"joint_break\",\"joint\":77}]}");
    finish(&d);
    assert_int_equal(d.outcome, CAROM_OK);
    const carom_event *e = d.snapshot.events;
    assert_int_equal(d.snapshot.event_count, 5);
    assert_int_equal(e[0].kind, CAROM_EVENT_BEGIN);
    assert_string_equal(e[0].name, "begin");
    assert_true(e[0].a == 2 && e[0].b == 3 && e[0].shape_a == 4 && e[0].shape_b == 5);
    assert_true(e[0].point.y == 2 && e[0].normal.y == 1 && e[0].depth == 0.5);
    assert_true(e[0].speed == 6 && e[0].impulse == 7 && e[0].tick == 1);
    assert_int_equal(e[1].kind, CAROM_EVENT_OTHER);
    assert_string_equal(e[1].name, "melt");
    assert_int_equal(e[1].a, 9);
    assert_int_equal(e[2].kind, CAROM_EVENT_FREEZE);
    assert_string_equal(e[3].name, "glow");
    assert_int_equal(e[4].joint, 77);
    assert_false(d.snapshot.has_contacts);
    drop(&d);
}

static void contacts_are_decoded(void **state)
{
    (void)state;
    decoded d =
        decode("{\"subscription\":3,\"world\":\"demo\",\"tick\":1,\"full\":true,\"contacts\":["
               "{\"a\":1,\"b\":2,\"shape_a\":3,\"shape_b\":4,\"normal\":[1,0],\"points\":["
               "{\"point\":[5,6],\"depth\":0.01,\"impulse\":8,\"tangent_impulse\":1},"
               "{\"point\":[7,8],\"depth\":0.02,\"impulse\":9}]},"
               "{\"a\":1,\"b\":2,\"points\":[{\"point\":[1,1]}]}]}");
    finish(&d);
    assert_int_equal(d.outcome, CAROM_OK);
    assert_int_equal(d.snapshot.contact_count, 2);
    const carom_contact *c = &d.snapshot.contacts[0];
    assert_true(c->a == 1 && c->b == 2 && c->shape_a == 3 && c->shape_b == 4);
    assert_int_equal(c->count, 2);
    assert_true(c->normal.x == 1 && c->points[1].x == 7 && c->depth[1] == 0.02);
    assert_true(c->impulse[0] == 8 && c->impulse[1] == 9);
    assert_int_equal(d.snapshot.contacts[1].count, 1);
    drop(&d);
}

static void required_keys_are_required(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "{\"world\":\"w\",\"tick\":1,\"full\":true}",
        "{\"subscription\":1,\"tick\":1,\"full\":true}",
        "{\"subscription\":1,\"world\":\"w\",\"full\":true}",
        "{\"subscription\":1,\"world\":\"w\",\"tick\":1}",
        "{\"subscription\":0,\"world\":\"w\",\"tick\":1,\"full\":true}",
        "{\"subscription\":1,\"world\":\"w\",\"tick\":-1,\"full\":true}",
        "{\"subscription\":1,\"world\":\"w\",\"tick\":1,\"full\":1}",
        "[]",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        decoded d = decode(TEXTS[i]);
        finish(&d);
        if (d.outcome != CAROM_INTERNAL) {
            fail_msg("%s is taken", TEXTS[i]);
        }
        drop(&d);
    }
}

static void whole_tree_holds_what_is_unknown_too(void **state)
{
    (void)state;
    decoded d = decode("{\"subscription\":1,\"world\":\"w\",\"tick\":1,\"full\":true,\"new\":[5]}");
    finish(&d);
    carom_value *tree = carom_snapshot_value(&d.snapshot);
    assert_int_equal(carom_get_int(tree, "new[0]", 0), 5);
    carom_value_free(tree);
    drop(&d);
    carom_snapshot empty = {0};
    assert_null(carom_snapshot_value(&empty));
}

// Decodes a notification of encoding packed: a full one names the world too.
static carom_status decode_packed(snapshot_decoder *d, bool full, uint64_t subscription,
                                  const buffer *data, carom_snapshot *out, carom_error *why)
{
    static buffer bytes; // decoded data stays valid until the next call
    buffer_deinit(&bytes);
    carom_value *map = carom_set(carom_map(), "subscription", carom_uint(subscription));
    carom_set(map, "data", carom_bin(data->data, data->size));
    if (full) {
        carom_set(map, "world", carom_str("arena"));
        carom_set(map, "epoch", carom_uint(3));
        carom_set(map, "tick", carom_uint(1));
        carom_set(map, "full", carom_bool(true));
    }
    buffer_init(&bytes, 1 << 20);
    msgpack_packer packer = buffer_packer(&bytes);
    value_pack(&packer, map, CAROM_VALUE_DEPTH_MAX, NULL);
    carom_value_free(map);
    return snapshot_decode(d, bytes.data, bytes.size, out, why);
}

static void packed_bodies_are_told_like_plain_ones(void **state)
{
    (void)state;
    const packed_precision precision = packed_precision_default();
    packed_encoder *e = packed_encoder_create(&precision, 60.0);
    packed_body bodies[] = {{.id = 4, .x = 1.0, .y = 2.0}, {.id = 5, .x = -1.0, .angle = 0.5}};
    const uint64_t removed[] = {5};
    buffer data;
    snapshot_decoder d = {0};
    carom_snapshot s;
    carom_error why;
    buffer_init(&data, 1 << 20);
    packed_encode(e, 120, bodies, 2, NULL, 0, &data);
    assert_int_equal(decode_packed(&d, false, 1, &data, &s, &why), CAROM_INTERNAL); // no state
    buffer_clear(&data);
    packed_encode_full(e, &data);
    assert_int_equal(decode_packed(&d, true, 1, &data, &s, &why), CAROM_OK);
    assert_true(s.packed && s.full && s.tick == 120 && s.time == 2.0);
    assert_int_equal(s.body_count, 2);
    assert_true(s.bodies[1].id == 5 && s.bodies[1].x == -1.0);
    assert_true(s.bodies[1].angle > 0.496 && s.bodies[1].angle < 0.504);
    bodies[0].x = 1.5;
    buffer_clear(&data);
    packed_encode(e, 123, bodies, 1, removed, 1, &data);
    assert_int_equal(decode_packed(&d, false, 1, &data, &s, &why), CAROM_OK);
    assert_true(s.packed && !s.full && s.tick == 123 && s.time == 2.05 && s.epoch == 3);
    assert_string_equal(s.world, "arena");
    assert_int_equal(s.body_count, 1);
    assert_true(s.bodies[0].id == 4 && s.bodies[0].x == 1.5);
    assert_int_equal(s.removed_count, 1);
    assert_true(s.removed[0] == 5);
    assert_int_equal(decode_packed(&d, false, 2, &data, &s, &why),
                     CAROM_INTERNAL); // data of subscription 1
    snapshot_decoder_forget(&d, 1);
    assert_int_equal(d.packed.list.count, 1);
    snapshot_decoder_deinit(&d);
    buffer_deinit(&data);
    packed_encoder_destroy(e);
}

// Decodes the maximum of subscriptions and one more: the least recently used one is dropped.
static void packed_streams_are_bounded(void **state)
{
    (void)state;
    const packed_precision precision = packed_precision_default();
    packed_encoder *e = packed_encoder_create(&precision, 60.0);
    buffer full;
    buffer change;
    snapshot_decoder d = {0};
    carom_snapshot s;
    carom_error why;
    buffer_init(&full, 1 << 20);
    buffer_init(&change, 1 << 20);
    packed_encode(e, 1, NULL, 0, NULL, 0, &full);
    buffer_clear(&full);
    packed_encode_full(e, &full);
    packed_encode(e, 2, NULL, 0, NULL, 0, &change);
    for (uint64_t i = 1; i <= PACKED_STREAMS_MAX + 1; i++) {
        assert_int_equal(decode_packed(&d, true, i, &full, &s, &why), CAROM_OK);
    }
    assert_int_equal(d.packed.list.count, PACKED_STREAMS_MAX);
    assert_int_equal(decode_packed(&d, false, 2, &change, &s, &why), CAROM_OK);
    assert_int_equal(decode_packed(&d, false, 1, &change, &s, &why), CAROM_INTERNAL);
    snapshot_decoder_deinit(&d);
    buffer_deinit(&full);
    buffer_deinit(&change);
    packed_encoder_destroy(e);
}

// A server sends worlds of 1 000 bodies for one subscription after the other, a quarter of which
// fit the bound: the client keeps no more memory than that, says which one exceeds it, and takes it
// once another has ended.
static void packed_streams_share_a_bound_of_memory(void **state)
{
    (void)state;
    enum { BODIES = 1000, STREAMS = 16 };
    static packed_body bodies[BODIES];
    const packed_precision precision = packed_precision_default();
    packed_encoder *e = packed_encoder_create(&precision, 60.0);
    buffer full;
    snapshot_decoder d = {0};
    carom_snapshot s;
    carom_error why;
    buffer_init(&full, 1 << 20);
    for (uint64_t i = 0; i < BODIES; i++) {
        bodies[i] = (packed_body){.id = i + 1, .x = (double)i, .vx = 1.0};
    }
    packed_encode(e, 1, bodies, BODIES, NULL, 0, &full);
    buffer_clear(&full);
    packed_encode_full(e, &full);
    d.packed.bytes_most = UINT64_C(4) * BODIES * PACKED_DECODER_BODY_BYTES;
    uint64_t subscription = 1;
    carom_status outcome;
    while ((outcome = decode_packed(&d, true, subscription, &full, &s, &why)) == CAROM_OK) {
        assert_int_equal(s.body_count, BODIES);
        assert_true(d.packed.bytes <= d.packed.bytes_most);
        assert_true(++subscription <= STREAMS);
    }
    assert_true(subscription > 3);
    assert_int_equal(outcome, CAROM_LIMIT_EXCEEDED);
    char name[32];
    snprintf(name, sizeof name, "subscription %d:", (int)subscription);
    assert_non_null(strstr(why.text, name));
    assert_non_null(strstr(why.text, "bodies in view"));
    assert_true(d.packed.bytes <= d.packed.bytes_most);
    snapshot_decoder_forget(&d, 1);
    assert_int_equal(decode_packed(&d, true, subscription, &full, &s, &why), CAROM_OK);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < d.packed.list.count; i++) {
        bytes += packed_decoder_bytes(d.packed.list.data[i].decoder);
    }
    assert_int_equal(d.packed.bytes, bytes);
    snapshot_decoder_deinit(&d);
    buffer_deinit(&full);
    packed_encoder_destroy(e);
}

static void data_that_are_none_are_refused(void **state)
{
    (void)state;
    decoded d = decode("{\"subscription\":1,\"world\":\"w\",\"tick\":1,\"full\":true,"
                       "\"data\":{\"$bin\":\"00\"}}");
    finish(&d);
    assert_int_equal(d.outcome, CAROM_INTERNAL);
    assert_non_null(strstr(d.why.text, "first byte"));
    drop(&d);
}

static void kinds_have_names(void **state)
{
    (void)state;
    assert_string_equal(carom_event_kind_name(CAROM_EVENT_SENSOR_END), "sensor_end");
    assert_null(carom_event_kind_name(CAROM_EVENT_OTHER));
    assert_null(carom_event_kind_name((carom_event_kind)99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_fields_are_decoded),
        cmocka_unit_test(events_are_decoded_in_order),
        cmocka_unit_test(contacts_are_decoded),
        cmocka_unit_test(required_keys_are_required),
        cmocka_unit_test(whole_tree_holds_what_is_unknown_too),
        cmocka_unit_test(packed_bodies_are_told_like_plain_ones),
        cmocka_unit_test(packed_streams_are_bounded),
        cmocka_unit_test(packed_streams_share_a_bound_of_memory),
        cmocka_unit_test(data_that_are_none_are_refused),
        cmocka_unit_test(data_of_the_world_are_decoded_by_either_name),
        cmocka_unit_test(messages_have_their_texts_and_data),
        cmocka_unit_test(seats_have_their_session_and_data),
        cmocka_unit_test(messages_without_a_name_or_with_a_long_one_are_refused),
        cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
