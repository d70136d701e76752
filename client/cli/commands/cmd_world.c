// worlds, create, destroy, pause, resume, step, apply: worlds as wholes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/show.h"
#include "client/cli/table.h"
#include "client/cli/text.h"

enum { WORLD_BYTES_MAX = 65 };

// ---- worlds

static void show_worlds(cli *c, const carom_value *list)
{
    if (args_has(&c->args, "names")) {
        for (size_t i = 0; i < carom_value_count(list); i++) {
            (void)printf("%s\n", carom_get_str(carom_value_at(list, i), "world", ""));
        }
        return;
    }
    if (carom_value_count(list) == 0) {
        (void)printf("no worlds; 'carom create NAME' makes one\n");
        return;
    }
    static const char *const heads[] = {"WORLD",   "STATE",     ">TICK",     ">TIME [s]",
                                        ">HZ",     ">BODIES",   ">AWAKE",    ">CONTACTS",
                                        ">JOINTS", ">WATCHERS", ">STEP [ms]"};
    static const char *const keys[] = {"tick",  "time",     "hz",     "bodies",
                                       "awake", "contacts", "joints", "subscribers"};
    table t;
    table_init(&t, 11, heads);
    for (size_t i = 0; i < carom_value_count(list); i++) {
        const carom_value *world = carom_value_at(list, i);
        show_cell(&t, carom_value_get(world, "world"));
        table_text(&t, carom_get_bool(world, "paused", false) ? "paused" : "running");
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            show_cell(&t, carom_value_get(world, keys[k]));
        }
        table_format(&t, "%.3f", carom_get_real(world, "step_ms", 0.0));
    }
    (void)table_print(&t, stdout);
    table_deinit(&t);
}

static cli_exit run_worlds(cli *c)
{
    return cli_call_show(c, "world.list", NULL, show_worlds);
}

const cli_command command_worlds = {
    .name = "worlds",
    .group = "Look",
    .summary = "list the worlds of the server",
    .options =
        (const args_option[]){{"names", 0, ARGS_FLAG, NULL, "names alone, one a line", NULL}, {0}},
    .examples = "  carom worlds\n  carom worlds --json | jq '.[] | select(.bodies > 100) | .world'",
    .run = run_worlds,
};

// ---- create

static void show_created(cli *c, const carom_value *result)
{
    (void)c;
    (void)printf("%s is there, at tick %llu\n", carom_get_str(result, "world", ""),
                 (unsigned long long)carom_get_uint(result, "tick", 0));
}

// A world that is there already is as good as one that was made.
static cli_exit create_if_absent(cli *c, carom_value *arguments)
{
    carom_value *result = NULL;
    carom_error error = {0};
    cli_exit code = cli_connect(c, NULL);
    if (code == CLI_OK && carom_call(c->client, "world.create", arguments, c->timeout_ms, &result,
                                     &error) != CAROM_OK) {
        if (error.from_server && error.status == CAROM_ALREADY_EXISTS) {
            code = cli_call(c, "world.info", cli_world_args(c), &result);
        } else {
            code = cli_fail(c, &error);
        }
    }
    if (code == CLI_OK && c->json) {
        code = cli_print_json(result);
    } else if (code == CLI_OK) {
        show_created(c, result);
    }
    carom_value_free(result);
    carom_value_free(arguments);
    return code;
}

static cli_exit run_create(cli *c)
{
    carom_value *arguments = cli_world_args(c);
    params_vector(c, "gravity", arguments, "gravity");
    params_number(c, "hz", arguments, "hz");
    params_whole(c, "substeps", arguments, "substeps");
    params_whole(c, "max-bodies", arguments, "max_bodies");
    params_text(c, "scene", arguments, "scene");
    params_text(c, "durability", arguments, "durability");
    if (args_has(&c->args, "paused")) {
        carom_set(arguments, "paused", carom_bool(true));
    }
    if (args_has(&c->args, "no-sleep")) {
        carom_set(arguments, "sleep", carom_bool(false));
    }
    cli_exit code = params_pairs(c, 1, "world.create", arguments);
    if (code != CLI_OK) {
        carom_value_free(arguments);
        return code;
    }
    return args_has(&c->args, "if-absent")
               ? create_if_absent(c, arguments)
               : cli_call_show(c, "world.create", arguments, show_created);
}

const cli_command command_create = {
    .name = "create",
    .group = "Worlds",
    .summary = "make a world",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"NAME=VALUE", ARGS_PAIR, false, true, NULL},
                                       {0}},
    .options =
        (const args_option[]){
            {"gravity", 'g', ARGS_VECTOR, "X,Y", "m/s2 (default 0,-9.81)", NULL},
            {"hz", 0, ARGS_NUMBER, "N", "ticks a second (default 60)", NULL},
            {"substeps", 0, ARGS_WHOLE, "N", "solver steps in a tick (default 4)", NULL},
            {"paused", 'p', ARGS_FLAG, NULL, "begin paused; see step and resume", NULL},
            {"scene", 0, ARGS_TEXT, "NAME", "fill it with a scene that the server knows", NULL},
            {"max-bodies", 0, ARGS_WHOLE, "N", "refuse more", NULL},
            {"no-sleep", 0, ARGS_FLAG, NULL, "bodies at rest stay awake", NULL},
            {"durability", 0, ARGS_TEXT, "WORD", "what outlives the server", NULL},
            {"if-absent", 0, ARGS_FLAG, NULL, "no error when it is there already", NULL},
            {0}},
    .details =
        "NAME=VALUE gives any other argument of world.create ('carom methods world.create').",
    .examples = "  carom create yard\n  carom create moon --gravity 0,-1.62 --hz 120\n"
                "  carom create try --scene pyramid --paused\n  carom create yard --if-absent",
    .run = run_create,
};

// ---- destroy, pause, resume, step

// Calls the method for each world named; goes on after a refusal, so that one slip does not leave
// the others undone.
static cli_exit for_each_world(cli *c, const char *method,
                               void (*show)(cli *c, const carom_value *result))
{
    cli_exit worst = CLI_OK;
    for (size_t i = 0; i < c->args.word_count; i++) {
        carom_value *arguments = carom_set(carom_map(), "world", carom_str(args_word(&c->args, i)));
        cli_exit code = cli_call_show(c, method, arguments, show);
        worst = code > worst ? code : worst;
        if (code == CLI_LOST) {
            break;
        }
    }
    return worst;
}

static void show_destroyed(cli *c, const carom_value *result)
{
    (void)c;
    (void)printf("%s is gone\n", carom_get_str(result, "world", ""));
}

static cli_exit run_destroy(cli *c)
{
    return for_each_world(c, "world.destroy", show_destroyed);
}

static cli_exit run_pause(cli *c)
{
    return for_each_world(c, "world.pause", show_tick);
}

static cli_exit run_resume(cli *c)
{
    return for_each_world(c, "world.resume", show_tick);
}

static const args_operand world_names[] = {{"WORLD", ARGS_WORLD, true, true, NULL}, {0}};

const cli_command command_destroy = {
    .name = "destroy",
    .group = "Worlds",
    .summary = "end worlds and all that is in them",
    .operands = world_names,
    .examples = "  carom destroy yard\n  carom destroy try1 try2",
    .run = run_destroy,
};

const cli_command command_pause = {
    .name = "pause",
    .group = "Worlds",
    .summary = "stop worlds' time",
    .operands = world_names,
    .examples = "  carom pause demo",
    .run = run_pause,
};

const cli_command command_resume = {
    .name = "resume",
    .group = "Worlds",
    .summary = "let worlds' time go on",
    .operands = world_names,
    .examples = "  carom resume demo",
    .run = run_resume,
};

static cli_exit run_step(cli *c)
{
    carom_value *arguments = cli_world_args(c);
    if (args_word(&c->args, 1) != NULL) {
        carom_set(arguments, "ticks", params_id_word(args_word(&c->args, 1)));
    }
    return cli_call_show(c, "world.step", arguments, show_tick);
}

const cli_command command_step = {
    .name = "step",
    .group = "Worlds",
    .summary = "advance a paused world by a tick, or by several",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"TICKS", ARGS_WHOLE, false, false, NULL},
                                       {0}},
    .examples = "  carom step try\n  carom step try 600 --timeout 60s",
    .run = run_step,
};

// ---- apply

// The scene's own name, or that of its file without folder and ending.
static bool scene_name(const char *path, const char *text, size_t size, char out[WORLD_BYTES_MAX])
{
    carom_value *scene = NULL;
    const char *name = NULL;
    out[0] = '\0';
    if (carom_json_parse(text, size, &scene, NULL) == CAROM_OK) {
        name = carom_as_str(carom_value_get(scene, "name"), NULL);
    }
    if (name == NULL && strcmp(path, "-") != 0) {
        const char *slash = strrchr(path, '/');
        name = slash != NULL ? slash + 1 : path;
    }
    if (name != NULL) {
        size_t length = strlen(name);
        length -= length > 5 && strcmp(name + length - 5, ".json") == 0 ? 5 : 0;
        (void)snprintf(out, WORLD_BYTES_MAX, "%.*s",
                       (int)(length < WORLD_BYTES_MAX ? length : WORLD_BYTES_MAX - 1), name);
    }
    carom_value_free(scene);
    return out[0] != '\0';
}

static void print_applied(const cli *c, const char *world, const carom_scene_result *result)
{
    if (c->json) {
        (void)printf("{\"world\":\"%s\",\"created\":%s,\"commands\":%llu,\"bodies\":%llu,"
                     "\"joints\":%llu,\"tick\":%llu}\n",
                     world, result->created ? "true" : "false",
                     (unsigned long long)result->commands, (unsigned long long)result->bodies,
                     (unsigned long long)result->joints, (unsigned long long)result->tick);
        return;
    }
    (void)printf("%s%s: %llu commands, %llu bodies, %llu joints, at tick %llu\n", world,
                 result->created ? " created" : "", (unsigned long long)result->commands,
                 (unsigned long long)result->bodies, (unsigned long long)result->joints,
                 (unsigned long long)result->tick);
}

static cli_exit run_apply(cli *c)
{
    const char *path = args_word(&c->args, 0);
    char world[WORLD_BYTES_MAX];
    char *text = NULL;
    size_t size = 0;
    cli_exit code = cli_read_file(path, &text, &size);
    if (code != CLI_OK) {
        return code;
    }
    if (args_word(&c->args, 1) != NULL) {
        (void)snprintf(world, sizeof world, "%s", args_word(&c->args, 1));
    } else if (!scene_name(path, text, size, world)) {
        free(text);
        return cli_usage(c, "the scene has no name: say which WORLD it is for");
    }
    carom_scene_options options = carom_scene_options_default();
    options.create = !args_has(&c->args, "no-create");
    options.paused = args_has(&c->args, "paused");
    options.timeout_ms = args_has(&c->args, "timeout") ? c->timeout_ms : options.timeout_ms;
    carom_scene_result result = {0};
    carom_error error = {0};
    code = cli_connect(c, NULL);
    if (code == CLI_OK &&
        carom_scene_apply(c->client, world, text, size, &options, &result, &error) != CAROM_OK) {
        bool file = !error.from_server && error.status == CAROM_INVALID_ARGUMENT;
        code = cli_fail(c, &error);
        code = file ? CLI_REFUSED : code; // the command line was sound, the file is not
    } else if (code == CLI_OK) {
        print_applied(c, world, &result);
    }
    free(text);
    return code;
}

const cli_command command_apply = {
    .name = "apply",
    .group = "Worlds",
    .summary = "put a scene from a JSON file into a world",
    .operands = (const args_operand[]){{"FILE", ARGS_FILE, true, false, NULL},
                                       {"WORLD", ARGS_WORLD, false, false, NULL},
                                       {0}},
    .options =
        (const args_option[]){
            {"paused", 'p', ARGS_FLAG, NULL, "a world that is made stays paused", NULL},
            {"no-create", 0, ARGS_FLAG, NULL, "the world must be there", NULL},
            {0}},
    .details =
        "FILE is - for standard input. Without WORLD the scene's name is taken, or the file's.\n"
        "A world that is not there is made, with the scene's settings.",
    .examples = "  carom apply pyramid.json\n  carom apply pyramid.json yard\n"
                "  generate-scene | carom apply - yard --paused",
    .run = run_apply,
};
