// spawn, remove, set, bodies: makes, removes, changes and lists bodies. Main thread only.
#include <stdio.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/method_options.h"
#include "client/cli/params.h"
#include "client/cli/show.h"
#include "client/tool/table.h"
#include "common/args/text.h"

static const params_row SPAWN[] = {PARAMS_BODY_SPAWN};

enum { SPAWN_MAX = 1000 }; // commands in one world.apply

// ---- spawn

// The arguments of body.spawn without the world.
static cli_exit spawn_args(const cli *c, carom_value **out)
{
    carom_value *shapes = carom_array();
    cli_exit code = params_shapes(c, shapes);
    if (code != CLI_OK) {
        carom_value_free(shapes);
        return code;
    }
    carom_value *arguments = carom_set(carom_map(), "shapes", shapes);
    params_method(c, SPAWN, sizeof SPAWN / sizeof *SPAWN, arguments);
    code = params_pairs(c, 1, "body.spawn", arguments);
    if (code != CLI_OK) {
        carom_value_free(arguments);
        return code;
    }
    *out = arguments;
    return CLI_OK;
}

static void show_spawned(cli *c, const carom_value *result)
{
    (void)c;
    (void)printf("body %llu spawned (tick %llu)\n",
                 (unsigned long long)carom_get_uint(result, "body", 0),
                 (unsigned long long)carom_get_uint(result, "tick", 0));
}

static void show_all_spawned(cli *c, const carom_value *result)
{
    const carom_value *results = carom_value_get(result, "results");
    for (size_t i = 0; i < carom_value_count(results); i++) {
        show_spawned(c, carom_value_at(results, i));
    }
}

// Makes copies in one tick, each shifted by one step from the last.
static carom_value *copies(const cli *c, const carom_value *one, uint64_t count)
{
    double step[2] = {0.0, 0.0};
    carom_vec2 at = carom_get_vec(one, "position", (carom_vec2){0.0, 0.0});
    (void)args_numbers(&c->args, "step", step);
    carom_value *commands = carom_array();
    for (uint64_t i = 0; i < count; i++) {
        carom_value *copy = carom_value_clone(one);
        carom_set(copy, "position",
                  carom_vec(at.x + step[0] * (double)i, at.y + step[1] * (double)i));
        carom_value *command = carom_push(carom_array(), carom_str("body.spawn"));
        commands = carom_push(commands, carom_push(command, copy));
    }
    return commands;
}

static cli_exit run_spawn(cli *c)
{
    uint64_t count = args_whole(&c->args, "count", 1);
    carom_value *one = NULL;
    if (count < 1 || count > SPAWN_MAX) {
        return cli_usage(c, "--count is from 1 to %d", SPAWN_MAX);
    }
    cli_exit code = spawn_args(c, &one);
    if (code != CLI_OK) {
        return code;
    }
    bool shapeless = carom_value_count(carom_value_get(one, "shapes")) == 0;
    if (count == 1) {
        carom_set(one, "world", carom_str(args_word(&c->args, 0)));
        code = cli_call_show(c, "body.spawn", one, show_spawned);
    } else {
        carom_value *arguments = carom_set(cli_world_args(c), "commands", copies(c, one, count));
        carom_value_free(one);
        code = cli_call_show(c, "world.apply", arguments, show_all_spawned);
    }
    if (code == CLI_OK && shapeless) {
        cli_note(c, "without a shape a body touches nothing and is not seen; --circle R, --box WxH "
                    "and others give it one");
    }
    return code;
}

const cli_command command_spawn = {
    .name = "spawn",
    .group = "Bodies",
    .summary = "put a body into a world",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"NAME=VALUE", ARGS_PAIR, false, true, NULL},
                                       {0}},
    .options =
        (const args_option[]){
            PARAMS_FORM_OPTIONS,
            PARAMS_SPAWN_OPTIONS,
            PARAMS_SHAPE_OPTION,
            OPTIONS_BODY_SPAWN,
            {"count", 'n', ARGS_WHOLE, "N", "spawn N copies in one tick", NULL},
            {"step", 0, ARGS_VECTOR, "X,Y", "offset from each copy to the next", NULL},
            {0}},
    .details = "A body may have several shapes, given in its own frame; --density and the like "
               "apply to all\nof them. NAME=VALUE gives any other argument of body.spawn ('carom "
               "methods body.spawn').",
    .examples = "  carom spawn yard --box 20x1 --at 0,-0.5 --type static\n"
                "  carom spawn yard --circle 0.5 --at 0,10 --velocity 3,0 --restitution 0.8\n"
                "  carom spawn yard --box 1x1 --at 0,0.5 --count 10 --step 0,1.01\n"
                "  carom spawn yard --shape '{\"kind\":\"box\",\"size\":[2,1],\"radius\":0.1}' "
                "gravity_scale=0.5",
    .run = run_spawn,
};

// ---- remove

// Continues after a refusal, so that one mistake does not leave the other bodies in place.
static cli_exit run_remove(cli *c)
{
    cli_exit worst = CLI_OK;
    for (size_t i = 1; i < c->args.word_count && worst != CLI_LOST; i++) {
        const char *word = args_word(&c->args, i);
        carom_value *arguments = carom_set(cli_world_args(c), "body", params_id_word(word));
        cli_exit code = cli_call_show(cli_done(c, "body %s removed", word), "body.remove",
                                      arguments, show_done);
        worst = code > worst ? code : worst;
    }
    return worst;
}

const cli_command command_remove = {
    .name = "remove",
    .alias = "rm",
    .group = "Bodies",
    .summary = "remove bodies from a world",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"BODY", ARGS_BODY, true, true, NULL},
                                       {0}},
    .details = "To end a whole world: carom destroy WORLD.",
    .examples =
        "  carom remove yard 3\n  carom bodies yard --tag ball --ids | xargs -r carom remove yard",
    .run = run_remove,
};

// ---- set

static cli_exit run_set(cli *c)
{
    uint64_t body = 0;
    const char *word = args_word(&c->args, 1);
    bool of_body = text_to_whole(word, &body);
    const char *method = of_body ? "body.set" : "world.set";
    if (of_body && c->args.word_count < 3) {
        return cli_usage(c, "NAME=VALUE is missing, such as position=0,5");
    }
    carom_value *arguments = cli_world_args(c);
    if (of_body) {
        carom_set(arguments, "body", carom_uint(body));
    }
    cli_exit code = params_pairs(c, of_body ? 2 : 1, method, arguments);
    if (code != CLI_OK) {
        carom_value_free(arguments);
        return code;
    }
    if (of_body) {
        (void)cli_done(c, "body %s changed", word);
    } else {
        (void)cli_done(c, "%s changed", args_word(&c->args, 0));
    }
    return cli_call_show(c, method, arguments, show_done);
}

const cli_command command_set = {
    .name = "set",
    .group = "Bodies",
    .summary = "change a body, or a world",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"[BODY] NAME=VALUE", ARGS_TEXT, true, true, NULL},
                                       {0}},
    .details = "Without a BODY the world is changed. Names: 'carom methods body.set' and 'carom "
               "methods world.set'.\n"
               "Values: numbers, vectors as 1,2, true and false, texts, any JSON. Friction, "
               "restitution and density\n"
               "belong to shapes: 'carom shape set'.",
    .examples = "  carom set demo 3 position=0,5 velocity=0,0\n  carom set demo 3 type=static\n"
                "  carom set demo gravity=0,-1.62",
    .run = run_set,
};

// ---- bodies

static bool wanted(const cli *c, const carom_value *body)
{
    const char *type = args_text(&c->args, "type", NULL);
    const char *tag = args_text(&c->args, "tag", NULL);
    double area[4];
    if (type != NULL && strcmp(type, carom_get_str(body, "type", "")) != 0) {
        return false;
    }
    if (tag != NULL && strcmp(tag, carom_get_str(body, "tag", "")) != 0) {
        return false;
    }
    if (args_has(&c->args, "awake") && !carom_get_bool(body, "awake", false)) {
        return false;
    }
    if (args_numbers(&c->args, "area", area)) {
        carom_vec2 at = carom_get_vec(body, "position", (carom_vec2){0.0, 0.0});
        return at.x >= area[0] && at.x <= area[2] && at.y >= area[1] && at.y <= area[3];
    }
    return true;
}

static void add_vector(table *t, const carom_value *body, const char *key)
{
    carom_vec2 v = carom_get_vec(body, key, (carom_vec2){0.0, 0.0});
    table_format(t, "%.3f", v.x);
    table_format(t, "%.3f", v.y);
}

// Adds a cell for a body's shapes: "box", "3 circle", "box+circle".
static void add_shapes(table *t, const carom_value *shapes)
{
    char text[64] = "";
    size_t used = 0;
    size_t count = carom_value_count(shapes);
    for (size_t i = 0; i < count && used + 1 < sizeof text;) {
        const char *kind = carom_get_str(carom_value_at(shapes, i), "kind", "?");
        size_t same = 1;
        while (i + same < count &&
               strcmp(kind, carom_get_str(carom_value_at(shapes, i + same), "kind", "?")) == 0) {
            same++;
        }
        int more =
            same > 1 ? snprintf(text + used, sizeof text - used, "%s%zu %s", used > 0 ? "+" : "",
                                same, kind)
                     : snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? "+" : "", kind);
        used += more > 0 ? (size_t)more : 0;
        i += same;
    }
    table_text(t, text);
}

static void add_body(table *t, const carom_value *body)
{
    show_cell(t, carom_value_get(body, "body"));
    show_cell(t, carom_value_get(body, "type"));
    add_vector(t, body, "position");
    table_format(t, "%.3f", carom_get_real(body, "angle", 0.0));
    add_vector(t, body, "velocity");
    table_format(t, "%.3f", carom_get_real(body, "angular_velocity", 0.0));
    table_number(t, carom_get_real(body, "mass", 0.0));
    table_text(t, carom_get_bool(body, "awake", false) ? "yes" : "no");
    add_shapes(t, carom_value_get(body, "shapes"));
    table_text(t, carom_get_str(body, "tag", ""));
}

static cli_exit print_body_table(const carom_value *chosen)
{
    static const char *const heads[] = {">BODY", "TYPE",  ">X",    ">Y",    ">ANGLE", ">VX",
                                        ">VY",   ">SPIN", ">MASS", "AWAKE", "SHAPES", "TAG"};
    table t;
    table_init(&t, 12, heads);
    for (size_t i = 0; i < carom_value_count(chosen); i++) {
        add_body(&t, carom_value_at(chosen, i));
    }
    bool whole = table_print(&t, stdout);
    table_deinit(&t);
    return whole ? CLI_OK : cli_out_of_memory();
}

// Returns the bodies that the options choose; with --ids their ids.
static carom_value *choose_bodies(const cli *c, const carom_value *bodies)
{
    carom_value *chosen = carom_array();
    for (size_t i = 0; i < carom_value_count(bodies); i++) {
        const carom_value *body = carom_value_at(bodies, i);
        if (wanted(c, body)) {
            bool ids = args_has(&c->args, "ids");
            chosen = carom_push(chosen, ids ? carom_uint(carom_get_uint(body, "body", 0))
                                            : carom_value_clone(body));
        }
    }
    return chosen;
}

static cli_exit print_bodies(const cli *c, const carom_value *bodies)
{
    carom_value *chosen = choose_bodies(c, bodies);
    cli_exit code = CLI_OK;
    if (!carom_value_ok(chosen)) {
        code = cli_out_of_memory();
    } else if (c->json) {
        code = cli_print_json(chosen);
    } else if (args_has(&c->args, "ids")) {
        for (size_t i = 0; i < carom_value_count(chosen); i++) {
            (void)printf("%llu\n", (unsigned long long)carom_as_uint(carom_value_at(chosen, i), 0));
        }
    } else {
        code = print_body_table(chosen);
    }
    carom_value_free(chosen);
    return code;
}

static cli_exit run_bodies(cli *c)
{
    carom_value *result = NULL;
    double area[4];
    if (args_numbers(&c->args, "area", area) && (area[0] > area[2] || area[1] > area[3])) {
        return cli_usage(c, "--area is X0,Y0,X1,Y1 with X0 <= X1 and Y0 <= Y1");
    }
    cli_exit code = cli_call(c, "world.state", cli_world_args(c), &result);
    if (code == CLI_OK) {
        code = print_bodies(c, carom_value_get(result, "bodies"));
    }
    carom_value_free(result);
    return code;
}

const cli_command command_bodies = {
    .name = "bodies",
    .group = "Look",
    .summary = "list the bodies of a world",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL}, {0}},
    .options =
        (const args_option[]){
            {"type", 0, ARGS_CHOICE, "TYPE", "only static, kinematic or dynamic ones",
             "dynamic|kinematic|static"},
            {"tag", 0, ARGS_TEXT, "TEXT", "only those with that tag", NULL},
            {"awake", 0, ARGS_FLAG, NULL, "only those that are awake", NULL},
            {"area", 0, ARGS_AREA, "X0,Y0,X1,Y1", "only those whose position is inside", NULL},
            {"ids", 0, ARGS_FLAG, NULL, "ids alone, one a line", NULL},
            {0}},
    .examples = "  carom bodies demo\n  carom bodies demo --type dynamic --awake\n"
                "  carom bodies demo --json | jq 'map(.mass) | add'",
    .run = run_bodies,
};
