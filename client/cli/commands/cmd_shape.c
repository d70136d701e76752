// shape: adds, changes and removes shapes of a body. The first shapes of a body come with spawn.
// Main thread only.
#include <stdio.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/show.h"
#include "common/args/text.h"

static void show_shape_made(cli *c, const carom_value *result)
{
    (void)c;
    (void)printf("shape %llu added (tick %llu)\n",
                 (unsigned long long)carom_get_uint(result, "shape", 0),
                 (unsigned long long)carom_get_uint(result, "tick", 0));
}

static carom_value *command_args(const cli *c, const char *key, size_t word)
{
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(args_word(&c->args, 1)));
    return carom_set(arguments, key, params_id_word(args_word(&c->args, word)));
}

// add WORLD BODY: adds one shape or several.
static cli_exit add_shapes(cli *c)
{
    if (args_word(&c->args, 3) != NULL) {
        return cli_usage(c, "'%s' is one word too many", args_word(&c->args, 3));
    }
    carom_value *shapes = carom_array();
    cli_exit code = params_shapes(c, shapes);
    if (code == CLI_OK && carom_value_count(shapes) == 0) {
        code = cli_usage(c, "a shape is missing: --circle R, --box WxH, --capsule, --polygon, "
                            "--segment, --chain, --loop or --shape JSON");
    }
    for (size_t i = 0; i < carom_value_count(shapes) && code == CLI_OK; i++) {
        carom_value *arguments = command_args(c, "body", 2);
        carom_set(arguments, "shape", carom_value_clone(carom_value_at(shapes, i)));
        code = cli_call_show(c, "shape.add", arguments, show_shape_made);
    }
    carom_value_free(shapes);
    return code;
}

// remove WORLD SHAPE...: continues after a refusal.
static cli_exit remove_shapes(cli *c)
{
    cli_exit worst = CLI_OK;
    for (size_t i = 2; i < c->args.word_count && worst != CLI_LOST; i++) {
        (void)cli_done(c, "shape %s removed", args_word(&c->args, i));
        cli_exit code = cli_call_show(c, "shape.remove", command_args(c, "shape", i), show_done);
        worst = code > worst ? code : worst;
    }
    return worst;
}

// The shapes of the body in --body, or those that the words from index 2 to the first NAME=VALUE
// name.
static cli_exit shapes_to_set(cli *c, carom_value **out, size_t *first_pair)
{
    carom_value *shapes = carom_array();
    uint64_t id = 0;
    size_t at = 2;
    while (args_word(&c->args, at) != NULL && text_to_whole(args_word(&c->args, at), &id)) {
        shapes = carom_push(shapes, carom_uint(id));
        at++;
    }
    *first_pair = at;
    *out = shapes;
    bool by_body = args_has(&c->args, "body");
    if (by_body == (at > 2)) {
        return by_body
                   ? cli_usage(c, "either SHAPE or --body, not both")
                   : cli_usage(c, "SHAPE is missing: an id, or --body BODY for all of a body's");
    }
    if (!by_body) {
        return CLI_OK;
    }
    carom_value *body = NULL;
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(args_word(&c->args, 1)));
    params_whole(c, "body", arguments, "body");
    cli_exit code = cli_call(c, "body.get", arguments, &body);
    const carom_value *list = carom_value_get(body, "shapes");
    for (size_t i = 0; i < carom_value_count(list); i++) {
        *out = carom_push(*out, carom_uint(carom_get_uint(carom_value_at(list, i), "shape", 0)));
    }
    carom_value_free(body);
    if (code == CLI_OK && carom_value_count(*out) == 0) {
        cli_error("not_found", "body %s has no shapes", args_text(&c->args, "body", ""));
        code = CLI_REFUSED;
    }
    return code;
}

// set WORLD SHAPE... NAME=VALUE...: continues after a refusal.
static cli_exit set_shapes(cli *c)
{
    carom_value *shapes = NULL;
    size_t pairs = 0;
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(args_word(&c->args, 1)));
    cli_exit code = shapes_to_set(c, &shapes, &pairs);
    code = code == CLI_OK ? params_pairs(c, pairs, "shape.set", arguments) : code;
    if (code == CLI_OK) {
        params_matter(c, arguments);
        if (carom_value_count(arguments) < 2) {
            code = cli_usage(c, "NAME=VALUE is missing, such as friction=0.4");
        }
    }
    cli_exit worst = code;
    for (size_t i = 0; code == CLI_OK && i < carom_value_count(shapes) && worst != CLI_LOST; i++) {
        uint64_t id = carom_as_uint(carom_value_at(shapes, i), 0);
        carom_value *one = carom_set(carom_value_clone(arguments), "shape", carom_uint(id));
        (void)cli_done(c, "shape %llu changed", (unsigned long long)id);
        cli_exit outcome = cli_call_show(c, "shape.set", one, show_done);
        worst = outcome > worst ? outcome : worst;
    }
    carom_value_free(arguments);
    carom_value_free(shapes);
    return worst;
}

static cli_exit run_shape(cli *c)
{
    const char *action = args_word(&c->args, 0);
    if (strcmp(action, "set") == 0) {
        return set_shapes(c);
    }
    if (args_has(&c->args, "body")) {
        return cli_usage(c, "--body belongs to 'carom shape set'");
    }
    for (size_t i = 2; i < c->args.word_count || i == 2; i++) {
        char error[ARGS_ERROR_MAX];
        const char *word = args_word(&c->args, i);
        if (word == NULL) {
            return cli_usage(c, "ID is missing");
        }
        if (!args_value_check("ID", ARGS_ID, NULL, word, error)) {
            return cli_usage(c, "%s", error);
        }
    }
    return strcmp(action, "add") == 0 ? add_shapes(c) : remove_shapes(c);
}

const cli_command command_shape = {
    .name = "shape",
    .group = "Bodies",
    .summary = "add, change and remove the shapes of bodies",
    .operands = (const args_operand[]){{"ACTION", ARGS_CHOICE, true, false, "add|set|remove"},
                                       {"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"WORD", ARGS_TEXT, false, true, NULL},
                                       {0}},
    .options = (const args_option[]){PARAMS_FORM_OPTIONS,
                                     PARAMS_SPAWN_OPTIONS,
                                     PARAMS_SHAPE_OPTION,
                                     {"body", 0, ARGS_BODY, "BODY",
                                      "with set: all shapes of this body", NULL},
                                     {0}},
    .details = "  carom shape add WORLD BODY --circle R ...\n"
               "  carom shape set WORLD SHAPE... NAME=VALUE...\n"
               "  carom shape set WORLD --body BODY NAME=VALUE...\n"
               "  carom shape remove WORLD SHAPE...\n\n"
               "Set changes friction, restitution, density, rolling_resistance, tangent_speed, "
               "sensor, filter,\n"
               "events and one_way. Mass and inertia follow the shapes. 'carom get WORLD BODY' "
               "shows the ids of a\n"
               "body's shapes.",
    .examples = "  carom shape add yard 2 --box 2x0.5 --density 3\n"
                "  carom shape add yard 2 --circle 1.5 --sensor\n"
                "  carom shape set yard 7 friction=0.1 restitution=0.8\n"
                "  carom shape set yard --body 2 friction=0\n  carom shape remove yard 7 8",
    .run = run_shape,
};
