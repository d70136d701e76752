// carom-bench-scale: the cost of a step and the memory of a body, from a hundred bodies to two
// hundred thousand, in carom and, if it was found, in Box2D 3; see subject.h for the worlds.
//
// The wall grows sideways, so that the work per body stays the same: growth beyond proportional
// comes from the engine or from memory. A bare sweep over as many bytes shows memory's part.
//
// Finally, the gain of many small worlds from several threads.
#include "tests/bench/processor.h"
#include "tests/bench/scale/growth.h"
#include "tests/bench/scale/subject.h"
#include "tests/bench/scale/worlds.h"
#include "tests/support/command_line.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <string.h>

#define WORLDS_SECONDS 3.0 // time for each number of threads

enum {
    ROUNDS = 3,
    RUN_BODIES_MAX = 1000000, // five times the measured maximum
    RUN_STEPS_MAX = 100000    // half an hour of a world at 60 Hz
};

static const args_option OPTIONS[] = {
    {"most", 0, ARGS_TEXT, "BODIES", "bodies of the largest world, at least 100 (200000)", NULL},
    {"rounds", 0, ARGS_TEXT, "COUNT", "rounds, 1 to 16 (3)", NULL},
    {"svg", 0, ARGS_FILE, "FILE", "a plot of it", NULL},
    {"run", 0, ARGS_TEXT, "KIND:BODIES:STEPS",
     "only steps a world (spread, piled or asleep), for tools\n"
     "                        that count instructions",
     NULL},
    {0},
};

static const command_line_program PROGRAM = {
    "carom-bench-scale",
    "",
    "Prints the time of a step and the memory of a body, by the number of bodies, and how many\n"
    "small worlds several threads step.\n",
    {.options = OPTIONS}};

// Only steps one of carom's worlds: for profilers that count, and are not affected by time.
static void run_alone(const command_line *line, const char *text)
{
    char name[16] = "";
    unsigned bodies = 0;
    unsigned steps = 0;
    int end = 0;
    kind what = 0;
    // As many digits as the limits have, so that nothing overflows.
    sscanf(text, "%15[a-z]:%7u:%6u%n", name, &bodies, &steps, &end);
    while (what < KIND_COUNT && strcmp(name, kind_name(what)) != 0) {
        what++;
    }
    if (what == KIND_COUNT || end == 0 || text[end] != '\0' || bodies < 1 ||
        bodies > RUN_BODIES_MAX || steps < 1 || steps > RUN_STEPS_MAX) {
        command_line_refuse(line,
                            "--run: spread, piled or asleep, 1 to %d bodies, 1 to %d steps, as "
                            "piled:20000:100; not '%s'",
                            RUN_BODIES_MAX, RUN_STEPS_MAX, text);
    }
    subject *s = subject_create(0, what, bodies);
    for (unsigned i = 0; i < steps; i++) {
        subject_step(s);
    }
    subject_free(s);
}

int main(int argc, char **argv)
{
    command_line line;
    command_line_read(&line, &PROGRAM, argc, argv);
    const char *svg = command_line_text(&line, "svg", NULL);
    const double most = command_line_number(&line, "most", 200000, 100, 1e6);
    const int rounds = command_line_count(&line, "rounds", ROUNDS, ROUNDS_MAX);
    if (command_line_has(&line, "run")) {
        run_alone(&line, command_line_text(&line, "run", NULL));
        return 0;
    }
    cpu_set_t all;
    bool known = sched_getaffinity(0, sizeof all, &all) == 0;
    int processors = processor_count();
    processor_pin(processor_last());
    static growth g;
    growth_measure(&g, most, rounds);
    growth_print(&g);
    if (known) {
        sched_setaffinity(0, sizeof all, &all);
    }
    worlds_print(processors, most < 1000 ? 0.05 : WORLDS_SECONDS);
    if (svg != NULL && !growth_plot(&g, svg)) {
        fprintf(stderr, "carom-bench-scale: cannot write %s\n", svg);
        return 1;
    }
    return 0;
}
