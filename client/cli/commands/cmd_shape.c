// shape: a body's shapes, added and taken away. Shapes that a body begins with come with spawn.
#include <stdio.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/show.h"

static void show_shape_made(cli *c, const carom_value *result)
{
    (void)c;
    (void)printf("shape %llu, at tick %llu\n",
                 (unsigned long long)carom_get_uint(result, "shape", 0),
                 (unsigned long long)carom_get_uint(result, "tick", 0));
}

static carom_value *command_args(const cli *c, const char *key, size_t word)
{
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(args_word(&c->args, 1)));
    return carom_set(arguments, key, params_id_word(args_word(&c->args, word)));
}

// add WORLD BODY, with one shape or several.
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

// remove WORLD SHAPE...; goes on after a refusal.
static cli_exit remove_shapes(cli *c)
{
    cli_exit worst = CLI_OK;
    for (size_t i = 2; i < c->args.word_count && worst != CLI_LOST; i++) {
        cli_exit code = cli_call_show(c, "shape.remove", command_args(c, "shape", i), show_tick);
        worst = code > worst ? code : worst;
    }
    return worst;
}

static cli_exit run_shape(cli *c)
{
    return strcmp(args_word(&c->args, 0), "add") == 0 ? add_shapes(c) : remove_shapes(c);
}

const cli_command command_shape = {
    .name = "shape",
    .group = "Bodies",
    .summary = "give a body another shape, or take shapes away",
    .operands = (const args_operand[]){{"ACTION", ARGS_CHOICE, true, false, "add|remove"},
                                       {"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"ID", ARGS_ID, true, true, NULL},
                                       {0}},
    .options =
        (const args_option[]){PARAMS_FORM_OPTIONS, PARAMS_SPAWN_OPTIONS, PARAMS_SHAPE_OPTION, {0}},
    .details = "  carom shape add WORLD BODY --circle R ...\n"
               "  carom shape remove WORLD SHAPE...\n\n"
               "Mass and inertia follow the shapes that are there. The ids of a body's shapes: "
               "'carom get WORLD BODY'.",
    .examples = "  carom shape add yard 2 --box 2x0.5 --density 3\n"
                "  carom shape add yard 2 --circle 1.5 --sensor\n  carom shape remove yard 7 8",
    .run = run_shape,
};
