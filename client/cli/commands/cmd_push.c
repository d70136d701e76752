// impulse, force, torque: commands that move bodies. Main thread only.
#include <stdio.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/show.h"
#include "common/args/text.h"

static const params_row IMPULSE[] = {PARAMS_BODY_IMPULSE};
static const params_row FORCE[] = {PARAMS_BODY_FORCE};
enum {
    IMPULSE_COUNT = sizeof IMPULSE / sizeof *IMPULSE,
    FORCE_COUNT = sizeof FORCE / sizeof *FORCE
};

// Makes {world, body} from the first two words.
static carom_value *body_args(const cli *c)
{
    return carom_set(cli_world_args(c), "body", params_id_word(args_word(&c->args, 1)));
}

// Prints a note when no impulse or force can move the body. The check comes after the command, so
// that it does not delay it.
static void note_immovable(cli *c)
{
    carom_value *body = NULL;
    carom_value *arguments = body_args(c);
    if (!c->json &&
        carom_call(c->client, "body.get", arguments, c->timeout_ms, &body, NULL) == CAROM_OK) {
        const char *type = carom_get_str(body, "type", "dynamic");
        const char *id = args_word(&c->args, 1);
        if (strcmp(type, "dynamic") != 0) {
            cli_note(c,
                     "body %s is %s: impulses and forces do not move it ('carom set %s %s "
                     "type=dynamic')",
                     id, type, args_word(&c->args, 0), id);
        } else if (!carom_get_bool(body, "enabled", true)) {
            cli_note(c, "body %s is disabled: it does not move ('carom get %s %s --explain')", id,
                     args_word(&c->args, 0), id);
        }
    }
    carom_value_free(body);
    carom_value_free(arguments);
}

// Calls the method with `arguments`, and prints `done`, as in "body 3 struck".
static cli_exit act(cli *c, const char *method, carom_value *arguments, const char *done)
{
    cli_exit code = cli_call_show(cli_done(c, "body %s %s", args_word(&c->args, 1), done), method,
                                  arguments, show_done);
    if (code == CLI_OK) {
        note_immovable(c);
    }
    return code;
}

static cli_exit run_impulse(cli *c)
{
    bool angular = args_has(&c->args, "angular");
    const char *word = args_word(&c->args, 2);
    if (angular == (word != NULL)) {
        return angular ? cli_usage(c, "either X,Y or --angular, not both")
                       : cli_usage(c, "the impulse is missing: X,Y such as 0,10, or --angular N");
    }
    if (angular && args_has(&c->args, "point")) {
        return cli_usage(c,
                         "--angular turns the body about its centre: --point has no meaning there");
    }
    carom_value *arguments = body_args(c);
    if (!angular) {
        carom_set(arguments, "impulse", params_vector_word(word));
        params_method(c, IMPULSE, IMPULSE_COUNT, arguments);
        return act(c, "body.impulse", arguments, "struck");
    }
    carom_set(arguments, "impulse", carom_real(args_number(&c->args, "angular", 0.0)));
    return act(c, "body.angular_impulse", arguments, "struck");
}

const cli_command command_impulse = {
    .name = "impulse",
    .group = "Bodies",
    .summary = "strike a body: change its velocity at once",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"BODY", ARGS_BODY, true, false, NULL},
                                       {"X,Y", ARGS_VECTOR, false, false, NULL},
                                       {0}},
    .options =
        (const args_option[]){OPTIONS_BODY_IMPULSE,
                              {"angular", 0, ARGS_NUMBER, "N", "turn it instead, by N m s", NULL},
                              {0}},
    .details = "Impulses are in N s: a body of 2 kg struck with 0,10 is 5 m/s faster upward.",
    .examples = "  carom impulse demo 3 0,10\n  carom impulse demo 3 5,0 --point 0,1.5\n"
                "  carom impulse demo 3 --angular -2",
    .run = run_impulse,
};

static cli_exit run_force(cli *c)
{
    double v[2] = {0.0, 0.0};
    const char *word = args_word(&c->args, 2);
    bool ends = text_to_numbers(word, 2, v) && v[0] == 0.0 && v[1] == 0.0;
    carom_value *arguments = carom_set(body_args(c), "force", params_vector_word(word));
    params_method(c, FORCE, FORCE_COUNT, arguments);
    return act(c, "body.force", arguments, ends ? "no longer pushed" : "pushed from now on");
}

const cli_command command_force = {
    .name = "force",
    .group = "Bodies",
    .summary = "push a body on every tick",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"BODY", ARGS_BODY, true, false, NULL},
                                       {"X,Y", ARGS_VECTOR, true, false, NULL},
                                       {0}},
    .options = (const args_option[]){OPTIONS_BODY_FORCE, {0}},
    .details = "The force, in N, acts on every tick until it is set again; 0,0 ends it.",
    .examples = "  carom force demo 3 0,19.62\n  carom force demo 3 0,0",
    .run = run_force,
};

static cli_exit run_torque(cli *c)
{
    double value = 0.0;
    (void)text_to_number(args_word(&c->args, 2), &value);
    return act(c, "body.torque", carom_set(body_args(c), "torque", carom_real(value)),
               value == 0.0 ? "no longer turned" : "turned from now on");
}

const cli_command command_torque = {
    .name = "torque",
    .group = "Bodies",
    .summary = "turn a body on every tick",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"BODY", ARGS_BODY, true, false, NULL},
                                       {"N", ARGS_NUMBER, true, false, NULL},
                                       {0}},
    .details = "The torque, in N m, counter-clockwise, acts on every tick until it is set again; 0 "
               "ends it.",
    .examples = "  carom torque demo 3 5\n  carom torque demo 3 0",
    .run = run_torque,
};
