// Canonical arguments: random arguments in two spellings give the same bytes, and the bytes decode
// to a command that does the same to a world, bit for bit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <msgpack.h>

#include "common/world/apply.h"
#include "proto/commands/canonical.h"
#include "proto/commands/command_decode.h"
#include "proto/encode/encode_pack.h"
#include "proto/wire/json.h"

enum { ROUNDS = 30000, BYTES_MAX = 1 << 20 };

static uint64_t random_state;

static uint32_t below(uint32_t end)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % end;
}

// ---- arguments in two spellings: `plain` as a careful client writes it, `odd` as another may

typedef struct spelling {
    packer k;
    bool odd;
} spelling;

static void put_text(spelling *s, const char *text, size_t size)
{
    if (s->odd) {
        msgpack_pack_bin(&s->k, size);
        msgpack_pack_bin_body(&s->k, text, size);
    } else {
        msgpack_pack_str(&s->k, size);
        msgpack_pack_str_body(&s->k, text, size);
    }
}

static void put_number(spelling *s, double value)
{
    if (value != (double)(int)value || s->odd) {
        pack_double(&s->k, value);
    } else {
        msgpack_pack_int64(&s->k, (int64_t)value);
    }
}

static void put_mask(spelling *s, uint64_t mask)
{
    if (s->odd) {
        msgpack_pack_int64(&s->k, (int64_t)mask);
    } else {
        msgpack_pack_uint64(&s->k, mask);
    }
}

static double number_within(const method_arg *arg)
{
    double value =
        arg->type == ARG_NUMBER && below(2) ? (double)below(1000) / 256.0 : (double)below(6);
    value = value > 0.0 && below(2) ? -value : value; // -0 has no integer spelling
    return value < arg->min ? arg->min : value > arg->max ? arg->max : value;
}

static void put_list(spelling *s, const arg_list *list, uint64_t seed);

static void put_vectors(spelling *s, const method_arg *arg)
{
    uint32_t count = arg->count_min + below(4);
    pack_array(&s->k, count);
    for (uint32_t i = 0; i < 2 * count; i++) {
        if (i % 2 == 0) {
            pack_array(&s->k, 2);
        }
        put_number(s, (double)below(2000) / 128.0 - 7.0);
    }
}

static uint32_t words_of(const char *choices)
{
    uint32_t count = 1;
    for (; *choices != '\0'; choices++) {
        count += *choices == '|';
    }
    return count;
}

static void put_words(spelling *s, const method_arg *arg)
{
    const uint32_t words = words_of(arg->choices);
    const uint32_t bits = below(1u << (words < 20 ? words : 20)); // bits for the first words
    pack_array(&s->k, (uint32_t)__builtin_popcount(bits));
    for (uint32_t i = 0; i < words; i++) {
        const uint32_t at = s->odd ? words - 1 - i : i;
        if (at < 20 && (bits >> at & 1) != 0) {
            size_t size = 0;
            const char *word = choice_word(arg->choices, at, &size);
            put_text(s, word, size);
        }
    }
}

static void put_value(spelling *s, const method_arg *arg)
{
    size_t size;
    const char *word;
    uint32_t count = 0;
    switch (arg->type) {
    case ARG_BOOL:
        pack_bool(&s->k, below(2));
        break;
    case ARG_MASK:
        put_mask(s, (uint64_t)below(UINT32_MAX) << 33 ^ below(UINT32_MAX));
        break;
    case ARG_ID:
        put_number(s, 1 + below(2));
        break;
    case ARG_NUMBER:
    case ARG_INTEGER:
        put_number(s, number_within(arg));
        break;
    case ARG_VECTOR:
        pack_array(&s->k, 2);
        put_number(s, number_within(arg));
        put_number(s, number_within(arg));
        break;
    case ARG_VECTORS:
        put_vectors(s, arg);
        break;
    case ARG_STRING:
    case ARG_NAME:
        put_text(s, "w", 1);
        break;
    case ARG_CHOICE:
        word = choice_word(arg->choices, below(words_of(arg->choices)), &size);
        put_text(s, word, size);
        break;
    case ARG_CHOICES:
        put_words(s, arg);
        break;
    case ARG_FILTER:
        put_list(s, &METHOD_FILTER, random_state);
        break;
    case ARG_PLAYERS:
        put_list(s, &METHOD_PLAYERS, random_state);
        break;
    case ARG_AREA:
        pack_array(&s->k, 4);
        for (int i = 0; i < 4; i++) { // its corners in order
            put_number(s, i < 2 ? arg->min : arg->max);
        }
        break;
    case ARG_PRECISION:
        put_list(s, &METHOD_PRECISION, random_state);
        break;
    case ARG_SHAPE:
        put_list(s, &METHOD_SHAPES[below(METHOD_SHAPE_COUNT)], random_state);
        break;
    case ARG_SHAPES:
        count = below(3);
        pack_array(&s->k, count);
        for (uint32_t i = 0; i < count; i++) {
            put_list(s, &METHOD_SHAPES[below(METHOD_SHAPE_COUNT)], random_state);
        }
        break;
    case ARG_ANY: // canonical as it is, if its integers are short
        if (strcmp(arg->name, "to") ==
            0) { // an argument of message.send: a session's number or a text
            msgpack_pack_uint64(&s->k, 1 + below(300));
            break;
        }
        pack_array(&s->k, 1);
        msgpack_pack_uint64(&s->k, below(300));
        break;
    default:
        fail_msg("%s: this test cannot write it", arg->name);
    }
}

// Each argument has its own random seed, so that both spellings have the same values although their
// orders differ.
static void put_list(spelling *s, const arg_list *list, uint64_t seed)
{
    uint32_t given = 0;
    random_state = seed;
    for (uint32_t i = 0; i < list->count; i++) {
        given |= (list->args[i].required || below(3) == 0 ? 1u : 0u) << i;
    }
    pack_map(&s->k, (uint32_t)__builtin_popcount(given));
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t at = s->odd ? list->count - 1 - i : i;
        if ((given >> at & 1) != 0) {
            random_state = seed + 977 * (at + 1);
            put_text(s, list->args[at].name, strlen(list->args[at].name));
            put_value(s, &list->args[at]);
        }
    }
    random_state = seed + 7919;
}

// ---- canonical forms

typedef struct tried {
    msgpack_unpacked unpacked;
    buffer canonical;
    command command;
    bool good;
} tried;

static void try_bytes(tried *t, method m, const buffer *bytes)
{
    size_t offset = 0;
    msgpack_unpacked_init(&t->unpacked);
    buffer_init(&t->canonical, BYTES_MAX);
    assert_int_equal(
        msgpack_unpack_next(&t->unpacked, (const char *)bytes->data, bytes->size, &offset),
        MSGPACK_UNPACK_SUCCESS);
    t->good = command_decode(m, &t->unpacked.data, &t->command, NULL) == STATUS_OK;
    if (t->good) {
        arguments_canonical(&t->canonical, m, &t->unpacked.data);
    }
}

static void tried_free(tried *t)
{
    if (t->good) {
        command_free(&t->command);
    }
    buffer_deinit(&t->canonical);
    msgpack_unpacked_destroy(&t->unpacked);
}

static void same_bytes(const buffer *a, const buffer *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

// The hash of a small world after the command and a step.
static uint64_t outcome(const command *c, status *s)
{
    physics_world *world = NULL;
    const world_def def = world_def_default();
    shape_def shape = shape_def_default();
    body_def body = body_def_default();
    shape.geometry.kind = SHAPE_CIRCLE;
    shape.geometry.circle = (circle){.radius = 0.5f};
    assert_int_equal(world_create(&def, &world, NULL), STATUS_OK);
    for (int i = 0; i < 2; i++) {
        body_id id;
        body.position.x = 3.0 * i;
        assert_int_equal(body_spawn(world, &body, &shape, 1, &id, NULL, NULL), STATUS_OK);
        assert_int_equal(id, i + 1);
    }
    joint_def hinge = joint_def_default(JOINT_REVOLUTE);
    joint_id joint;
    hinge.a = 1;
    hinge.b = 2;
    hinge.fields = JOINT_FIELD_ANCHOR;
    assert_int_equal(joint_create(world, &hinge, &joint, NULL), STATUS_OK);
    command_result r = {0};
    *s = apply_command(world, c, &r, NULL);
    command_result_free(&r);
    world_step(world);
    uint64_t hash = world_hash(world);
    world_free(world);
    return hash;
}

// Returns whether the random arguments were valid.
static bool check_method(method m, uint64_t seed)
{
    buffer bytes[2];
    tried t[2];
    for (int i = 0; i < 2; i++) {
        buffer_init(&bytes[i], BYTES_MAX);
        spelling s = {buffer_packer(&bytes[i]), i == 1};
        put_list(&s, &METHODS[m].list, seed);
        try_bytes(&t[i], m, &bytes[i]);
    }
    assert_int_equal(t[0].good, t[1].good);
    bool good = t[0].good;
    if (good) {
        tried again;
        status before;
        status after;
        same_bytes(&t[0].canonical, &t[1].canonical);
        try_bytes(&again, m, &t[0].canonical);
        assert_true(again.good);
        same_bytes(&again.canonical, &t[0].canonical);
        assert_true(outcome(&t[0].command, &before) == outcome(&again.command, &after));
        assert_int_equal(before, after);
        tried_free(&again);
    }
    for (int i = 0; i < 2; i++) {
        tried_free(&t[i]);
        buffer_deinit(&bytes[i]);
    }
    return good;
}

static void canonical_random_arguments_of_each_command_decode_to_the_same(void **state)
{
    (void)state;
    uint32_t good[METHOD_COUNT] = {0};
    for (uint64_t i = 0; i < ROUNDS; i++) {
        method m = (method)(i % METHOD_COUNT);
        if (METHODS[m].batch && METHODS[m].scope == SCOPE_WORLD_COMMAND) {
            good[m] += check_method(m, i * 2654435761u);
        }
    }
    for (int m = 0; m < METHOD_COUNT; m++) {
        if (METHODS[m].batch && METHODS[m].scope == SCOPE_WORLD_COMMAND && good[m] < 50) {
            fail_msg("%s: only %u of the arguments decoded", method_name((method)m), good[m]);
        }
    }
}

static void canonical_of_batch_leaves_out_worlds_and_keeps_references(void **state)
{
    (void)state;
    static const char JSON[] =
        "{\"commands\": [[\"body.spawn\", {\"shapes\": [], \"world\": \"w\"}],"
        " [\"body.impulse\", {\"impulse\": [1, 0.5], \"body\": {\"$\": 0}}]], \"world\": \"w\"}";
    static const char EXPECTED[] =
        "{\"world\":\"w\",\"commands\":[[\"body.spawn\",{\"shapes\":[]}],[\"body.impulse\","
        "{\"body\":{\"$\":0},\"impulse\":[1.0,0.5]}]]}";
    buffer bytes;
    buffer expected;
    tried t;
    buffer_init(&bytes, BYTES_MAX);
    buffer_init(&expected, BYTES_MAX);
    assert_int_equal(json_text_to_msgpack(JSON, strlen(JSON), &bytes, NULL), STATUS_OK);
    assert_int_equal(json_text_to_msgpack(EXPECTED, strlen(EXPECTED), &expected, NULL), STATUS_OK);
    try_bytes(&t, METHOD_WORLD_APPLY, &bytes);
    assert_true(t.good);
    same_bytes(&t.canonical, &expected);
    tried_free(&t);
    buffer_deinit(&bytes);
    buffer_deinit(&expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_random_arguments_of_each_command_decode_to_the_same),
        cmocka_unit_test(canonical_of_batch_leaves_out_worlds_and_keeps_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
