// Reads the command line of carom-bench-physics; a wrong option ends the program with a text. Main
// thread.
#include "tests/bench/physics/options.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/processor.h"
#include "tests/support/command_line.h"

static const args_option OPTIONS[] = {
    {"scenes", 0, ARGS_TEXT, "LIST", "scenes, separated by commas (all)", NULL},
    {"engines", 0, ARGS_TEXT, "LIST", "engines (all); ratios are to the first", NULL},
    {"parts", 0, ARGS_TEXT, "LIST",
     "times, quality (with phases of the step), images, threads (all)", NULL},
    {"rounds", 0, ARGS_TEXT, "N", "runs of each scene in each engine, 1 to 64 (3)", NULL},
    {"steps", 0, ARGS_TEXT, "N", "most steps of a scene, 1 to 1000000 (its own)", NULL},
    {"fraction", 0, ARGS_TEXT, "F", "scenes of that part of their size, 1e-06 to 1 (1)", NULL},
    {"budget", 0, ARGS_TEXT, "S", "seconds after which a run stops where it is (30)", NULL},
    {"threads", 0, ARGS_TEXT, "N", "threads of engines that can use them, 1 to 64 (1)", NULL},
    {"pin", 0, ARGS_TEXT, "CPU", "processor of the runs; none: any (the last; with threads: none)",
     NULL},
    {"clock", 0, ARGS_CHOICE, "CLOCK",
     "cpu: time that the thread ran; wall: time that passed (cpu; with\n"
     "                        threads: wall)",
     "cpu|wall"},
    {"json", 0, ARGS_FILE, "FILE", "all figures, for programs", NULL},
    {"smoke", 0, ARGS_FLAG, NULL, "small and short runs, to see that everything works", NULL},
    {"list", 0, ARGS_FLAG, NULL, "names of scenes and engines", NULL},
    {0},
};

static const command_line_program PROGRAM = {
    "carom-bench-physics",
    "",
    "Steps the same scenes in carom and in the engines that were found when this was built, in\n"
    "turn, each run in a process of its own, and prints the cost of a step and the state at the\n"
    "end. The part `threads` compares one thread with --threads, or with two.\n",
    {.options = OPTIONS}};

enum { PARTS_MAX = 8, CPU_NONE = -1 };

static void read_scenes(bench_options *o, command_line *line)
{
    const char *given[SCENES_MAX];
    int count;
    const char *const *names = scene_data_names(&count);
    o->scene_count = command_line_list(line, "scenes", "", given, SCENES_MAX);
    for (int k = 0; k < o->scene_count; k++) {
        int i = 0;
        while (i < count && strcmp(names[i], given[k]) != 0) {
            i++;
        }
        if (i == count) {
            command_line_refuse(line, "--scenes: no such scene: %s", given[k]);
        }
        o->scenes[k] = names[i];
    }
}

static void read_engines(bench_options *o, command_line *line)
{
    const char *given[ENGINES_MAX];
    o->engine_count = command_line_list(line, "engines", "", given, ENGINES_MAX);
    for (int k = 0; k < o->engine_count; k++) {
        o->engines[k] = engine_find(given[k]);
        if (o->engines[k] == NULL) {
            command_line_refuse(line, "--engines: no such engine here: %s", given[k]);
        }
    }
}

static unsigned read_parts(command_line *line)
{
    static const char *const NAMES[] = {"times", "quality", "images", "threads"};
    static const unsigned BITS[] = {PART_TIMES, PART_LOOK, PART_IMAGES, PART_THREADS};
    const char *given[PARTS_MAX];
    const int count =
        command_line_list(line, "parts", "times,quality,images,threads", given, PARTS_MAX);
    unsigned parts = 0;
    for (int k = 0; k < count; k++) {
        int i = 0;
        while (i < 4 && strcmp(NAMES[i], given[k]) != 0) {
            i++;
        }
        if (i == 4) {
            command_line_refuse(line, "--parts: no such part: %s", given[k]);
        }
        parts |= BITS[i];
    }
    return parts;
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

// All scenes and all engines.
static bench_options defaults(void)
{
    bench_options o = {0};
    const char *const *scenes = scene_data_names(&o.scene_count);
    const engine *const *engines = engine_list(&o.engine_count);
    memcpy(o.scenes, scenes, (size_t)o.scene_count * sizeof *scenes);
    memcpy(o.engines, engines, (size_t)o.engine_count * sizeof(const engine *));
    return o;
}

// Runs with several threads are not pinned, and their time is that of the wall clock.
static void read_processor(bench_options *o, const command_line *line)
{
    const bool alone = o->threads == 1;
    const char *pin = command_line_text(line, "pin", alone ? NULL : "none");
    const char *clock = command_line_text(line, "clock", alone ? "cpu" : "wall");
    o->clock = strcmp(clock, "wall") == 0 ? CLOCK_WALL : CLOCK_CPU;
    if (pin == NULL) {
        o->cpu = processor_last();
    } else if (strcmp(pin, "none") == 0) {
        o->cpu = CPU_NONE;
    } else {
        o->cpu = (int)command_line_number(line, "pin", 0, 0, CPU_SETSIZE - 1);
    }
}

bench_options options_read(int argc, char **argv)
{
    command_line line;
    command_line_read(&line, &PROGRAM, argc, argv);
    if (command_line_has(&line, "list")) {
        print_names();
    }
    bench_options o = defaults();
    if (command_line_has(&line, "scenes")) {
        read_scenes(&o, &line);
    }
    if (command_line_has(&line, "engines")) {
        read_engines(&o, &line);
    }
    const bool smoke = command_line_has(&line, "smoke");
    o.parts = read_parts(&line);
    o.rounds = command_line_count(&line, "rounds", smoke ? 1 : 3, ROUNDS_MAX);
    o.steps = command_line_count(&line, "steps", smoke ? 10 : 0, 1000000);
    o.fraction = command_line_number(&line, "fraction", smoke ? 0.1 : 1.0, 1e-6, 1.0);
    o.budget_s = command_line_number(&line, "budget", 30.0, 0.001, 1e6);
    o.threads = command_line_count(&line, "threads", 1, 64);
    o.json = command_line_text(&line, "json", NULL);
    read_processor(&o, &line);
    return o;
}
