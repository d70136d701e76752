// apply, scenes: makes worlds from scenes, which are JSON files or scenes that the server has by
// name. Main thread only.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/scene_list.h"
#include "client/cli/show.h"
#include "client/tool/profile.h"
#include "client/tool/table.h"
#include "common/args/text.h"

enum { WORLD_BYTES_MAX = 65 };

// ---- apply

// The scene's own name, or the name of its file without folder and extension.
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
        carom_value *v = carom_set(carom_map(), "world", carom_str(world));
        carom_set(v, "created", carom_bool(result->created));
        carom_set(v, "commands", carom_uint(result->commands));
        carom_set(v, "bodies", carom_uint(result->bodies));
        carom_set(v, "joints", carom_uint(result->joints));
        carom_set(v, "tick", carom_uint(result->tick));
        (void)cli_print_json(v);
        carom_value_free(v);
        return;
    }
    cli_print_line("%s %s: %llu %s, %llu %s, %llu %s (tick %llu)",
                   result->created ? "created" : "applied the scene to", world,
                   TEXT_COUNTED(result->commands, "command", "commands"),
                   TEXT_COUNTED(result->bodies, "body", "bodies"),
                   TEXT_COUNTED(result->joints, "joint", "joints"),
                   (unsigned long long)result->tick);
}

// Reports an error of the scene, preceded by the file's name. An error that this program finds is
// one of the file: CLI_USAGE. An error that the server finds is a refusal: CLI_REFUSED.
static cli_exit tell_scene_error(const cli *c, const char *path, const char *text,
                                 const carom_error *error)
{
    bool about_connection = error->status == CAROM_UNAVAILABLE;
    bool about_rights =
        error->status == CAROM_PERMISSION_DENIED || error->status == CAROM_UNAUTHENTICATED;
    if (about_connection || about_rights) {
        return cli_fail(c, error);
    }
    (void)cli_file_fault(error->from_server ? carom_status_name(error->status) : CLI_CODE_FILE,
                         path, text, error->text);
    cli_hint("'carom help scene-files' describes the format");
    return error->from_server ? CLI_REFUSED : CLI_USAGE;
}

// Refuses to fill a world that has bodies, unless an option allows it.
static cli_exit make_room(cli *c, const char *world)
{
    carom_value *info = NULL;
    carom_error error = {0};
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(world));
    cli_exit code = CLI_OK;
    if (carom_call(c->client, "world.info", arguments, c->timeout_ms, &info, &error) != CAROM_OK) {
        bool absent = error.from_server && error.status == CAROM_NOT_FOUND;
        carom_value_free(arguments);
        // Without a world there is nothing to refuse; carom_scene_apply reports all other errors.
        return absent || error.status == CAROM_INVALID_ARGUMENT ? CLI_OK : cli_fail(c, &error);
    }
    uint64_t bodies = carom_get_uint(info, "bodies", 0);
    if (args_has(&c->args, "replace")) {
        code = cli_call(c, "world.destroy", carom_value_clone(arguments), NULL);
    } else if (bodies > 0 && !args_has(&c->args, "again")) {
        cli_error("already_exists", "world '%s' already has %llu %s: nothing was applied", world,
                  TEXT_COUNTED(bodies, "body", "bodies"));
        cli_hint("--replace destroys the world first, --again adds the scene to it; or name "
                 "another WORLD");
        code = CLI_REFUSED;
    }
    carom_value_free(info);
    carom_value_free(arguments);
    return code;
}

static cli_exit apply_text(cli *c, const char *path, const char *world, const char *text,
                           size_t size)
{
    carom_scene_options options = carom_scene_options_default();
    options.create = !args_has(&c->args, "no-create");
    options.paused = args_has(&c->args, "paused");
    options.timeout_ms = profile_setting(c, "timeout") != NULL ? c->timeout_ms : options.timeout_ms;
    carom_scene_result result = {0};
    carom_error error = {0};
    // the scene is checked before a world is replaced
    if (carom_scene_check(text, size, NULL, &error) != CAROM_OK) {
        return tell_scene_error(c, path, text, &error);
    }
    cli_exit code = cli_connect(c, NULL);
    code = code == CLI_OK ? make_room(c, world) : code;
    if (code != CLI_OK) {
        return code;
    }
    if (carom_scene_apply(c->client, world, text, size, &options, &result, &error) != CAROM_OK) {
        return tell_scene_error(c, path, text, &error);
    }
    print_applied(c, world, &result);
    return CLI_OK;
}

// Checks the scene for --check, which needs no server.
static cli_exit check_text(const cli *c, const char *path, const char *text, size_t size)
{
    carom_scene_result result = {0};
    carom_error error = {0};
    if (carom_scene_check(text, size, &result, &error) != CAROM_OK) {
        return tell_scene_error(c, path, text, &error);
    }
    if (c->json) {
        (void)printf("{\"commands\":%llu,\"bodies\":%llu,\"joints\":%llu}\n",
                     (unsigned long long)result.commands, (unsigned long long)result.bodies,
                     (unsigned long long)result.joints);
    } else {
        (void)printf("%s is a valid scene: %llu %s, %llu %s, %llu %s\n"
                     "Only a server can check its own limits, and that bodies named by id exist.\n",
                     path, TEXT_COUNTED(result.commands, "command", "commands"),
                     TEXT_COUNTED(result.bodies, "body", "bodies"),
                     TEXT_COUNTED(result.joints, "joint", "joints"));
    }
    return CLI_OK;
}

static cli_exit run_apply(cli *c)
{
    const char *path = args_word(&c->args, 0);
    char world[WORLD_BYTES_MAX];
    char *text = NULL;
    size_t size = 0;
    if (args_has(&c->args, "again") && args_has(&c->args, "replace")) {
        return cli_usage(c, "either --again or --replace, not both");
    }
    if (args_has(&c->args, "no-create") && args_has(&c->args, "replace")) {
        return cli_usage(c, "either --no-create or --replace, not both");
    }
    cli_exit code = cli_read_file(path, &text, &size);
    if (code != CLI_OK) {
        cli_hint_swapped(c, path, args_word(&c->args, 1));
        return code;
    }
    if (args_has(&c->args, "check")) {
        code = check_text(c, path, text, size);
    } else if (args_word(&c->args, 1) != NULL) {
        code = apply_text(c, path, args_word(&c->args, 1), text, size);
    } else if (scene_name(path, text, size, world)) {
        code = apply_text(c, path, world, text, size);
    } else {
        code = cli_usage(c, "the scene has no name: name its WORLD");
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
            {"check", 0, ARGS_FLAG, NULL, "only check the scene; needs no server", NULL},
            {"replace", 0, ARGS_FLAG, NULL, "destroy the world first if it exists", NULL},
            {"again", 0, ARGS_FLAG, NULL, "add to a world that already has bodies", NULL},
            {"paused", 'p', ARGS_FLAG, NULL, "a world that is created stays paused", NULL},
            {"no-create", 0, ARGS_FLAG, NULL, "the world must exist", NULL},
            {0}},
    .details =
        "FILE is - for standard input. Without WORLD the scene's name is taken, or the file's.\n"
        "A world that does not exist is created, with the scene's settings. A world that has "
        "bodies is left\n"
        "alone unless --again or --replace is given.",
    .examples = "  carom apply pyramid.json\n  carom apply pyramid.json yard --replace\n"
                "  carom apply --check pyramid.json\n"
                "  generate-scene | carom apply - yard --paused",
    .run = run_apply,
};

// ---- scenes

static cli_exit print_scenes(const cli *c, const carom_value *scenes)
{
    static const char *const heads[] = {"SCENE", "DESCRIPTION"};
    carom_value *names = carom_array();
    table t;
    table_init(&t, 2, heads);
    for (size_t i = 0; i < carom_value_count(scenes); i++) {
        const carom_value *scene = carom_value_at(scenes, i);
        const char *name = carom_get_str(scene, "scene", "");
        names = carom_push(names, carom_str(name));
        table_text(&t, name);
        table_text(&t, carom_get_str(scene, "description", ""));
        if (args_has(&c->args, "names") && !c->json) {
            cli_print_line("%s", name);
        }
    }
    cli_exit code = CLI_OK;
    if (c->json) {
        code = cli_print_json(args_has(&c->args, "names") ? names : scenes);
    } else if (!args_has(&c->args, "names")) {
        code = table_print(&t, stdout) ? CLI_OK : cli_out_of_memory();
    }
    carom_value_free(names);
    table_deinit(&t);
    return code;
}

static cli_exit run_scenes(cli *c)
{
    carom_value *info = NULL;
    cli_exit code = cli_call(c, "server.info", NULL, &info);
    if (code == CLI_OK) {
        carom_value *scenes = scene_list(carom_value_get(info, "scenes"));
        code = carom_value_ok(scenes) ? print_scenes(c, scenes) : cli_out_of_memory();
        carom_value_free(scenes);
    }
    carom_value_free(info);
    return code;
}

const cli_command command_scenes = {
    .name = "scenes",
    .group = "Look",
    .summary = "list the scenes that the server can fill a world with",
    .options =
        (const args_option[]){{"names", 0, ARGS_FLAG, NULL, "names alone, one a line", NULL}, {0}},
    .details = "Scenes of your own are files: 'carom apply', 'carom help scene-files'.",
    .examples = "  carom scenes\n  carom create try --scene pyramid",
    .run = run_scenes,
};
