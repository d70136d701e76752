// See command.h.
#include "client/load/command.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/tool/credentials.h"

#define PROGRAM "carom-load"

// Finds the program beside this one: an installation outside PATH has both.
static bool find_beside(char out[PATH_MAX])
{
    char self[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    if (size < 0) {
        return false;
    }
    self[size] = '\0';
    int length = snprintf(out, PATH_MAX, "%s/" PROGRAM, dirname(self));
    return length < PATH_MAX && access(out, X_OK) == 0;
}

static bool add(char **words, size_t *count, const char *before, const char *word)
{
    bool good = asprintf(&words[*count], "%s%s", before, word) >= 0;
    if (!good) {
        words[*count] = NULL; // if memory has run out, the content does not matter
        return false;
    }
    *count += 1;
    return true;
}

static void free_words(char **words)
{
    for (size_t i = 0; words != NULL && words[i] != NULL; i++) {
        free(words[i]);
    }
    free(words);
}

// Makes the command line for carom-load: each given option as one word with its value. A token is
// passed in the environment, since everyone on the machine can read a command line. NULL when
// memory has run out. The strings stay until exec or exit.
static char **hand_on(const cli *c)
{
    const args *a = &c->args;
    bool token = credentials_hand_on(c);
    size_t count = 0;
    char **words = calloc(2 * a->given_count + 2, sizeof *words);
    bool good = words != NULL && add(words, &count, "", BENCH_CALLED);
    for (size_t i = 0; good && i < a->given_count; i++) {
        const args_given *given = &a->given[i];
        if (token && strncmp(given->option->name, "token", 5) == 0) {
            continue; // skips --token-file too: --token precedes it
        }
        good = add(words, &count, "--", given->option->name) &&
               (given->value == NULL || add(words, &count, "", given->value));
    }
    if (!good) {
        free_words(words);
        return NULL;
    }
    return words;
}

static cli_exit start(cli *c)
{
    char path[PATH_MAX];
    char **words = hand_on(c);
    if (words == NULL) {
        return cli_out_of_memory();
    }
    if (find_beside(path)) {
        (void)execv(path, words);
    } else {
        (void)execvp(PROGRAM, words);
    }
    const int failed = errno;
    free_words(words);
    cli_error("unavailable", "cannot start " PROGRAM ": %s", strerror(failed));
    cli_hint("it is installed with carom, in the same folder or in one of PATH");
    return CLI_REFUSED;
}

const cli_command command_bench = {
    .name = "bench",
    .group = "Server",
    .summary = "measure the server with many connections",
    .options =
        (const args_option[]){
            {"connections", 'c', ARGS_WHOLE, "N", "players: clients that command (default 10)",
             NULL},
            {"watchers", 0, ARGS_WHOLE, "N", "clients that only watch, besides (default 0)", NULL},
            {"stage", 0, ARGS_TEXT, "TIME:N,...", "ramps of clients: 30s:100,2m:1000,10s:0", NULL},
            {"time", 'd', ARGS_SECONDS, "TIME", "duration (default 10s)", NULL},
            {"rate", 'r', ARGS_NUMBER, "N", "commands a second of each connection (default 60)",
             NULL},
            {"window", 'w', ARGS_WHOLE, "N", "instead: as fast as possible, N in flight", NULL},
            {"snapshots", 0, ARGS_NUMBER, "N", "snapshots a second (default: one a tick)", NULL},
            {"no-snapshots", 0, ARGS_FLAG, NULL, "send only commands", NULL},
            {"encoding", 0, ARGS_TEXT, "WORD",
             "packed (default), plain, log, or a mix: packed=3,plain=1", NULL},
            {"area", 0, ARGS_BOX, "WxH", "a view of its own for each client, in metres", NULL},
            {"bodies", 'b', ARGS_WHOLE, "N", "moving bodies in its own world (default 100)", NULL},
            {"hz", 0, ARGS_NUMBER, "N", "ticks a second of that world (default 60)", NULL},
            {"world", 0, ARGS_WORLD, "WORLD", "use this world and leave it as it was", NULL},
            {"no-reconnect", 0, ARGS_FLAG, NULL, "a connection that ends in a fleet is lost", NULL},
            {"worlds", 0, ARGS_WHOLE, "N", "number of its own worlds (default 1)", NULL},
            {"threads", 0, ARGS_WHOLE, "N", "threads of this program (default 1)", NULL},
            {"relay", 0, ARGS_TEXT, "NAME=VALUE,...",
             "put clients at a distance: delay=50ms,jitter=10ms,stall=1%", NULL},
            {"scenario", 0, ARGS_FILE, "FILE", "what clients do ('carom help load-scenarios')",
             NULL},
            {"check", 0, ARGS_FLAG, NULL, "only check the scenario; needs no server", NULL},
            {"fail-if", 0, ARGS_TEXT, "CONDITION",
             "exit with 4 if it is true: p99>20ms, errors>0.1%", NULL},
            {"csv", 0, ARGS_FILE, "FILE", "write the run, a row a second, and its sums", NULL},
            {"html", 0, ARGS_FILE, "FILE", "write a page with plots that needs no network", NULL},
            {0}},
    .details =
        "Each connection subscribes, and strikes a body of its own to and fro; watchers only "
        "subscribe.\n"
        "Without --world it makes a world and removes it. --stage ramps the clients linearly: each "
        "stage\n"
        "leads to its number over its time; --connections and --watchers then give their "
        "shares.\n\n"
        "Latencies run from the time a command was due, also while a server stalls; with --window, "
        "where\n"
        "nothing is due, the commands that a stall kept back are added. An answer comes when the "
        "command has\n"
        "been applied: 'wait' is the wait for that tick, 'above' the rest. 'seen' ends with the "
        "first\n"
        "snapshot that shows the command; 'age' is a snapshot's delay behind the earliest arrival "
        "of its\n"
        "tick, plus half a ping; 'jitter' the difference of its interval from the expected one.\n\n"
        "--fail-if (may be repeated) is NAME, > >= < or <=, and a number. NAME is a latency (ack "
        "wait above\n"
        "sent seen query age jitter rtt connect lag; of the server step delay) and .p50 .p99 "
        ".p99.9 ... .max\n"
        "or .mean, with us, ms or s after the number; p99 alone is ack.p99. Or it is a count: "
        "errors lost\n"
        "dropped refused unsent unanswered late (ticks) skipped (snapshots), all with % for a "
        "share;\n"
        "rate (of the worlds' hz, in %); clients commands/s snapshots/s; bytes_in/s bytes_out/s of "
        "a\n"
        "client, with KB, MB, GB. A figure that was not measured fails too.\n\n"
        "A --world of a fleet is followed to the server that has it. When that server dies, "
        "clients\n"
        "go on with their sessions at the standby: such connections count as dropped and resumed.\n"
        "--no-reconnect counts them as lost.\n\n"
        "--relay sends the clients' bytes through a relay in this program: delay, jitter, stall, "
        "stall-time\n"
        "and seed are the options of 'carom relay'. Latencies then hold the way there and back.\n\n"
        "Exits with 4 when a --fail-if came true; with 1 when a command failed or a connection was "
        "lost,\n"
        "unless a --fail-if speaks of errors, lost, refused, unsent or unanswered; with 3 when "
        "all\n"
        "connections were lost.",
    .examples = "  carom bench\n  carom bench --connections "
                "200 --rate 30 --time 30s\n"
                "  carom bench --connections 100 --watchers 1000 --encoding packed --threads 2\n"
                "  carom bench --stage 30s:100,2m:1000,10s:0 --area 60x40\n"
                "  carom bench --connections 8 --window 32 --no-snapshots --json\n"
                "  carom bench --scenario arena.json --connections 200 --html report.html\n"
                "  carom bench --fail-if 'p99>20ms' --fail-if 'late>0.1%' --csv report.csv",
    .run = start,
};
