// top: the server's load as it goes: worlds, rates, lateness, clients, traffic. Main thread only.
//
// Every interval three answers are taken (server.info, server.stats, world.list); counters
// are shown as rates over the interval. On a terminal it takes the screen until q; otherwise, or
// with --count, it prints one table after the other.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/picture/terminal.h"
#include "client/cli/show.h"
#include "client/cli/table.h"
#include "client/cli/text.h"

enum { WORLDS_MAX = 256, NAME_BYTES = 65, PAUSE_MS = 200 };

#define INTERVAL_MIN_S 0.1

// Counts of a world at the last look.
typedef struct seen_world {
    char name[NAME_BYTES];
    uint64_t epoch, ticks_late;
} seen_world;

typedef struct top {
    cli *c;
    carom_value *info, *stats, *worlds; // of this look
    carom_value *before;                // server.stats of the look before, NULL at first
    double at, past;                    // when this look was [s], and how long after the one before
    seen_world seen[WORLDS_MAX];
    size_t seen_count;
    const carom_value *order[WORLDS_MAX]; // of worlds, the busiest first
    size_t count;
} top;

// ---- looking

// Milliseconds of a processor that the world takes each second.
static double busy_ms(const carom_value *world)
{
    return carom_get_real(world, "step_ms", 0.0) * carom_get_real(world, "rate", 0.0);
}

static int compare_busy(const void *a, const void *b)
{
    double x = busy_ms(*(const carom_value *const *)a);
    double y = busy_ms(*(const carom_value *const *)b);
    return x > y ? -1 : x < y ? 1 : 0;
}

static void forget(top *t)
{
    carom_value_free(t->info);
    carom_value_free(t->stats);
    carom_value_free(t->worlds);
    t->info = t->stats = t->worlds = NULL;
}

static cli_exit look(top *t)
{
    carom_value_free(t->before);
    t->before = t->stats;
    t->stats = NULL;
    forget(t);
    double now = cli_now();
    t->past = now - t->at;
    t->at = now;
    cli_exit code = cli_call(t->c, "server.info", NULL, &t->info);
    code = code == CLI_OK ? cli_call(t->c, "server.stats", NULL, &t->stats) : code;
    code = code == CLI_OK ? cli_call(t->c, "world.list", NULL, &t->worlds) : code;
    t->count = 0;
    for (size_t i = 0; i < carom_value_count(t->worlds) && i < WORLDS_MAX; i++) {
        t->order[t->count++] = carom_value_at(t->worlds, i);
    }
    qsort(t->order, t->count, sizeof t->order[0], compare_busy);
    return code;
}

// How fast a counter of server.stats grew in the interval [1/s]; 0 at the first look.
static double per_second(const top *t, const char *path)
{
    if (t->before == NULL || t->past <= 0.0) {
        return 0.0;
    }
    double more = carom_get_real(t->stats, path, 0.0) - carom_get_real(t->before, path, 0.0);
    return more > 0.0 ? more / t->past : 0.0;
}

// Ticks that the world began late since the look before.
static uint64_t late_since(const top *t, const carom_value *world)
{
    const char *name = carom_get_str(world, "world", "");
    uint64_t now = carom_get_uint(world, "ticks_late", 0);
    for (size_t i = 0; i < t->seen_count; i++) {
        const seen_world *s = &t->seen[i];
        if (strcmp(s->name, name) == 0 && s->epoch == carom_get_uint(world, "epoch", 0)) {
            return now > s->ticks_late ? now - s->ticks_late : 0;
        }
    }
    return 0;
}

static void remember(top *t)
{
    t->seen_count = t->count;
    for (size_t i = 0; i < t->count; i++) {
        const carom_value *world = t->order[i];
        (void)snprintf(t->seen[i].name, NAME_BYTES, "%s", carom_get_str(world, "world", ""));
        t->seen[i].epoch = carom_get_uint(world, "epoch", 0);
        t->seen[i].ticks_late = carom_get_uint(world, "ticks_late", 0);
    }
}

// ---- showing

// Bytes that the server's process has in use; negative when it does not tell.
static double memory_bytes(const top *t)
{
    double told = carom_get_real(t->stats, "counters.memory_bytes", 0.0);
    return told > 0.0 ? told : -1.0;
}

static void print_head(const top *t, FILE *out)
{
    char up[32];
    char in[32];
    char sent[32];
    char memory[32];
    char step[32];
    text_from_duration(carom_get_real(t->info, "uptime", 0.0), up, sizeof up);
    text_from_bytes(per_second(t, "counters.bytes_received"), in, sizeof in);
    text_from_bytes(per_second(t, "counters.bytes_sent"), sent, sizeof sent);
    text_from_seconds(carom_get_real(t->stats, "latencies.delay.p99", 0.0), step, sizeof step);
    (void)fprintf(out, "caromd %s at %s  up %s  sessions %llu  worlds %llu",
                  carom_get_str(t->info, "version", "?"), t->c->server, up,
                  (unsigned long long)carom_get_uint(t->info, "sessions", 0),
                  (unsigned long long)carom_get_uint(t->info, "worlds", 0));
    if (memory_bytes(t) >= 0.0) {
        text_from_bytes(memory_bytes(t), memory, sizeof memory);
        (void)fprintf(out, "  memory %s", memory);
    }
    (void)fprintf(out,
                  "\nrequests %.0f/s  snapshots %.0f/s  in %s/s  out %s/s  ticks late %.1f/s  "
                  "p99 of lateness %s\n",
                  per_second(t, "counters.requests"), per_second(t, "counters.snapshots_sent"), in,
                  sent, per_second(t, "counters.ticks_late"), step);
}

// The worlds, at most `rows` of them.
static bool print_worlds(const top *t, size_t rows, FILE *out)
{
    static const char *const heads[] = {"WORLD", "STATE",   ">RATE [Hz]", ">LATE",     ">STEP [ms]",
                                        ">LOAD", ">BODIES", ">AWAKE",     ">CONTACTS", ">WATCHERS"};
    table list;
    table_init(&list, 10, heads);
    for (size_t i = 0; i < t->count && i < rows; i++) {
        const carom_value *world = t->order[i];
        show_cell(&list, carom_value_get(world, "world"));
        table_text(&list, show_world_state(world));
        table_format(&list, "%.1f/%g", carom_get_real(world, "rate", 0.0),
                     carom_get_real(world, "hz", 0.0));
        table_format(&list, "%llu", (unsigned long long)late_since(t, world));
        table_format(&list, "%.3f", carom_get_real(world, "step_ms", 0.0));
        table_format(&list, "%.1f %%", busy_ms(world) / 10.0);
        show_cell(&list, carom_value_get(world, "bodies"));
        show_cell(&list, carom_value_get(world, "awake"));
        show_cell(&list, carom_value_get(world, "contacts"));
        show_cell(&list, carom_value_get(world, "subscribers"));
    }
    bool whole = table_print(&list, out);
    table_deinit(&list);
    if (t->count > rows) {
        (void)fprintf(out, "and %zu more\n", t->count - rows);
    }
    return whole;
}

static cli_exit print_json(const top *t)
{
    carom_value *v =
        carom_set(carom_map(), "uptime", carom_real(carom_get_real(t->info, "uptime", 0.0)));
    carom_value *worlds = carom_array();
    static const char *const rates[][2] = {{"requests_per_second", "counters.requests"},
                                           {"snapshots_per_second", "counters.snapshots_sent"},
                                           {"bytes_in_per_second", "counters.bytes_received"},
                                           {"bytes_out_per_second", "counters.bytes_sent"},
                                           {"ticks_late_per_second", "counters.ticks_late"}};
    carom_set(v, "sessions", carom_uint(carom_get_uint(t->info, "sessions", 0)));
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        carom_set(v, rates[i][0], carom_real(per_second(t, rates[i][1])));
    }
    if (memory_bytes(t) >= 0.0) {
        carom_set(v, "memory_bytes", carom_real(memory_bytes(t)));
    }
    for (size_t i = 0; i < t->count; i++) {
        carom_value *world = carom_value_clone(t->order[i]);
        worlds = carom_push(worlds, carom_set(world, "late", carom_uint(late_since(t, world))));
    }
    carom_set(v, "worlds", worlds);
    cli_exit code = carom_value_ok(v) ? cli_print_json(v) : cli_out_of_memory();
    carom_value_free(v);
    return code;
}

static cli_exit show(const top *t, bool screen)
{
    int columns = 0;
    int rows = 0;
    if (t->c->json) {
        return print_json(t);
    }
    terminal_size(&columns, &rows);
    if (!screen) {
        print_head(t, stdout);
        return print_worlds(t, WORLDS_MAX, stdout) ? CLI_OK : cli_out_of_memory();
    }
    (void)fputs("\x1b[H\x1b[2J", stdout);
    print_head(t, stdout);
    bool whole = print_worlds(t, rows > 6 ? (size_t)rows - 5 : 1, stdout);
    (void)fputs("q quits", stdout);
    return whole ? CLI_OK : cli_out_of_memory();
}

// ---- the command

// Waits, with the connection at work. Returns false when it is time to end.
static bool wait_until(top *t, double until, bool screen, cli_exit *code)
{
    carom_error error = {0};
    for (double now = cli_now(); now < until; now = cli_now()) {
        int ms = (int)((until - now) * 1000.0) + 1;
        if (carom_poll(t->c->client, ms < PAUSE_MS ? ms : PAUSE_MS, &error) != CAROM_OK) {
            terminal_close();
            *code = cli_lost(t->c, &error);
            return false;
        }
        bool ended = false;
        int pressed = screen ? terminal_key(&ended) : KEY_NONE;
        if (terminal_interrupted() != 0 || ended || pressed == 'q' || pressed == 'Q') {
            return false;
        }
    }
    return !ferror(stdout);
}

static cli_exit run_frames(top *t, uint64_t count, double interval, bool screen)
{
    cli_exit code = CLI_OK;
    for (uint64_t i = 0; i < count && code == CLI_OK; i++) {
        code = look(t);
        if (code != CLI_OK) {
            break;
        }
        if (i > 0 && !screen && !t->c->json) {
            (void)printf("\n");
        }
        code = show(t, screen);
        remember(t);
        (void)fflush(stdout);
        if (i + 1 < count && !wait_until(t, t->at + interval, screen, &code)) {
            break;
        }
    }
    return code;
}

static cli_exit run_top(cli *c)
{
    double interval = args_seconds(&c->args, "interval", 1.0);
    uint64_t count = args_whole(&c->args, "count", UINT64_MAX);
    bool screen = !c->json && !args_has(&c->args, "count") && terminal_usable();
    if (interval < INTERVAL_MIN_S) {
        return cli_usage(c, "--interval is at least 100ms");
    }
    if (!terminal_catch_signals()) {
        return cli_out_of_memory();
    }
    cli_exit code = cli_connect(c, NULL);
    if (code != CLI_OK) {
        return code;
    }
    if (screen && !terminal_open()) {
        cli_error("internal", "cannot use the terminal: %s", strerror(errno));
        return CLI_REFUSED;
    }
    static top t;
    t = (top){.c = c, .at = cli_now()};
    code = run_frames(&t, count, interval, screen);
    terminal_close();
    forget(&t);
    carom_value_free(t.before);
    return code;
}

const cli_command command_top = {
    .name = "top",
    .group = "Look",
    .summary = "show the server's load live: worlds, rates, lateness, traffic",
    .options =
        (const args_option[]){
            {"interval", 'i', ARGS_SECONDS, "TIME", "between two looks (default 1s)", NULL},
            {"count", 'n', ARGS_WHOLE, "N", "print N tables and end; needs no terminal", NULL},
            {0}},
    .details = "The busiest worlds come first. LATE counts the ticks that began late since the "
               "look before; LOAD is\n"
               "the share of one processor that the world's steps take. q quits.",
    .examples = "  carom top\n  carom top --count 2 --interval 5s\n"
                "  carom top --json | jq -c '.worlds[] | [.world, .late]'",
    .run = run_top,
};
