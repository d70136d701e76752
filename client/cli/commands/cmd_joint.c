// joint, joints: creates, changes, shows, lists and removes joints. Main thread only.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/show.h"
#include "client/tool/table.h"
#include "common/args/text.h"

#define JOINT_KINDS "revolute|prismatic|distance|weld|wheel|motor|mouse|filter|gear|pulley"

// Whether the word is an id; reports it if not.
static bool check_id(const cli *c, const char *what, const char *word)
{
    char error[ARGS_ERROR_MAX];
    if (word == NULL) {
        (void)cli_usage(c, "%s is missing", what);
        return false;
    }
    if (!args_value_check(what, ARGS_ID, NULL, word, error)) {
        (void)cli_usage(c, "%s", error);
        return false;
    }
    return true;
}

static void show_joint_made(cli *c, const carom_value *result)
{
    (void)c;
    (void)printf("joint %llu created (tick %llu)\n",
                 (unsigned long long)carom_get_uint(result, "joint", 0),
                 (unsigned long long)carom_get_uint(result, "tick", 0));
}

// Sets the bodies named before the first NAME=VALUE: A and B, only B (a mouse has no A), or none (a
// gear may name joints instead). Returns the index of the first pair. The server, which knows each
// kind, reports a missing body.
static size_t set_bodies(const cli *c, carom_value *arguments)
{
    uint64_t id = 0;
    size_t count = 0;
    while (count < 2 && args_word(&c->args, 3 + count) != NULL &&
           text_to_whole(args_word(&c->args, 3 + count), &id)) {
        count++;
    }
    if (count == 2) {
        carom_set(arguments, "a", params_id_word(args_word(&c->args, 3)));
    }
    if (count > 0) {
        carom_set(arguments, "b", params_id_word(args_word(&c->args, 2 + count)));
    }
    return 3 + count;
}

// create WORLD KIND [A] B NAME=VALUE...; words[0] is the action.
static cli_exit joint_create(cli *c, carom_value *arguments)
{
    const char *kind = args_word(&c->args, 2);
    char error[ARGS_ERROR_MAX];
    if (kind == NULL) {
        return cli_usage(c, "KIND is missing: one of " JOINT_KINDS);
    }
    if (!args_value_check("KIND", ARGS_CHOICE, JOINT_KINDS, kind, error)) {
        return cli_usage(c, "%s", error);
    }
    carom_set(arguments, "kind", carom_str(kind));
    size_t pairs = set_bodies(c, arguments);
    cli_exit code = params_pairs(c, pairs, "joint.create", arguments);
    return code != CLI_OK
               ? code
               : cli_call_show(c, "joint.create", carom_value_clone(arguments), show_joint_made);
}

static cli_exit joint_set(cli *c, carom_value *arguments)
{
    if (!check_id(c, "JOINT", args_word(&c->args, 2))) {
        return CLI_USAGE;
    }
    if (args_word(&c->args, 3) == NULL) {
        return cli_usage(c, "NAME=VALUE is missing, such as motor_speed=3");
    }
    carom_set(arguments, "joint", params_id_word(args_word(&c->args, 2)));
    cli_exit code = params_pairs(c, 3, "joint.set", arguments);
    (void)cli_done(c, "joint %s changed", args_word(&c->args, 2));
    return code != CLI_OK ? code
                          : cli_call_show(c, "joint.set", carom_value_clone(arguments), show_done);
}

static void show_joint(cli *c, const carom_value *joint)
{
    (void)c;
    (void)show_map(joint, stdout);
}

// get, remove: WORLD JOINT...
static cli_exit for_each_joint(cli *c, carom_value *arguments, const char *method,
                               void (*show)(cli *c, const carom_value *result))
{
    cli_exit worst = CLI_OK;
    for (size_t i = 2; i < c->args.word_count || i == 2; i++) {
        if (!check_id(c, "JOINT", args_word(&c->args, i))) {
            return CLI_USAGE;
        }
    }
    for (size_t i = 2; i < c->args.word_count && worst != CLI_LOST; i++) {
        carom_set(arguments, "joint", params_id_word(args_word(&c->args, i)));
        (void)cli_done(c, "joint %s removed", args_word(&c->args, i));
        cli_exit code = cli_call_show(c, method, carom_value_clone(arguments), show);
        worst = code > worst ? code : worst;
    }
    return worst;
}

// The joints of one body; all joints for body 0. NULL counts as none.
static carom_value *joints_of(const carom_value *joints, uint64_t body)
{
    carom_value *chosen = carom_array();
    for (size_t i = 0; i < carom_value_count(joints); i++) {
        const carom_value *joint = carom_value_at(joints, i);
        if (body == 0 || carom_get_uint(joint, "a", 0) == body ||
            carom_get_uint(joint, "b", 0) == body) {
            chosen = carom_push(chosen, carom_value_clone(joint));
        }
    }
    return chosen;
}

static cli_exit print_joints(const cli *c, const carom_value *joints)
{
    static const char *const heads[] = {">JOINT",   "KIND",     ">A",         ">B",
                                        "ANCHOR A", "ANCHOR B", ">FORCE [N]", ">TORQUE [N m]"};
    static const char *const keys[] = {"joint", "kind", "a", "b", "anchor_a", "anchor_b"};
    if (c->json) {
        return carom_value_ok(joints) ? cli_print_json(joints) : cli_out_of_memory();
    }
    if (carom_value_count(joints) == 0) {
        (void)printf("no joints\n");
        return CLI_OK;
    }
    table t;
    table_init(&t, 8, heads);
    for (size_t i = 0; i < carom_value_count(joints); i++) {
        const carom_value *joint = carom_value_at(joints, i);
        carom_vec2 force = carom_get_vec(joint, "state.force", (carom_vec2){0.0, 0.0});
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            show_cell(&t, carom_value_get(joint, keys[k]));
        }
        table_format(&t, "%.3f", hypot(force.x, force.y));
        table_format(&t, "%.3f", carom_get_real(joint, "state.torque", 0.0));
    }
    bool whole = table_print(&t, stdout);
    table_deinit(&t);
    return whole ? CLI_OK : cli_out_of_memory();
}

static cli_exit list_joints(cli *c, const char *world, uint64_t body)
{
    carom_value *result = NULL;
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(world));
    cli_exit code = cli_call(c, "joint.list", arguments, &result);
    if (code == CLI_OK && body != 0) { // if the body does not exist, the list is empty too
        carom_value *known = NULL;
        code =
            cli_call(c, "body.get", carom_set(cli_world_args(c), "body", carom_uint(body)), &known);
        carom_value_free(known);
    }
    if (code == CLI_OK) {
        carom_value *chosen = joints_of(carom_value_get(result, "joints"), body);
        code = print_joints(c, chosen);
        carom_value_free(chosen);
    }
    carom_value_free(result);
    return code;
}

static cli_exit joint_list(cli *c)
{
    if (args_word(&c->args, 2) != NULL) {
        return cli_usage(c, "'%s' is one word too many", args_word(&c->args, 2));
    }
    return list_joints(c, args_word(&c->args, 1), 0);
}

static cli_exit run_joint(cli *c)
{
    const char *action = args_word(&c->args, 0);
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(args_word(&c->args, 1)));
    cli_exit code = CLI_OK;
    if (strcmp(action, "create") == 0) {
        code = joint_create(c, arguments);
    } else if (strcmp(action, "set") == 0) {
        code = joint_set(c, arguments);
    } else if (strcmp(action, "get") == 0) {
        code = for_each_joint(c, arguments, "joint.get", show_joint);
    } else if (strcmp(action, "remove") == 0) {
        code = for_each_joint(c, arguments, "joint.remove", show_done);
    } else {
        code = joint_list(c);
    }
    carom_value_free(arguments);
    return code;
}

const cli_command command_joint = {
    .name = "joint",
    .group = "Joints",
    .summary = "create, change, show and remove joints between bodies",
    .operands =
        (const args_operand[]){{"ACTION", ARGS_CHOICE, true, false, "create|set|get|remove|list"},
                               {"WORLD", ARGS_WORLD, true, false, NULL},
                               {"WORD", ARGS_TEXT, false, true, NULL},
                               {0}},
    .details = "  carom joint create WORLD KIND [[A] B] [NAME=VALUE...]\n"
               "  carom joint set WORLD JOINT NAME=VALUE...\n"
               "  carom joint get WORLD JOINT...\n"
               "  carom joint remove WORLD JOINT...\n"
               "  carom joint list WORLD\n\n"
               "KIND is revolute, prismatic, distance, weld, wheel, motor, mouse, filter, gear or "
               "pulley; A and B\n"
               "are bodies (a mouse has no A). Names: 'carom methods joint.create' and 'carom "
               "methods joint.set';\n"
               "'carom help joint-kinds' tells what each kind takes.",
    .examples = "  carom joint create yard revolute 1 2 anchor=0,3\n"
                "  carom joint create yard distance 2 5 length=2 hertz=4 damping_ratio=0.5\n"
                "  carom joint create yard mouse 5 target=0,4 hertz=5\n"
                "  carom joint set yard 1 motor_speed=3 max_torque=100\n  carom joint list yard",
    .run = run_joint,
};

static cli_exit run_joints(cli *c)
{
    uint64_t body = 0;
    if (args_word(&c->args, 1) != NULL) {
        (void)text_to_whole(args_word(&c->args, 1), &body);
    }
    return list_joints(c, args_word(&c->args, 0), body);
}

const cli_command command_joints = {
    .name = "joints",
    .group = "Look",
    .summary = "list the joints of a world, with the forces that they bear",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"BODY", ARGS_BODY, false, false, NULL},
                                       {0}},
    .details =
        "With BODY, only the joints of that body. Force and torque are those of the last tick.",
    .examples = "  carom joints yard\n  carom joints yard 3\n"
                "  carom joints yard --json | jq 'map(select(.state.torque > 10))'",
    .run = run_joints,
};
