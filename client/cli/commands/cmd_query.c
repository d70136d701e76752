// ray, cast, overlap, nearest: queries about places in a world. Main thread only.
#include <stdio.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/show.h"
#include "client/tool/table.h"

// The list of hits in an answer: the answer itself, or its value under `key`.
static const carom_value *list_in(const carom_value *result, const char *key)
{
    return carom_value_type(result) == CAROM_MAP ? carom_value_get(result, key) : result;
}

static void show_hits(cli *c, const carom_value *result)
{
    (void)c;
    static const char *const heads[] = {">BODY", ">SHAPE", "POINT", "NORMAL", ">FRACTION"};
    static const char *const keys[] = {"body", "shape", "point", "normal", "fraction"};
    const carom_value *hits = list_in(result, "hits");
    if (carom_value_count(hits) == 0) {
        (void)printf("nothing\n");
        return;
    }
    table t;
    table_init(&t, 5, heads);
    for (size_t i = 0; i < carom_value_count(hits); i++) {
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            show_cell(&t, carom_value_get(carom_value_at(hits, i), keys[k]));
        }
    }
    (void)table_print(&t, stdout);
    table_deinit(&t);
}

// Makes {world, from, to} from the words.
static carom_value *path_args(const cli *c)
{
    carom_value *arguments = cli_world_args(c);
    carom_set(arguments, "from", params_vector_word(args_word(&c->args, 1)));
    carom_set(arguments, "to", params_vector_word(args_word(&c->args, 2)));
    params_filter(c, arguments);
    return arguments;
}

static const args_operand path_operands[] = {{"WORLD", ARGS_WORLD, true, false, NULL},
                                             {"FROM", ARGS_VECTOR, true, false, NULL},
                                             {"TO", ARGS_VECTOR, true, false, NULL},
                                             {0}};

static cli_exit run_ray(cli *c)
{
    static const params_row RAY[] = {PARAMS_QUERY_RAY};
    carom_value *arguments = path_args(c);
    params_method(c, RAY, sizeof RAY / sizeof *RAY, arguments);
    return cli_call_show(c, "query.ray", arguments, show_hits);
}

const cli_command command_ray = {
    .name = "ray",
    .group = "Queries",
    .summary = "list the hits of a straight line, nearest first",
    .operands = path_operands,
    .options = (const args_option[]){OPTIONS_QUERY_RAY, OPTIONS_QUERY_FILTER, {0}},
    .examples = "  carom ray demo -10,1 10,1\n  carom ray demo 0,20 0,-1 --all\n  carom ray demo "
                "0,20 0,-1 --mask 2 --ignore 5",
    .run = run_ray,
};

static cli_exit run_cast(cli *c)
{
    static const params_row CAST[] = {PARAMS_QUERY_CAST};
    carom_value *shape = NULL;
    cli_exit code = params_shape(c, &shape);
    if (code != CLI_OK) {
        return code;
    }
    carom_value *arguments = carom_set(path_args(c), "shape", shape);
    params_method(c, CAST, sizeof CAST / sizeof *CAST, arguments);
    return cli_call_show(c, "query.cast", arguments, show_hits);
}

const cli_command command_cast = {
    .name = "cast",
    .group = "Queries",
    .summary = "list the hits of a moving shape, nearest first",
    .operands = path_operands,
    .options = (const args_option[]){PARAMS_FORM_OPTIONS,
                                     PARAMS_SHAPE_OPTION,
                                     OPTIONS_QUERY_CAST,
                                     OPTIONS_QUERY_FILTER,
                                     {0}},
    .details =
        "The shape moves from FROM to TO without turning; its coordinates are relative to FROM.",
    .examples = "  carom cast demo -10,1 10,1 --circle 0.5\n  carom cast demo 0,20 0,-1 --box 2x1",
    .run = run_cast,
};

static void show_bodies(cli *c, const carom_value *result)
{
    (void)c;
    const carom_value *bodies = list_in(result, "bodies");
    if (carom_value_count(bodies) == 0) {
        (void)printf("nothing\n");
    }
    for (size_t i = 0; i < carom_value_count(bodies); i++) {
        char word[64];
        show_word(carom_value_at(bodies, i), word, sizeof word);
        cli_print_line("%s", word);
    }
}

static bool any_form(const cli *c)
{
    static const char *const forms[] = {"circle", "box", "capsule", "polygon", "segment", "shape"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (args_has(&c->args, forms[i])) {
            return true;
        }
    }
    return false;
}

static cli_exit run_overlap(cli *c)
{
    static const params_row OVERLAP[] = {PARAMS_QUERY_OVERLAP};
    bool form = any_form(c);
    int ways = (form ? 1 : 0) + (args_has(&c->args, "area") ? 1 : 0) +
               (args_has(&c->args, "point") ? 1 : 0);
    if (ways != 1) {
        return cli_usage(c, "give one of --area, --point, or a shape such as --circle 2");
    }
    carom_value *arguments = cli_world_args(c);
    params_method(c, OVERLAP, sizeof OVERLAP / sizeof *OVERLAP, arguments);
    params_filter(c, arguments);
    if (form) {
        carom_value *shape = NULL;
        cli_exit code = params_shape(c, &shape);
        if (code != CLI_OK) {
            carom_value_free(arguments);
            return code;
        }
        params_vector(c, "at", shape, "center");
        carom_set(arguments, "shape", shape);
    }
    return cli_call_show(c, "query.overlap", arguments, show_bodies);
}

const cli_command command_overlap = {
    .name = "overlap",
    .group = "Queries",
    .summary = "list the bodies in an area, in a shape, or at a point",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL}, {0}},
    .options = (const args_option[]){OPTIONS_QUERY_OVERLAP,
                                     PARAMS_FORM_OPTIONS,
                                     PARAMS_SHAPE_OPTION,
                                     {"at", 'a', ARGS_VECTOR, "X,Y",
                                      "the centre of --circle or --box (default 0,0)", NULL},
                                     OPTIONS_QUERY_FILTER,
                                     {0}},
    .examples = "  carom overlap demo --area -5,0,5,3\n  carom overlap demo --point 1,2\n"
                "  carom overlap demo --circle 2 --at 0,5",
    .run = run_overlap,
};

static void show_nearest(cli *c, const carom_value *result)
{
    (void)c;
    static const char *const heads[] = {">BODY", ">SHAPE", "POINT", ">DISTANCE"};
    static const char *const keys[] = {"body", "shape", "point", "distance"};
    if (carom_get_uint(result, "body", 0) == 0) {
        (void)printf("nothing\n");
        return;
    }
    table t;
    table_init(&t, 4, heads);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        show_cell(&t, carom_value_get(result, keys[k]));
    }
    (void)table_print(&t, stdout);
    table_deinit(&t);
}

static cli_exit run_nearest(cli *c)
{
    static const params_row NEAREST[] = {PARAMS_QUERY_NEAREST};
    carom_value *arguments =
        carom_set(cli_world_args(c), "point", params_vector_word(args_word(&c->args, 1)));
    params_method(c, NEAREST, sizeof NEAREST / sizeof *NEAREST, arguments);
    params_filter(c, arguments);
    return cli_call_show(c, "query.nearest", arguments, show_nearest);
}

const cli_command command_nearest = {
    .name = "nearest",
    .group = "Queries",
    .summary = "find the body nearest to a point",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"POINT", ARGS_VECTOR, true, false, NULL},
                                       {0}},
    .options = (const args_option[]){OPTIONS_QUERY_NEAREST, OPTIONS_QUERY_FILTER, {0}},
    .examples = "  carom nearest demo 0,5\n  carom nearest demo 0,5 --radius 2",
    .run = run_nearest,
};
