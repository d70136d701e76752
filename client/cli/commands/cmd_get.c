// get: shows all properties of bodies, or one field, or the reasons why they do not move. Main
// thread only.
#include <stdio.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/explain.h"
#include "client/cli/params.h"
#include "client/cli/show.h"
#include "common/args/text.h"

enum { FIELDS_MAX = 64, LIST_BYTES = 700, PATH_BYTES_MAX = 128 };

// ---- a field

// The map that has the last name of the path as a key: for "shapes[0].knd" that is shapes[0].
static const carom_value *parent_of(const carom_value *body, const char *path, const char **name)
{
    char head[PATH_BYTES_MAX];
    const char *dot = strrchr(path, '.');
    *name = path;
    if (dot == NULL || dot - path >= PATH_BYTES_MAX) {
        return body;
    }
    (void)snprintf(head, sizeof head, "%.*s", (int)(dot - path), path);
    const carom_value *parent = carom_value_path(body, head);
    if (carom_value_type(parent) != CAROM_MAP) {
        return body;
    }
    *name = dot + 1;
    return parent;
}

static cli_exit refuse_field(const cli *c, const carom_value *body, const char *path)
{
    const char *fields[FIELDS_MAX];
    char told[LIST_BYTES];
    size_t count = 0;
    const char *name = NULL;
    const carom_value *parent = parent_of(body, path, &name);
    while (count < FIELDS_MAX && count < carom_value_count(parent)) {
        fields[count] = carom_value_key(parent, count, NULL);
        count++;
    }
    const char *meant = text_suggest(name, fields, count);
    text_list(fields, count, "and", told, sizeof told);
    (void)cli_usage(c, "a body has no field '%.100s'%s%s%s", path,
                    meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                    meant != NULL ? "'?" : "");
    cli_hint("%s %s", parent == body ? "the fields are" : "the fields there are", told);
    return CLI_USAGE;
}

static cli_exit print_field(const cli *c, const carom_value *body, const char *path)
{
    const carom_value *value = carom_value_path(body, path);
    if (value == NULL) {
        return refuse_field(c, body, path);
    }
    if (c->json) {
        return cli_print_json(value);
    }
    show_line(value);
    return CLI_OK;
}

// ---- why it does not move

// Asks for a list that an explanation can do without: NULL when the server lacks the method.
static carom_value *ask_for_list(cli *c, const char *method, const carom_value *arguments)
{
    carom_value *result = NULL;
    (void)carom_call(c->client, method, arguments, c->timeout_ms, &result, NULL);
    return result;
}

static void print_explanation(const carom_value *body, const carom_value *why)
{
    carom_vec2 at = carom_get_vec(body, "position", (carom_vec2){0.0, 0.0});
    carom_vec2 v = carom_get_vec(body, "velocity", (carom_vec2){0.0, 0.0});
    cli_print("body %llu (%s) at %.3f, %.3f ", (unsigned long long)carom_get_uint(why, "body", 0),
              carom_get_str(body, "type", "?"), at.x, at.y);
    if (carom_get_bool(why, "moves", false)) {
        (void)printf("moves: velocity %.3f, %.3f m/s, spin %.3f rad/s\n", v.x, v.y,
                     carom_get_real(body, "angular_velocity", 0.0));
    } else {
        (void)printf("does not move:\n");
    }
    const carom_value *reasons = carom_value_get(why, "reasons");
    for (size_t i = 0; i < carom_value_count(reasons); i++) {
        cli_print_line("  - %s", carom_get_str(carom_value_at(reasons, i), "text", ""));
    }
    const carom_value *joints = carom_value_get(why, "joints");
    for (size_t i = 0; i < carom_value_count(joints); i++) {
        const carom_value *joint = carom_value_at(joints, i);
        cli_print_line("  joint %llu (%s) ties it to body %llu",
                       (unsigned long long)carom_get_uint(joint, "joint", 0),
                       carom_get_str(joint, "kind", "?"),
                       (unsigned long long)carom_get_uint(joint, "other", 0));
    }
    const carom_value *touches = carom_value_get(why, "touches");
    for (size_t i = 0; i < carom_value_count(touches); i++) {
        const carom_value *touch = carom_value_at(touches, i);
        carom_vec2 n = carom_get_vec(touch, "normal", (carom_vec2){0.0, 0.0});
        (void)printf("  body %llu touches it and pushes towards %.3f, %.3f with %.3f N s a tick\n",
                     (unsigned long long)carom_get_uint(touch, "body", 0), n.x, n.y,
                     carom_get_real(touch, "impulse", 0.0));
    }
}

static cli_exit explain(cli *c, const carom_value *body)
{
    carom_value *world = cli_world_args(c);
    carom_value *near =
        carom_set(carom_value_clone(world), "body", carom_uint(carom_get_uint(body, "body", 0)));
    carom_value *info = NULL;
    cli_exit code = cli_call(c, "world.info", carom_value_clone(world), &info);
    if (code == CLI_OK) {
        carom_value *joints = ask_for_list(c, "joint.list", world);
        carom_value *contacts = ask_for_list(c, "world.contacts", near);
        carom_value *why = explain_body(body, info, carom_value_get(joints, "joints"),
                                        carom_value_get(contacts, "contacts"));
        if (c->json) {
            code = carom_value_ok(why) ? cli_print_json(why) : cli_out_of_memory();
        } else {
            print_explanation(body, why);
        }
        carom_value_free(why);
        carom_value_free(contacts);
        carom_value_free(joints);
    }
    carom_value_free(info);
    carom_value_free(near);
    carom_value_free(world);
    return code;
}

// ---- the command

static cli_exit print_body(cli *c, const carom_value *body)
{
    const char *path = args_text(&c->args, "field", NULL);
    if (args_has(&c->args, "explain")) {
        return explain(c, body);
    }
    if (path != NULL) {
        return print_field(c, body, path);
    }
    return c->json ? cli_print_json(body) : show_map(body, stdout);
}

// Continues after a refusal, so that one mistake does not hide the other answers.
static cli_exit run_get(cli *c)
{
    cli_exit worst = CLI_OK;
    if (args_has(&c->args, "explain") && args_has(&c->args, "field")) {
        return cli_usage(c, "either --explain or --field, not both");
    }
    for (size_t i = 1; i < c->args.word_count && worst != CLI_LOST; i++) {
        carom_value *body = NULL;
        carom_value *arguments =
            carom_set(cli_world_args(c), "body", params_id_word(args_word(&c->args, i)));
        cli_exit code = cli_call(c, "body.get", arguments, &body);
        code = code == CLI_OK ? print_body(c, body) : code;
        worst = code > worst ? code : worst;
        carom_value_free(body);
    }
    return worst;
}

const cli_command command_get = {
    .name = "get",
    .group = "Bodies",
    .summary = "show everything about bodies, or why they do not move",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"BODY", ARGS_BODY, true, true, NULL},
                                       {0}},
    .options =
        (const args_option[]){{"field", 'f', ARGS_FIELD, "PATH",
                               "one value alone, such as position or shapes[0].kind", NULL},
                              {"explain", 'e', ARGS_FLAG, NULL,
                               "why it does not move: state, joints, contacts, gravity", NULL},
                              {0}},
    .examples = "  carom get demo 3\n  carom get demo 3 --field position\n"
                "  carom get demo 3 --explain\n  carom get demo 3 --json | jq .mass",
    .run = run_get,
};
