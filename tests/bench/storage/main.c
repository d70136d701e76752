// carom-bench-storage: how fast worlds' logs are committed, beside a bare loop of write and
// fdatasync on the same disk, and beside SQLite where that was found.
//
// The methods take turns in every round, since the disk's speed varies; a figure covers all rounds.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/caromd.h"
#include "tests/bench/statistics.h"
#include "tests/bench/storage/driver.h"
#include "tests/bench/table.h"
#include "tests/support/command_line.h"

enum { MEANS_MAX = 6, COMMITS_MAX = 100000 };

typedef struct means {
    const char *name;
    double (*run)(const load *l, double *seconds);
    bool image; // measured while an image is written
    double *seconds;
    double all;
    int count;
} means;

typedef struct options {
    const char *folder;
    int commits, rounds, tries;
    size_t size;
} options;

static const args_option OPTIONS[] = {
    {"dir", 0, ARGS_FILE, "DIR", "folder on the disk to be measured (the current one)", NULL},
    {"commits", 0, ARGS_TEXT, "N", "commits of each kind in a round, 1 to 100000 (2000)", NULL},
    {"rounds", 0, ARGS_TEXT, "N", "rounds, 1 to 100 (3)", NULL},
    {"size", 0, ARGS_TEXT, "BYTES", "bytes of a record, 1 to 65536 (200)", NULL},
    {"tries", 0, ARGS_TEXT, "N", "bytes of the log that are changed, 1 to 10000 (100)", NULL},
    {0},
};

static const command_line_program PROGRAM = {
    "carom-bench-storage",
    "",
    "Measures how fast worlds' logs are committed, beside a bare loop of write and fdatasync, and\n"
    "beside SQLite where it was found.\n",
    {.options = OPTIONS}};

static options parse(int argc, char **argv)
{
    command_line line;
    command_line_read(&line, &PROGRAM, argc, argv);
    return (options){.folder = command_line_text(&line, "dir", "."),
                     .commits = command_line_count(&line, "commits", 2000, COMMITS_MAX),
                     .rounds = command_line_count(&line, "rounds", 3, 100),
                     .tries = command_line_count(&line, "tries", 100, 10000),
                     .size = (size_t)command_line_count(&line, "size", 200, 65536)};
}

static void measure(const options *o, int batch, table *t)
{
    means all[MEANS_MAX] = {{"bare", run_bare, false, NULL, 0, 0},
                            {"full", run_full, false, NULL, 0, 0},
                            {"full, image", run_full, true, NULL, 0, 0},
                            {"normal", run_normal, false, NULL, 0, 0},
                            {"normal, image", run_normal, true, NULL, 0, 0},
                            {"SQLite full", run_sqlite, false, NULL, 0, 0}};
    int count = sqlite_is_there() ? MEANS_MAX : MEANS_MAX - 1;
    size_t values = (size_t)o->commits * (size_t)o->rounds;
    for (int round = 0; round < o->rounds; round++) {
        for (int i = 0; i < count; i++) {
            means *m = &all[i];
            m->seconds = m->seconds != NULL ? m->seconds : calloc(values, sizeof *m->seconds);
            if (m->seconds == NULL) {
                give_up("no memory");
            }
            load l = {o->folder, o->commits, batch, o->size, m->image ? 3 << 20 : 0};
            m->all += m->run(&l, m->seconds + m->count);
            m->count += o->commits;
        }
    }
    double bare = all[0].all;
    double bare_median = median(all[0].seconds, (size_t)all[0].count);
    for (int i = 0; i < count; i++) {
        means *m = &all[i];
        size_t n = (size_t)m->count;
        char text[16];
        snprintf(text, sizeof text, "%d", batch);
        table_text(t, m->name);
        table_text(t, text);
        table_number(t, (double)n / m->all, 3);
        table_number(t, (double)n * batch / m->all, 3);
        table_ratio(t, m->all / bare);
        table_ratio(t, median(m->seconds, n) / bare_median);
        table_number(t, 1e3 * quantile(m->seconds, n, 0.5), 3);
        table_number(t, 1e3 * quantile(m->seconds, n, 0.99), 3);
        table_number(t, 1e3 * quantile(m->seconds, n, 0.999), 3);
        free(m->seconds);
    }
}

static void print_commits(const options *o)
{
    static const char *const HEADS[] = {
        "<log",          "batch",  "commits/s", "records/s", "time : bare",
        "median : bare", "p50 ms", "p99 ms",    "p99.9 ms",  NULL};
    table *t = table_create(HEADS);
    static const int BATCHES[] = {1, 10, 100};
    for (size_t i = 0; i < sizeof BATCHES / sizeof *BATCHES; i++) {
        measure(o, BATCHES[i], t);
    }
    printf("Commits of records of %zu bytes; \"image\": while an image of 3 MiB is written\n\n",
           o->size);
    table_print(t, stdout);
    table_free(t);
}

static void print_flips(const options *o)
{
    static const char *const HEADS[] = {"<log",     "changed",       "told",
                                        "harmless", "lost silently", NULL};
    table *t = table_create(HEADS);
    for (int i = 0; i < (sqlite_is_there() ? 2 : 1); i++) {
        flip_counts c =
            i == 0 ? flip_storage(o->folder, o->tries) : flip_sqlite(o->folder, o->tries);
        table_text(t, i == 0 ? "carom" : "SQLite");
        table_number(t, c.tries, 1);
        table_number(t, c.told, 1);
        table_number(t, c.harmless, 1);
        table_number(t, c.lost, 1);
    }
    printf("\nOne changed byte in a log of synced records that was not closed\n\n");
    table_print(t, stdout);
    table_free(t);
}

int main(int argc, char **argv)
{
    options o = parse(argc, argv);
    char folder[512];
    snprintf(folder, sizeof folder, "%s/carom-bench-storage-%d", o.folder, (int)getpid());
    if (mkdir(folder, 0700) != 0) {
        give_up("cannot make a folder in DIR");
    }
    o.folder = folder;
    print_commits(&o);
    print_flips(&o);
    // Ten minutes of a world at 60 Hz with 1000 commands a second, and an image of 10 000 bodies.
    load l = {o.folder, 0, 1, 1000, 5 << 20};
    int ticks = o.commits < 2000 ? 600 : 36000;
    printf("\nRecovery of %d records of 1000 bytes and an image of 5 MiB: %.0f ms\n", ticks,
           1e3 * run_recovery(&l, ticks));
    return rmdir(folder) == 0 ? 0 : 1;
}
