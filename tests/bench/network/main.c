// carom-bench-network: the cost of a client's picture of a world for the network, the server and
// the client; how punctual a server is; the load that it can bear. See parts.h.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/network/parts.h"
#include "tests/bench/network/scenes.h"

typedef struct part {
    const char *name;
    void (*run)(const bench_run *run);
    bool served; // the part starts a caromd
    const char *about;
} part;

static const part PARTS[] = {
    {"bandwidth", part_bandwidth, false, "bytes of a client's picture of a world, and the coder"},
    {"views", part_views, false, "time of a view with an area, by how many there are"},
    {"replica", part_replica, false, "time of a replica's tick beside the engine's own step"},
    {"lateness", part_lateness, true, "how late ticks begin, beside a bare loop that sleeps"},
    {"memory", part_memory, true, "of a connection and of a subscription"},
    {"worlds", part_worlds, true, "how many worlds of 100 bodies a core carries at 60 Hz"},
    {"players", part_players, true, "how many players in one world a core carries at 60 Hz"},
};

enum {
    PARTS_COUNT = sizeof PARTS / sizeof *PARTS,
    PATH_BYTES = 1024,
    SECONDS_MAX = 600,
    MOST = 4096,
};

#define SECONDS_MIN 0.2

static void print_usage(FILE *out)
{
    fputs("Usage: carom-bench-network [--parts NAME,…] [--scenes NAME,…] [--seconds N] [--most N]\n"
          "                           [--caromd FILE] [--json FILE] [--svg DIR]\n\n"
          "Parts (all of them, in this order):\n",
          out);
    for (int i = 0; i < PARTS_COUNT; i++) {
        fprintf(out, "  %-10s %s\n", PARTS[i].name, PARTS[i].about);
    }
    fprintf(out,
            "\nScenes: quarter, all, colliding, rest. --seconds: of each figure, %g to %d (each "
            "part\nhas its own). --most: clients or worlds at once, 1 to %d (%d). --caromd: the "
            "program\n(that of the same build). --json and --svg: the tables for programs, and "
            "plots.\n",
            SECONDS_MIN, SECONDS_MAX, MOST, MOST);
}

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

// Whether each name in the list is one of `count` names; reports the first that is not.
static bool check_names(const char *option, const char *list, const char *(*name)(int), int count)
{
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        const int size = (int)strcspn(at, ",");
        bool known = false;
        for (int i = 0; i < count; i++) {
            known = known || (strncmp(at, name(i), (size_t)size) == 0 && name(i)[size] == '\0');
        }
        if (!known) {
            fprintf(stderr, "carom-bench-network: %s: no '%.*s'; there are", option, size, at);
            for (int i = 0; i < count; i++) {
                fprintf(stderr, "%s %s", i > 0 ? "," : "", name(i));
            }
            fputc('\n', stderr);
            return false;
        }
    }
    return true;
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

static bool parse_number(const char *option, const char *text, double smallest, int largest,
                         double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || !(*out >= smallest && *out <= largest)) {
        fprintf(stderr, "carom-bench-network: %s: %g to %d, not '%s'\n", option, smallest, largest,
                text);
        return false;
    }
    return true;
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

// Reads the options. Returns false if the program must end, with *code.
static bool parse(int argc, char **argv, options *o, int *code)
{
    static const struct option OPTIONS[] = {{"parts", required_argument, NULL, 'p'},
                                            {"scenes", required_argument, NULL, 's'},
                                            {"seconds", required_argument, NULL, 'n'},
                                            {"most", required_argument, NULL, 'm'},
                                            {"caromd", required_argument, NULL, 'd'},
                                            {"json", required_argument, NULL, 'j'},
                                            {"svg", required_argument, NULL, 'v'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    double most = MOST;
    bool good = true;
    *code = 2;
    for (int c; good && (c = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1;) {
        switch (c) {
        case 'p':
            o->parts = optarg;
            break;
        case 's':
            o->run.scenes = optarg;
            break;
        case 'n':
            good = parse_number("--seconds", optarg, SECONDS_MIN, SECONDS_MAX, &o->run.seconds);
            break;
        case 'm':
            good = parse_number("--most", optarg, 1.0, MOST, &most);
            break;
        case 'd':
            o->run.caromd = optarg;
            break;
        case 'j':
            o->json = optarg;
            break;
        case 'v':
            o->svg = optarg;
            break;
        case 'h':
            print_usage(stdout);
            *code = 0;
            return false;
        default:
            print_usage(stderr);
            return false;
        }
    }
    o->run.most = (int)most;
    if (good && optind < argc) {
        fprintf(stderr, "carom-bench-network: what is '%s'?\n", argv[optind]);
        good = false;
    }
    return good;
}

static bool check_program(const char *option, const char *path)
{
    struct stat file;
    if (access(path, X_OK) != 0 || stat(path, &file) != 0 || !S_ISREG(file.st_mode)) {
        fprintf(stderr, "carom-bench-network: %s: %s is no program; build it, or name another\n",
                option, path);
        return false;
    }
    return true;
}

static bool check(const options *o)
{
    struct stat folder;
    int scenes;
    network_scenes(&scenes);
    bool served = false;
    if (!check_names("--parts", o->parts, part_name, PARTS_COUNT) ||
        !check_names("--scenes", o->run.scenes, scene_name, scenes)) {
        return false;
    }
    for (int i = 0; i < PARTS_COUNT; i++) {
        served = served || (PARTS[i].served && is_named(o->parts, PARTS[i].name));
    }
    if (served && !check_program("--caromd", o->run.caromd)) {
        return false;
    }
    if (o->svg != NULL && (stat(o->svg, &folder) != 0 || !S_ISDIR(folder.st_mode))) {
        fprintf(stderr, "carom-bench-network: --svg: '%s' is no folder\n", o->svg);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static char caromd[PATH_BYTES];
    options o = {.run = {.caromd = caromd}};
    int code;
    find_program("../../server/caromd", caromd);
    if (!parse(argc, argv, &o, &code)) {
        return code;
    }
    if (!check(&o)) {
        return 2;
    }
    o.run.report = report_create("carom-bench-network", o.svg);
    for (int i = 0; i < PARTS_COUNT; i++) {
        if (is_named(o.parts, PARTS[i].name)) {
            PARTS[i].run(&o.run);
        }
    }
    code = 0;
    if (o.json != NULL && !report_write_json(o.run.report, o.json)) {
        fprintf(stderr, "carom-bench-network: --json: cannot write '%s'\n", o.json);
        code = 1;
    }
    report_free(o.run.report);
    return code;
}
