// carom-bench-network: the cost of a client's picture of a world for the network, the server and
// the client; how punctual a server is; the load that it can bear. See parts.h.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/network/parts.h"
#include "tests/bench/network/scenes.h"
#include "tests/support/command_line.h"

typedef struct part {
    const char *name;
    void (*run)(const bench_run *run);
    bool served; // the part starts a caromd
} part;

static const part PARTS[] = {
    {"bandwidth", part_bandwidth, false}, {"views", part_views, false},
    {"replica", part_replica, false},     {"lateness", part_lateness, true},
    {"memory", part_memory, true},        {"worlds", part_worlds, true},
    {"players", part_players, true},      {"seats", part_seats, true},
    {"relay", part_relay, true},
};

enum {
    PARTS_COUNT = sizeof PARTS / sizeof *PARTS,
    PATH_BYTES = 1024,
    NAMES_MAX = 16,
    NAMES_BYTES = 256,
    MOST = 4096,
};

static const args_option OPTIONS[] = {
    {"parts", 0, ARGS_TEXT, "NAME,…", "parts, in the order above (all)", NULL},
    {"scenes", 0, ARGS_TEXT, "NAME,…", "quarter, all, colliding, rest (all)", NULL},
    {"seconds", 0, ARGS_TEXT, "N", "of each figure, 0.2 to 600 (each part has its own)", NULL},
    {"most", 0, ARGS_TEXT, "N", "clients or worlds at once, 1 to 4096 (4096)", NULL},
    {"caromd", 0, ARGS_FILE, "FILE", "the server (that of the same build)", NULL},
    {"json", 0, ARGS_FILE, "FILE", "the tables, for programs", NULL},
    {"svg", 0, ARGS_FILE, "DIR", "plots", NULL},
    {0},
};

static const command_line_program PROGRAM = {
    "carom-bench-network",
    "",
    "Measures the cost of a client's picture of a world, and the load that a server can bear:\n"
    "  bandwidth   bytes of a client's picture of a world, and the coder\n"
    "  views       time of a view with an area, by the number of views\n"
    "  replica     time of a replica's tick beside the engine's own step\n"
    "  lateness    how late ticks begin, beside a bare loop that sleeps\n"
    "  memory      of a connection and of a subscription\n"
    "  worlds      how many worlds of 100 bodies a core serves at 60 Hz\n"
    "  players     how many players in one world a core serves at 60 Hz\n"
    "  seats       how many worlds of 30 players a core serves at 30 Hz\n"
    "  relay       how many watchers a relay serves from one log\n",
    {.options = OPTIONS}};

bool is_named(const char *list, const char *name)
{
    const size_t size = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, size) == 0 && (at[size] == ',' || at[size] == '\0')) {
            return true;
        }
    }
    return list == NULL;
}

// Refuses the first name in the option's list that is not one of `count` names.
static void check_names(command_line *line, const char *option, const char *(*name)(int), int count)
{
    const char *given[NAMES_MAX];
    const int given_count =
        command_line_has(line, option) ? command_line_list(line, option, "", given, NAMES_MAX) : 0;
    for (int k = 0; k < given_count; k++) {
        char known[NAMES_BYTES] = "";
        bool found = false;
        for (int i = 0; i < count; i++) {
            const size_t used = strlen(known);
            found = found || strcmp(given[k], name(i)) == 0;
            snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", name(i));
        }
        if (!found) {
            command_line_refuse(line, "--%s: no '%s'; there are %s", option, given[k], known);
        }
    }
}

static const char *part_name(int i)
{
    return PARTS[i].name;
}

static const char *scene_name(int i)
{
    int count;
    return network_scenes(&count)[i].name;
}

// Finds a program of the same build: `path` is relative to the folder of this one.
static void find_program(const char *path, char out[PATH_BYTES])
{
    char self[PATH_BYTES / 2];
    const ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    self[size > 0 ? size : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    snprintf(out, PATH_BYTES, "%s/%s", self, path);
}

typedef struct options {
    const char *parts, *json, *svg;
    bench_run run;
} options;

static void parse(command_line *line, options *o)
{
    o->parts = command_line_text(line, "parts", NULL);
    o->run.scenes = command_line_text(line, "scenes", NULL);
    o->run.seconds = command_line_number(line, "seconds", o->run.seconds, 0.2, 600);
    o->run.most = command_line_count(line, "most", MOST, MOST);
    o->run.caromd = command_line_text(line, "caromd", o->run.caromd);
    o->json = command_line_text(line, "json", NULL);
    o->svg = command_line_text(line, "svg", NULL);
}

static void check_program(const command_line *line, const char *path)
{
    struct stat file;
    if (access(path, X_OK) != 0 || stat(path, &file) != 0 || !S_ISREG(file.st_mode)) {
        command_line_refuse(line, "--caromd: %s is no program; build it, or name another", path);
    }
}

static void check(command_line *line, const options *o)
{
    struct stat folder;
    int scenes;
    network_scenes(&scenes);
    check_names(line, "parts", part_name, PARTS_COUNT);
    check_names(line, "scenes", scene_name, scenes);
    bool served = false;
    for (int i = 0; i < PARTS_COUNT; i++) {
        served = served || (PARTS[i].served && is_named(o->parts, PARTS[i].name));
    }
    if (served) {
        check_program(line, o->run.caromd);
    }
    if (o->svg != NULL && (stat(o->svg, &folder) != 0 || !S_ISDIR(folder.st_mode))) {
        command_line_refuse(line, "--svg: '%s' is no folder", o->svg);
    }
}

int main(int argc, char **argv)
{
    static char caromd[PATH_BYTES];
    options o = {.run = {.caromd = caromd}};
    command_line line;
    find_program("../../server/caromd", caromd);
    command_line_read(&line, &PROGRAM, argc, argv);
    parse(&line, &o);
    check(&line, &o);
    o.run.report = report_create("carom-bench-network", o.svg);
    for (int i = 0; i < PARTS_COUNT; i++) {
        if (is_named(o.parts, PARTS[i].name)) {
            PARTS[i].run(&o.run);
        }
    }
    int code = 0;
    if (o.json != NULL && !report_write_json(o.run.report, o.json)) {
        fprintf(stderr, "carom-bench-network: --json: cannot write '%s'\n", o.json);
        code = 1;
    }
    report_free(o.run.report);
    return code;
}
