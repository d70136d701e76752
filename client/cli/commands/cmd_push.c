// impulse, force, torque: what makes bodies move.
#include <stdio.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/show.h"
#include "client/cli/text.h"

#define POINT_OPTION                                                                               \
    {                                                                                              \
        "point", 'p', ARGS_VECTOR, "X,Y", "where, in the world (default: the centre of mass)",     \
            NULL                                                                                   \
    }

// {world, body} of the first two words.
static carom_value *body_args(const cli *c)
{
    return carom_set(cli_world_args(c), "body", params_id_word(args_word(&c->args, 1)));
}

static cli_exit push(cli *c, const char *method, const char *key)
{
    carom_value *arguments =
        carom_set(body_args(c), key, params_vector_word(args_word(&c->args, 2)));
    params_vector(c, "point", arguments, "point");
    return cli_call_show(c, method, arguments, show_tick);
}

static cli_exit run_impulse(cli *c)
{
    bool angular = args_has(&c->args, "angular");
    if (angular == (args_word(&c->args, 2) != NULL)) {
        return angular ? cli_usage(c, "either X,Y or --angular, not both")
                       : cli_usage(c, "what impulse? X,Y such as 0,10, or --angular N");
    }
    if (!angular) {
        return push(c, "body.impulse", "impulse");
    }
    if (args_has(&c->args, "point")) {
        return cli_usage(c,
                         "--angular turns the body about its centre: --point has no meaning there");
    }
    carom_value *arguments =
        carom_set(body_args(c), "impulse", carom_real(args_number(&c->args, "angular", 0.0)));
    return cli_call_show(c, "body.angular_impulse", arguments, show_tick);
}

const cli_command command_impulse = {
    .name = "impulse",
    .group = "Bodies",
    .summary = "strike a body: change its velocity at once",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"BODY", ARGS_ID, true, false, NULL},
                                       {"X,Y", ARGS_VECTOR, false, false, NULL},
                                       {0}},
    .options =
        (const args_option[]){
            POINT_OPTION, {"angular", 0, ARGS_NUMBER, "N", "turn it instead, by N m s", NULL}, {0}},
    .details = "Impulses are in N s: a body of 2 kg struck with 0,10 is 5 m/s faster upward.",
    .examples = "  carom impulse demo 3 0,10\n  carom impulse demo 3 5,0 --point 0,1.5\n"
                "  carom impulse demo 3 --angular -2",
    .run = run_impulse,
};

static cli_exit run_force(cli *c)
{
    return push(c, "body.force", "force");
}

const cli_command command_force = {
    .name = "force",
    .group = "Bodies",
    .summary = "push a body from now on",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"BODY", ARGS_ID, true, false, NULL},
                                       {"X,Y", ARGS_VECTOR, true, false, NULL},
                                       {0}},
    .options = (const args_option[]){POINT_OPTION, {0}},
    .details = "The force, in N, acts on every tick until it is set again; 0,0 ends it.",
    .examples = "  carom force demo 3 0,19.62\n  carom force demo 3 0,0",
    .run = run_force,
};

static cli_exit run_torque(cli *c)
{
    double value = 0.0;
    (void)text_to_number(args_word(&c->args, 2), &value);
    return cli_call_show(c, "body.torque", carom_set(body_args(c), "torque", carom_real(value)),
                         show_tick);
}

const cli_command command_torque = {
    .name = "torque",
    .group = "Bodies",
    .summary = "turn a body from now on",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"BODY", ARGS_ID, true, false, NULL},
                                       {"N", ARGS_NUMBER, true, false, NULL},
                                       {0}},
    .details = "The torque, in N m, counter-clockwise, acts on every tick until it is set again; 0 "
               "ends it.",
    .examples = "  carom torque demo 3 5\n  carom torque demo 3 0",
    .run = run_torque,
};
