// carom-bench-distance: the cost of predicting again, and what a prediction is worth over networks
// of several delays. Both run within this process; README.md explains the columns.
#include "tests/bench/distance/parts.h"
#include "tests/support/command_line.h"

enum { ROUNDS_MAX = 1000, SECONDS_MAX = 600 };

static const args_option OPTIONS[] = {
    {"rounds", 0, ARGS_TEXT, "N", "rollbacks measured of each world, 1 to 1000 (50)", NULL},
    {"seconds", 0, ARGS_TEXT, "N", "seconds of world time over each network, 1 to 600 (60)", NULL},
    {0},
};

static const command_line_program PROGRAM = {
    "carom-bench-distance",
    "",
    "Measures what it costs to predict again, and what a prediction is worth over networks of\n"
    "several delays.\n",
    {.options = OPTIONS}};

int main(int argc, char **argv)
{
    command_line line;
    command_line_read(&line, &PROGRAM, argc, argv);
    const int rounds = command_line_count(&line, "rounds", 50, ROUNDS_MAX);
    const int seconds = command_line_count(&line, "seconds", 60, SECONDS_MAX);
    bench_rollback(rounds);
    bench_network(seconds);
    bench_pile(seconds);
    return 0;
}
