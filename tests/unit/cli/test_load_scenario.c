// Scenarios: the plans that they become; malformed ones are refused with the place and the allowed
// values.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/load/fill.h"
#include "client/load/scenario.h"

static load_plan plan; // large
static char error[SCENARIO_ERROR_MAX];

static bool read_sized(const char *text, size_t size)
{
    load_plan_deinit(&plan);
    error[0] = '\0';
    plan.clients = 10;
    return scenario_read(&plan, text, size, error);
}

static bool read_text(const char *text)
{
    return read_sized(text, strlen(text));
}

static const char arena[] =
    "{\"name\": \"arena\", \"description\": \"d\", \"seed\": 7,\n"
    " \"constants\": {\"reach\": 20, \"rate\": \"reach / 2\"},\n"
    " \"world\": {\"gravity\": [0, 0], \"hz\": \"=rate * 6\"},\n"
    " \"clients\": [\n"
    "  {\"name\": \"player\", \"share\": 3, \"rate\": \"rate\", \"arrivals\": \"random\", "
    "\"burst\": "
    "2,\n"
    "   \"body\": {\"position\": [\"=3 * client\", 0], \"tag\": \"p {client}\",\n"
    "     \"shapes\": [{\"kind\": \"circle\", \"radius\": 0.5}]},\n"
    "   \"subscribe\": {\"encoding\": \"packed\", \"area\": [\"=x - reach\", -5, \"=x + reach\", "
    "5]},\n"
    "   \"actions\": [\n"
    "    [\"body.impulse\", {\"body\": \"$own\", \"impulse\": [\"=cos(a)\", \"=b\"]},\n"
    "     {\"weight\": 8, \"let\": {\"a\": \"random(0, pi)\", \"b\": \"a / 2\"}}],\n"
    "    [\"body.spawn\", {\"shapes\": [{\"kind\": \"circle\", \"radius\": 0.1}]}, {\"keep\": "
    "4}],\n"
    "    [\"body.remove\", {\"body\": \"$spawned\"}, {\"weight\": 0}],\n"
    "    [\"world.view\", {\"subscription\": \"$subscription\"}],\n"
    "    [\"ping\"]]},\n"
    "  {\"pause\": [0.1, 0.2], \"order\": \"all\", \"subscribe\": false,\n"
    "   \"actions\": [{\"pause\": 0.5}, [\"world.info\", {}], [\"world.apply\", {\"commands\": [\n"
    "     [\"body.spawn\", {\"shapes\": [{\"kind\": \"circle\", \"radius\": 1}]}],\n"
    "     [\"body.set\", {\"body\": {\"$\": 0}, \"angle\": \"=random(0, 1)\"}]]}]]},\n"
    "  {\"name\": \"fast\", \"window\": 16, \"order\": \"turn\", \"body\": true,\n"
    "   \"actions\": [[\"body.set\", {\"body\": \"$own\", \"angle\": 1}]]},\n"
    "  {\"name\": \"watcher\", \"share\": 0.5}]}\n";

static void scenario_becomes_a_plan(void **state)
{
    (void)state;
    if (!read_text(arena)) {
        fail_msg("%s", error);
    }
    assert_string_equal(plan.name, "arena");
    assert_int_equal(plan.behaviour_count, 4);
    assert_int_equal(plan.constant_count, 2);
    const load_behaviour *player = &plan.behaviours[0];
    assert_true(player->weight == 3.0 && player->rate == 10.0 && player->burst == 2);
    assert_int_equal(player->beat, LOAD_AT_RANDOM);
    assert_int_equal(player->order, LOAD_BY_WEIGHT);
    assert_true(player->own_body && player->subscribes && player->body != NULL);
    const load_action *impulse = &player->actions[0];
    assert_true(impulse->moves && impulse->command && impulse->world && impulse->weight == 8.0);
    const load_action *spawn = &player->actions[1];
    assert_true(spawn->spawns && spawn->command && spawn->keep == 4);
    assert_string_equal(carom_get_str(spawn->args, "lifetime", ""), "session");
    assert_true(player->actions[2].needs_spawned && player->actions[2].moves);
    assert_true(!player->actions[3].world && !player->actions[3].command);
    assert_true(!player->actions[4].world && !player->actions[4].moves);
    const load_behaviour *second = &plan.behaviours[1];
    assert_string_equal(second->name, "kind 2");
    assert_true(second->beat == LOAD_AFTER_PAUSE && second->order == LOAD_IN_ORDER);
    assert_true(second->pause[0] == 0.1 && second->pause[1] == 0.2 && !second->subscribes);
    assert_true(second->actions[0].method == NULL && second->actions[0].pause[1] == 0.5);
    assert_false(second->actions[1].command);
    assert_string_equal(carom_get_str(second->actions[2].args, "commands[0][1].lifetime", ""),
                        "session");
    const load_behaviour *fast = &plan.behaviours[2];
    assert_true(fast->beat == LOAD_BY_WINDOW && fast->window == 16 && fast->body == NULL);
    assert_true(fast->order == LOAD_IN_TURN && !fast->actions[0].moves);
    assert_int_equal(plan.behaviours[3].action_count, 0);
}

static void arguments_are_filled_for_each_client(void **state)
{
    (void)state;
    assert_true(read_text(arena));
    char why[FILL_ERROR_MAX] = "";
    fill_client client = {.own = 5, .spawned = 6, .home = {100.0, 0.0}, .number = 4, .clients = 10};
    fill_scope scope;
    fill_begin(&scope, &plan, &client);
    carom_value *body = fill_args(plan.behaviours[0].body, &scope, why);
    assert_true(carom_get_real(body, "position[0]", 0.0) == 12.0);
    assert_string_equal(carom_get_str(body, "tag", ""), "p 4");
    carom_value_free(body);
    const load_action *impulse = &plan.behaviours[0].actions[0];
    double before = 9.0;
    for (int i = 0; i < 20; i++) {
        fill_begin(&scope, &plan, &client);
        assert_true(fill_define(&scope, impulse->let, why));
        carom_value *args = fill_args(impulse->args, &scope, why);
        double b = carom_get_real(args, "impulse[1]", -1.0);
        assert_int_equal(carom_get_uint(args, "body", 0), 5);
        assert_true(b >= 0.0 && b < 1.5708 && b != before);
        before = b;
        carom_value_free(args);
    }
}

#define KIND(text)  "{\"clients\": [\n{" text "}]}"
#define DOES(text)  KIND("\"rate\": 1, \"body\": true, \"actions\": [\n" text "]")
#define IMPULSE     "[\"body.impulse\", {\"body\": \"$own\", \"impulse\": [1, 0]}]"
#define WITH(extra) "[\"body.impulse\", {\"body\": \"$own\", \"impulse\": [1, 0]}, " extra "]"

// Each scenario is refused with a text that contains the one beside it.
static void refuse(const char *const cases[][2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (read_text(cases[i][0]) || strstr(error, cases[i][1]) == NULL) {
            fail_msg("%s\n  wanted: %s\n  told:   %s", cases[i][0], cases[i][1], error);
        }
    }
}

static void malformed_scenario_is_refused_with_its_place(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "line 1"},
        {"[]", "line 1: a scenario is a map"},
        {"{", "line 1"},
        {"{}", "line 1: clients is missing"},
        {"{\"clints\": []}",
         "there is no 'clints' (did you mean 'clients'?) here; allowed are name"},
        {"{\"clients\": []}", "clients: expected a list of 1 to 32"},
        {"{\"clients\": 5}", "clients: expected a list of 1 to 32"},
        {"{\"clients\": [5]}", "clients[0]: expected a map with some of name, share"},
        {"{\"name\": 5, \"clients\": [{}]}", "name: expected a text"},
        {"{\"seed\": -1, \"clients\": [{}]}", "seed: expected a number from 0"},
        {"{\"constants\": {\"x\": 1}, \"clients\": [{}]}",
         "constants.x: each client has a variable"},
        {"{\"constants\": {\"sin\": 1}, \"clients\": [{}]}", "constants.sin: 'sin' cannot be"},
        {"{\"constants\": {\"a\": \"1 +\"}, \"clients\": [{}]}", "constants.a: column 4"},
        {"{\"constants\": {\"a\": \"b\", \"b\": 1}, \"clients\": [{}]}", "constants.a: column 1"},
        {"{\"world\": {\"hx\": 60}, \"clients\": [{}]}", "world: there is no 'hx'"},
        {"{\"world\": {\"world\": \"w\"}, \"clients\": [{}]}", "world: world: leave it out"},
        {"{\"world\": {\"lifetime\": \"server\"}, \"clients\": [{}]}", "it is always session"},
        {"{\"world\": {\"hz\": \"fast\"}, \"clients\": [{}]}",
         "world.hz: expected a number in 1/s"},
    };
    refuse(cases, sizeof cases / sizeof *cases);
}

static void malformed_clients_are_refused_with_their_place(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {KIND("\"share\": 0"), "clients: every share is 0"},
        {KIND("\"share\": -1"), "clients[0].share: expected a number from 0 to 1000000, not -1"},
        {KIND("\"share\": {\"$float\": \"nan\"}"), "clients[0].share: expected a finite number"},
        {KIND("\"share\": 1e999"), "line 2"},
        {KIND("\"subscribe\": false"), "clients[0]: neither actions nor a subscription"},
        {KIND("\"subscribe\": 5"), "clients[0].subscribe: expected true, false, or arguments"},
        {KIND("\"subscribe\": {\"encoding\": \"zip\"}"),
         "clients[0].subscribe.encoding: expected one of plain|packed|log"},
        {KIND("\"subscribe\": {\"area\": [1, 2]}"), "expected [x0, y0, x1, y1]"},
        {KIND("\"subscribe\": {\"rate\": \"=1 / client\"}"),
         "clients[0].subscribe.rate: column 11: division by zero"},
        {KIND("\"body\": {}"), "clients[0].body: body.spawn needs shapes"},
        {KIND("\"body\": 5"), "clients[0].body: expected true (a ball), false, or arguments"},
        {KIND("\"rate\": 5"), "clients[0]: rate without actions"},
        {KIND("\"actions\": [" IMPULSE "]"), "clients[0]: give exactly one of rate"},
        {KIND("\"rate\": 5, \"window\": 1, \"actions\": [" IMPULSE "]"), "exactly one of rate"},
        {KIND("\"rate\": {\"$float\": \"nan\"}, \"actions\": [" IMPULSE "]"),
         "clients[0].rate: expected a finite number"},
        {KIND("\"rate\": 1e300, \"actions\": [" IMPULSE "]"),
         "expected a number from 0.01 to 1000000"},
        {KIND("\"rate\": 0, \"actions\": [" IMPULSE "]"), "expected a number from 0.01 to 1000000"},
        {KIND("\"rate\": \"=client\", \"actions\": [" IMPULSE "]"), "clients[0].rate: column 1"},
        {KIND("\"rate\": 1, \"burst\": 1.5, \"actions\": [" IMPULSE "]"),
         "clients[0].burst: expected a whole number from 1 to 1000, not 1.5"},
        {KIND("\"rate\": 1, \"arrivals\": \"odd\", \"actions\": [" IMPULSE "]"),
         "clients[0].arrivals: expected even or random"},
        {KIND("\"pause\": 1, \"arrivals\": \"even\", \"actions\": [" IMPULSE "]"),
         "arrivals is allowed only with rate"},
        {KIND("\"pause\": [2, 1], \"actions\": [" IMPULSE "]"), "the first not above the second"},
        {KIND("\"pause\": [1], \"actions\": [" IMPULSE "]"), "clients[0].pause: expected seconds"},
        {KIND("\"window\": 5000, \"actions\": [" IMPULSE "]"), "expected a number from 1 to 1024"},
        {KIND("\"rate\": 1, \"order\": \"odd\", \"actions\": [" IMPULSE "]"),
         "clients[0].order: expected turn, weight or all"},
        {KIND("\"rate\": 1, \"order\": \"all\", \"burst\": 2, \"actions\": [" IMPULSE "]"),
         "burst goes with the orders"},
        {KIND("\"rate\": 1, \"actions\": [" IMPULSE "]"), "$own: these clients have no body"},
        {KIND(
             "\"rate\": 1, \"subscribe\": false, \"actions\": [[\"world.view\", {\"subscription\": "
             "\"$subscription\"}]]"),
         "$subscription: these clients do not subscribe"},
    };
    refuse(cases, sizeof cases / sizeof *cases);
}

static void malformed_actions_are_refused_with_their_place(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {DOES(""), "clients[0].actions: expected a list of 1 to 64 actions"},
        {DOES("5"), "clients[0].actions[0]: expected [\"method\", {arguments}]"},
        {DOES("[]"), "clients[0].actions[0]: expected [\"method\", {arguments}]"},
        {DOES("[5, {}]"), "clients[0].actions[0]: expected [\"method\", {arguments}]"},
        {DOES("[\"body.impuls\", {}]"), "no method 'body.impuls'; did you mean 'body.impulse'?"},
        {DOES("[\"hello\", {}]"), "hello has no place in a scenario: each client says it itself"},
        {DOES("[\"world.create\", {}]"), "world.create has no place in a scenario"},
        {DOES("[\"body.get\", {}]"), "clients[0].actions[0][1]: body.get needs body (an id)"},
        {DOES("[\"body.get\", {\"body\": \"one\"}]"), "actions[0][1].body: expected an id"},
        {DOES("[\"body.get\", {\"body\": \"$one\"}]"), "actions[0][1].body: expected \"$own\""},
        {DOES("[\"body.get\", {\"body\": \"=1 +\"}]"), "actions[0][1].body: column 4"},
        {DOES("[\"body.get\", {\"body\": 1, \"world\": \"w\"}]"),
         "bench adds each client's own world"},
        {DOES("[\"body.set\", {\"body\": \"$own\", \"angel\": 1}]"), "did you mean 'angle'?"},
        {DOES("[\"body.set\", {\"body\": \"$own\", \"type\": \"still\"}]"),
         "expected one of static|kinematic|dynamic"},
        {DOES("[\"body.set\", {\"body\": \"$own\", \"type\": \"static|kinematic\"}]"),
         "expected one of static|kinematic|dynamic"},
        {DOES("[\"body.set\", {\"body\": \"$own\", \"tag\": \"{1 / 2}\"}]"),
         "must be a whole number"},
        {DOES("[\"body.set\", {\"body\": \"$own\", \"position\": [1, \"=q\"]}]"),
         "actions[0][1].position[1]: column 1"},
        {DOES("[\"world.list\", {\"a\": 1}]"), "world.list has no arguments here"},
        {DOES(WITH("{\"wight\": 2}")),
         "actions[0][2]: there is no 'wight' (did you mean 'weight'?)"},
        {DOES(WITH("{\"weight\": 0}")), "clients[0].actions: every weight is 0"},
        {DOES(WITH("{\"weight\": -2}")), "actions[0][2].weight: expected a number from 0"},
        {DOES(WITH("{\"keep\": 2}")), "keep is only for body.spawn"},
        {DOES(WITH("{\"let\": 5}")), "let: expected {\"name\": expression}"},
        {DOES(WITH("{\"let\": {\"a\": \"2 *\"}}")), "let.a: column 4"},
        {DOES(WITH("{\"let\": {\"1\": 2}}")), "'1' cannot be a variable's name"},
        {DOES(WITH("{}, 5")), "expected [\"method\", {arguments}]"},
        {DOES("{\"pause\": 1}"), "a pause between actions is allowed only with \"order\": \"all\""},
        {KIND("\"rate\": 1, \"order\": \"all\", \"actions\": [{\"pause\": 1}]"),
         "nothing but pauses"},
        {KIND("\"rate\": 1, \"order\": \"all\", \"actions\": [{\"pause\": 1, \"x\": 1}]"),
         "clients[0].actions[0]: there is no 'x'"},
        {DOES("[\"world.apply\", {\"commands\": [5]}]"), "commands[0]: expected [\"method\""},
        {DOES("[\"world.apply\", {\"commands\": [[\"ping\", {}]]}]"),
         "commands[0]: ping is not allowed in world.apply"},
        {DOES("[\"world.apply\", {\"commands\": [[\"body.set\", {\"bdy\": 1}]]}]"),
         "commands[0][1]: there is no 'bdy'"},
    };
    refuse(cases, sizeof cases / sizeof *cases);
}

static void limits_are_refused(void **state)
{
    (void)state;
    char *text = calloc(1, SCENARIO_BYTES_MAX + 2);
    memset(text, ' ', SCENARIO_BYTES_MAX + 1);
    assert_false(read_sized(text, SCENARIO_BYTES_MAX + 1));
    assert_non_null(strstr(error, "the limit is 1048576"));
    for (int depth = 10; depth <= 100000; depth *= 10) { // "[[[[…"
        memset(text, '[', (size_t)depth);
        assert_false(read_sized(text, (size_t)depth));
    }
    size_t used = 0;
    used += (size_t)sprintf(text, "{\"clients\": [{}");
    for (int i = 1; i < LOAD_BEHAVIOURS_MAX; i++) {
        used += (size_t)sprintf(text + used, ", {}");
    }
    (void)sprintf(text + used, "]}");
    assert_true(read_text(text));
    (void)sprintf(text + used, ", {}]}");
    assert_false(read_text(text));
    used = (size_t)sprintf(text, KIND("\"rate\": 1, \"actions\": [[\"ping\"]"));
    used -= strlen("}]}");
    for (int i = 1; i < LOAD_ACTIONS_MAX; i++) {
        used += (size_t)sprintf(text + used, ", [\"ping\"]");
    }
    (void)sprintf(text + used, "]}]}");
    assert_true(read_text(text));
    (void)sprintf(text + used, ", [\"ping\"]]}]}");
    assert_false(read_text(text));
    assert_non_null(strstr(error, "1 to 64 actions"));
    free(text);
}

// A file that is cut off anywhere, or has any byte replaced, is refused with a text or gives a
// valid plan.
static void broken_files_are_told(void **state)
{
    (void)state;
    size_t size = strlen(arena);
    for (size_t cut = 0; cut + 2 < size; cut++) {
        assert_false(read_sized(arena, cut));
        assert_true(error[0] != '\0');
    }
    static const char bytes[] = "\"{}[]:,0-=$x\\e\n";
    static char copy[sizeof arena];
    for (size_t at = 0; at < size; at++) {
        memcpy(copy, arena, sizeof arena);
        copy[at] = bytes[(at * 7) % (sizeof bytes - 1)];
        assert_true(read_sized(copy, size) || error[0] != '\0');
    }
}

static int end(void **state)
{
    (void)state;
    load_plan_deinit(&plan);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenario_becomes_a_plan),
        cmocka_unit_test(arguments_are_filled_for_each_client),
        cmocka_unit_test(malformed_scenario_is_refused_with_its_place),
        cmocka_unit_test(malformed_clients_are_refused_with_their_place),
        cmocka_unit_test(malformed_actions_are_refused_with_their_place),
        cmocka_unit_test(limits_are_refused),
        cmocka_unit_test(broken_files_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
