// The table of methods: every row is complete and consistent.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/physics/physics.h"
#include "common/world/event_kinds.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"
#include "proto/methods.h"

// Every list of arguments there is.
static void each_list(void (*look)(const arg_list *list))
{
    for (int m = 0; m < METHOD_COUNT; m++) {
        look(&METHODS[m].list);
    }
    for (int s = 0; s < METHOD_SHAPE_COUNT; s++) {
        look(&METHOD_SHAPES[s]);
    }
    look(&METHOD_FILTER);
    look(&METHOD_QUERY_FILTER);
    look(&METHOD_PRECISION);
    look(&METHOD_PLAYERS);
}

static void table_every_row_is_in_its_place_and_complete(void **state)
{
    (void)state;
    for (int m = 0; m < METHOD_COUNT; m++) {
        const method_info *row = &METHODS[m];
        assert_int_equal(row->id, m);
        assert_non_null(row->list.name);
        assert_true(strlen(row->list.name) <= WIRE_METHOD_BYTES_MAX);
        assert_non_null(row->summary);
        assert_non_null(row->result);
        assert_true(row->rights < ROLE_COUNT);
    }
}

// The epoch comes last, so that it moves no other argument: the compact form of logs identifies
// arguments by their position.
static void table_every_list_with_a_world_ends_with_its_epoch(void **state)
{
    (void)state;
    for (int m = 0; m < METHOD_COUNT; m++) {
        const arg_list *list = &METHODS[m].list;
        bool named = list->count > 0 && strcmp(list->args[0].name, "world") == 0;
        assert_int_equal(named, arg_list_find(list, "world", 5) >= 0);
        for (uint32_t i = 0; i < list->count; i++) {
            bool last = named && i + 1 == list->count;
            assert_int_equal(last, strcmp(list->args[i].name, "epoch") == 0);
            assert_int_equal(last, list->args[i].routing);
        }
    }
}

static void table_names_of_the_contract_are_all_there(void **state)
{
    (void)state;
    static const char *const NAMES[] = {
        "hello",
        "ping",
        "server.info",
        "server.stats",
        "world.create",
        "world.destroy",
        "world.pause",
        "world.resume",
        "world.step",
        "world.set",
        "world.list",
        "world.info",
        "world.state",
        "world.apply",
        "world.subscribe",
        "world.unsubscribe",
        "world.view",
        "body.spawn",
        "body.remove",
        "body.get",
        "body.set",
        "body.impulse",
        "body.angular_impulse",
        "body.force",
        "body.torque",
        "joint.create",
        "joint.set",
        "joint.remove",
        "joint.get",
        "joint.list",
        "query.ray",
        "query.overlap",
        "query.cast",
        "query.nearest",
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        const method_info *row = method_find(NAMES[i], strlen(NAMES[i]));
        assert_non_null(row);
        assert_string_equal(method_name(row->id), NAMES[i]);
    }
}

static void find_only_whole_names_are_found(void **state)
{
    (void)state;
    assert_null(method_find("world.creat", 11));
    assert_null(method_find("world.create.", 13));
    assert_null(method_find("", 0));
    assert_null(method_find("World.create", 12));
    assert_ptr_equal(method_find("ping\0junk", 4), &METHODS[METHOD_PING]);
    assert_null(method_find("ping\0junk", 9));
}

static void look_at_arguments(const arg_list *list)
{
    assert_true(list->count <= METHOD_ARGS_MAX);
    assert_true(list->form_count <= list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const method_arg *arg = &list->args[i];
        assert_non_null(arg->name);
        assert_true(strlen(arg->name) <= WIRE_KEY_BYTES_MAX);
        assert_non_null(arg->doc);
        assert_true(arg->type < ARG_TYPE_COUNT);
        assert_int_equal(arg_list_find(list, arg->name, strlen(arg->name)), i); // no name twice
        assert_false(arg->required && arg->fallback != NULL);
        assert_int_equal(arg->type == ARG_CHOICE || arg->type == ARG_CHOICES, arg->choices != NULL);
    }
}

static void arguments_are_complete_and_named_once(void **state)
{
    (void)state;
    each_list(look_at_arguments);
}

static void look_at_ranges(const arg_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const method_arg *arg = &list->args[i];
        switch (arg->type) {
        case ARG_NUMBER:
        case ARG_INTEGER:
        case ARG_ID:
        case ARG_VECTOR:
        case ARG_VECTORS:
        case ARG_AREA:
            assert_true(arg->min < arg->max);
            break;
        case ARG_STRING:
            assert_true(arg->max > 0);
            break;
        default:
            break;
        }
        if (arg->type == ARG_VECTORS || arg->type == ARG_SHAPES || arg->type == ARG_COMMANDS ||
            arg->type == ARG_CHOICES) {
            assert_true(arg->count_min < arg->count_max);
        }
    }
}

static void arguments_have_ranges_where_their_type_has(void **state)
{
    (void)state;
    each_list(look_at_ranges);
}

static void rights_follow_from_what_a_method_does(void **state)
{
    (void)state;
    for (int m = 0; m < METHOD_COUNT; m++) {
        const method_info *row = &METHODS[m];
        if (row->scope == SCOPE_WORLD_COMMAND) {
            assert_true(row->rights >= ROLE_PLAYER); // a viewer cannot change anything
        }
        if (row->scope == SCOPE_WORLD_READ || row->scope == SCOPE_SUBSCRIPTION) {
            assert_int_equal(row->rights, ROLE_VIEWER);
        }
        if (row->batch) {
            assert_true(row->scope == SCOPE_WORLD_COMMAND || row->scope == SCOPE_WORLD_READ);
        }
    }
    assert_int_equal(METHODS[METHOD_HELLO].rights, ROLE_NONE);
    assert_int_equal(METHODS[METHOD_PING].rights, ROLE_NONE);
    assert_false(METHODS[METHOD_WORLD_APPLY].batch); // a batch cannot contain a batch
    assert_false(METHODS[METHOD_WORLD_STATE].batch); // a thousand states would be too large
    assert_false(METHODS[METHOD_JOINT_LIST].batch);
}

static void choices_words_are_found_by_place_and_back(void **state)
{
    (void)state;
    assert_int_equal(choice_find("static|kinematic|dynamic", "kinematic", 9), 1);
    assert_int_equal(choice_find("static|kinematic|dynamic", "dynamic", 7), 2);
    assert_int_equal(choice_find("static|kinematic|dynamic", "dyn", 3), -1);
    assert_int_equal(choice_find("static|kinematic|dynamic", "static|kinematic", 16), -1);
    assert_int_equal(choice_find("static", "", 0), -1);
    size_t size;
    const char *word = choice_word("static|kinematic|dynamic", 1, &size);
    assert_int_equal(size, 9);
    assert_memory_equal(word, "kinematic", 9);
    word = choice_word("static|kinematic|dynamic", 2, &size);
    assert_int_equal(size, 7);
    assert_memory_equal(word, "dynamic", 7);
}

// The decoder uses the position of a word as the engine's number.
static void choices_event_words_are_the_kinds_numbers(void **state)
{
    (void)state;
    const arg_list *list = &METHODS[METHOD_WORLD_SUBSCRIBE].list;
    const method_arg *events = &list->args[arg_list_find(list, "events", 6)];
    for (uint32_t kind = 0; kind < WORLD_EVENT_KIND_COUNT; kind++) {
        const char *name = event_kind_name(kind);
        assert_int_equal(choice_find(events->choices, name, strlen(name)), kind);
    }
}

static void role_names_are_parsed_back(void **state)
{
    (void)state;
    for (int r = 0; r < ROLE_COUNT; r++) {
        role parsed = ROLE_COUNT;
        const char *name = role_name((role)r);
        assert_true(role_parse(name, strlen(name), &parsed));
        assert_int_equal(parsed, r);
    }
    role untouched = ROLE_ADMIN;
    assert_false(role_parse("root", 4, &untouched));
    assert_int_equal(untouched, ROLE_ADMIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_every_row_is_in_its_place_and_complete),
        cmocka_unit_test(table_every_list_with_a_world_ends_with_its_epoch),
        cmocka_unit_test(table_names_of_the_contract_are_all_there),
        cmocka_unit_test(find_only_whole_names_are_found),
        cmocka_unit_test(arguments_are_complete_and_named_once),
        cmocka_unit_test(arguments_have_ranges_where_their_type_has),
        cmocka_unit_test(rights_follow_from_what_a_method_does),
        cmocka_unit_test(choices_words_are_found_by_place_and_back),
        cmocka_unit_test(choices_event_words_are_the_kinds_numbers),
        cmocka_unit_test(role_names_are_parsed_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
