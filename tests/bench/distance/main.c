// carom-bench-distance: the cost of predicting again, and what a prediction is worth over networks
// of several delays. Both run within this process; README.md explains the columns.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/distance/parts.h"

enum { ROUNDS_MAX = 1000, SECONDS_MAX = 600 };

static int read_number(const char *text, int most, const char *name)
{
    char *end;
    const long value = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value < 1 || value > most) {
        fprintf(stderr, "carom-bench-distance: --%s: 1 to %d, not %s\n", name, most, text);
        exit(2);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"rounds", required_argument, NULL, 'r'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    int rounds = 50;
    int seconds = 60;
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 'r') {
            rounds = read_number(optarg, ROUNDS_MAX, "rounds");
        } else if (c == 's') {
            seconds = read_number(optarg, SECONDS_MAX, "seconds");
        } else {
            printf("usage: carom-bench-distance [--rounds N] [--seconds N]\n"
                   "  --rounds N    rollbacks that are measured of each world (50)\n"
                   "  --seconds N   of the world's time, over each network (60)\n");
            return c == 'h' ? 0 : 2;
        }
    }
    bench_rollback(rounds);
    bench_network(seconds);
    bench_pile(seconds);
    return 0;
}
