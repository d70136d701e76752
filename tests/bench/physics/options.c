// Reads the command line of carom-bench-physics; a wrong option ends the program with a text. Main
// thread.
#include "tests/bench/physics/options.h"

#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/processor.h"

static const char USAGE[] =
    "Usage: carom-bench-physics [options]\n"
    "\n"
    "Steps the same scenes in carom and in the engines that were found when this was built, in\n"
    "turn, each run in a process of its own, and prints what a step costs and what comes of the\n"
    "scene.\n"
    "\n"
    "  --scenes LIST     of them, by comma (all)\n"
    "  --engines LIST    of them, by comma (all); ratios are to the first\n"
    "  --parts LIST      times, quality (with phases of the step), images, threads (all)\n"
    "  --rounds N        runs of each scene in each engine (3); medians are told\n"
    "  --steps N         at most that many steps of a scene\n"
    "  --fraction F      scenes of that part of their size (1)\n"
    "  --budget S        seconds after which a run stops where it is (30)\n"
    "  --threads N       in engines that can use them (1); the part `threads` compares 1 with\n"
    "                    that many, or with 2\n"
    "  --pin CPU         run on that processor; none: on any (the last one; with threads: none)\n"
    "  --clock cpu|wall  time that the thread was running, or time that went by (cpu; with\n"
    "                    threads: wall)\n"
    "  --json FILE       all figures, for programs\n"
    "  --smoke           whether everything works, as quickly as can be\n"
    "  --list            names of scenes and engines\n";

_Noreturn static void refuse(const char *what, const char *value)
{
    fprintf(stderr, "carom-bench-physics: %s: %s (--help tells more)\n", what, value);
    exit(2);
}

static double read_number(const char *text, double least, double most)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= least && value <= most)) {
        refuse("not a number that can be used here", text);
    }
    return value;
}

// The next name in a list separated by commas, or NULL; the call modifies `list`.
static char *next_name(char **list)
{
    char *name;
    do {
        name = strsep(list, ",");
    } while (name != NULL && *name == '\0');
    return name;
}

static void read_scenes(bench_options *o, char *list)
{
    int count;
    const char *const *names = scene_data_names(&count);
    o->scene_count = 0;
    for (char *name; (name = next_name(&list)) != NULL;) {
        int i = 0;
        while (i < count && strcmp(names[i], name) != 0) {
            i++;
        }
        if (i == count || o->scene_count == SCENES_MAX) {
            refuse("no such scene", name);
        }
        o->scenes[o->scene_count++] = names[i];
    }
}

static void read_engines(bench_options *o, char *list)
{
    o->engine_count = 0;
    for (char *name; (name = next_name(&list)) != NULL;) {
        const engine *e = engine_find(name);
        if (e == NULL || o->engine_count == ENGINES_MAX) {
            refuse("no such engine here", name);
        }
        o->engines[o->engine_count++] = e;
    }
    if (o->engine_count == 0) {
        refuse("no engine", "");
    }
}

static void read_parts(bench_options *o, char *list)
{
    o->parts = 0;
    for (char *name; (name = next_name(&list)) != NULL;) {
        if (strcmp(name, "times") == 0) {
            o->parts |= PART_TIMES;
        } else if (strcmp(name, "quality") == 0) {
            o->parts |= PART_LOOK;
        } else if (strcmp(name, "images") == 0) {
            o->parts |= PART_IMAGES;
        } else if (strcmp(name, "threads") == 0) {
            o->parts |= PART_THREADS;
        } else {
            refuse("no such part", name);
        }
    }
}

_Noreturn static void print_names(void)
{
    int count;
    const char *const *scenes = scene_data_names(&count);
    printf("scenes: ");
    for (int i = 0; i < count; i++) {
        printf(" %s", scenes[i]);
    }
    const engine *const *engines = engine_list(&count);
    printf("\nengines:");
    for (int i = 0; i < count; i++) {
        printf(" %s", engines[i]->name);
    }
    printf("\n");
    exit(0);
}

static bench_options defaults(void)
{
    bench_options o = {
        .parts = PART_ALL, .rounds = 3, .threads = 1, .fraction = 1.0, .budget_s = 30.0};
    const char *const *scenes = scene_data_names(&o.scene_count);
    const engine *const *engines = engine_list(&o.engine_count);
    memcpy(o.scenes, scenes, (size_t)o.scene_count * sizeof *scenes);
    memcpy(o.engines, engines, (size_t)o.engine_count * sizeof(const engine *));
    return o;
}

bench_options options_read(int argc, char **argv)
{
    enum {
        SCENES = 256,
        ENGINES,
        PARTS,
        ROUNDS,
        STEPS,
        FRACTION,
        BUDGET,
        THREADS,
        PIN,
        CLOCK,
        JSON,
        SMOKE,
        LIST,
        HELP
    };
    static const struct option OPTIONS[] = {
        {"scenes", required_argument, NULL, SCENES},
        {"engines", required_argument, NULL, ENGINES},
        {"parts", required_argument, NULL, PARTS},
        {"rounds", required_argument, NULL, ROUNDS},
        {"steps", required_argument, NULL, STEPS},
        {"fraction", required_argument, NULL, FRACTION},
        {"budget", required_argument, NULL, BUDGET},
        {"threads", required_argument, NULL, THREADS},
        {"pin", required_argument, NULL, PIN},
        {"clock", required_argument, NULL, CLOCK},
        {"json", required_argument, NULL, JSON},
        {"smoke", no_argument, NULL, SMOKE},
        {"list", no_argument, NULL, LIST},
        {"help", no_argument, NULL, HELP},
        {NULL, 0, NULL, 0},
    };
    enum { CPU_DEFAULT = -2, CPU_NONE = -1 };
    bench_options o = defaults();
    const char *clock = NULL;
    o.cpu = CPU_DEFAULT;
    for (int c; (c = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1;) {
        switch (c) {
        case SCENES:
            read_scenes(&o, optarg);
            break;
        case ENGINES:
            read_engines(&o, optarg);
            break;
        case PARTS:
            read_parts(&o, optarg);
            break;
        case ROUNDS:
            o.rounds = (int)read_number(optarg, 1, ROUNDS_MAX);
            break;
        case STEPS:
            o.steps = (int)read_number(optarg, 1, 1e6);
            break;
        case FRACTION:
            o.fraction = read_number(optarg, 1e-6, 1.0);
            break;
        case BUDGET:
            o.budget_s = read_number(optarg, 0.001, 1e6);
            break;
        case THREADS:
            o.threads = (int)read_number(optarg, 1, 64);
            break;
        case PIN:
            o.cpu = strcmp(optarg, "none") == 0 ? CPU_NONE
                                                : (int)read_number(optarg, 0, CPU_SETSIZE - 1);
            break;
        case CLOCK:
            clock = optarg;
            break;
        case JSON:
            o.json = optarg;
            break;
        case SMOKE:
            o.rounds = 1;
            o.steps = 10;
            o.fraction = 0.1;
            break;
        case LIST:
            print_names();
        case HELP:
            fputs(USAGE, stdout);
            exit(0);
        default:
            exit(2);
        }
    }
    if (optind < argc) {
        refuse("not understood", argv[optind]);
    }
    if (clock != NULL && strcmp(clock, "cpu") != 0 && strcmp(clock, "wall") != 0) {
        refuse("no such clock", clock);
    }
    bool wall = clock == NULL ? o.threads > 1 : strcmp(clock, "wall") == 0;
    o.clock = wall ? CLOCK_WALL : CLOCK_CPU;
    if (o.cpu == CPU_DEFAULT) {
        o.cpu = o.threads > 1 ? CPU_NONE : processor_last();
    }
    return o;
}
