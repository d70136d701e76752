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

#include <getopt.h>
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

// Only steps one of carom's worlds: for profilers that count, and are not affected by time.
static bool run_alone(const char *text)
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
        fprintf(stderr,
                "carom-bench-scale: --run: spread, piled or asleep, 1 to %d bodies, 1 to %d steps, "
                "as piled:20000:100; not %s\n",
                RUN_BODIES_MAX, RUN_STEPS_MAX, text);
        return false;
    }
    subject *s = subject_create(0, what, bodies);
    for (unsigned i = 0; i < steps; i++) {
        subject_step(s);
    }
    subject_free(s);
    return true;
}

int main(int argc, char **argv)
{
    static const struct option OPTIONS[] = {
        {"svg", required_argument, NULL, 's'},    {"most", required_argument, NULL, 'm'},
        {"rounds", required_argument, NULL, 'r'}, {"run", required_argument, NULL, 'u'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    const char *svg = NULL;
    double most = 200000;
    long rounds = ROUNDS;
    for (int c; (c = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1;) {
        switch (c) {
        case 's':
            svg = optarg;
            break;
        case 'm':
            most = strtod(optarg, NULL);
            break;
        case 'r':
            rounds = strtol(optarg, NULL, 10);
            break;
        case 'u':
            return run_alone(optarg) ? 0 : 2;
        case 'h':
            printf("Usage: carom-bench-scale [--most BODIES] [--rounds COUNT] [--svg FILE]\n"
                   "       carom-bench-scale --run spread|piled|asleep:BODIES:STEPS\n\n"
                   "Prints what a step costs and what a body takes of memory, by the number of "
                   "bodies,\nand draws a plot of it; and how many small worlds several threads "
                   "step. With --run\nit only steps such a world, for tools that count "
                   "instructions.\n");
            return 0;
        default:
            return 2;
        }
    }
    if (rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "carom-bench-scale: --rounds: 1 to %d\n", ROUNDS_MAX);
        return 2;
    }
    cpu_set_t all;
    bool known = sched_getaffinity(0, sizeof all, &all) == 0;
    int processors = processor_count();
    processor_pin(processor_last());
    static growth g;
    if (!growth_measure(&g, most, (int)rounds)) {
        fprintf(stderr, "carom-bench-scale: --most: at least 100\n");
        return 2;
    }
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
