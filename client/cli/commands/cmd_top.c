// top: shows the server's load continuously: worlds, rates, lateness, clients, traffic. Main thread
// only.
//
// Every interval makes three calls (server.info, server.stats, world.list). All rates and times are
// for the interval between two samples; the first sample shows the server's figures for its last
// second. On a terminal it uses the whole screen until q; otherwise, or with --count, it prints one
// table after the other. When the server ends, it waits some seconds for the next one.
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/tool/timing.h"
#include "client/tool/terminal.h"
#include "client/cli/show.h"
#include "client/tool/table.h"
#include "common/args/text.h"

enum { WORLDS_MAX = 256, NAME_BYTES = 65, PAUSE_MS = 200, KEY_MS = 50 };

#define INTERVAL_MIN_S 0.1
#define RATE_SHARE_LOW 0.95  // share of hz below which a world counts as slowed down
#define LOAD_HIGH_MS   500.0 // ms per second: half of a thread, above which a world gets its own

// Counts of a world at the last sample.
typedef struct seen_world {
    char name[NAME_BYTES];
    uint64_t epoch, ticks_late, tick;
} seen_world;

// When a server took its figures: at some moment between the request and its answer.
typedef struct moment {
    double at, within; // the middle, and half the time between the two [s]
} moment;

// Largest error of the time between two figures whose change is shown, as a share of that time.
static const double UNSURE_SHARE_MAX = 0.1;
// In less time a few ticks are counted, of which the first and last may be early or late [s].
static const double WINDOW_LEAST = 0.25;

typedef struct top {
    cli *c;
    // The answers of this sample: server.info, server.stats and world.list.
    carom_value *info, *stats, *worlds;
    carom_value *before;    // server.stats of the previous sample, NULL at first
    double at;              // time of this sample [s]
    moment counted, listed; // when `stats` and `worlds` were taken
    moment counted_before, listed_before;
    seen_world seen[WORLDS_MAX];
    size_t seen_count;
    const carom_value *order[WORLDS_MAX]; // worlds sorted by the column
    size_t count;
    int column;   // index into sort_columns
    bool upwards; // the smallest first
} top;

// ---- looking

static const seen_world *seen_before(const top *t, const carom_value *world)
{
    const char *name = carom_get_str(world, "world", "");
    for (size_t i = 0; i < t->seen_count; i++) {
        const seen_world *s = &t->seen[i];
        if (strcmp(s->name, name) == 0 && s->epoch == carom_get_uint(world, "epoch", 0)) {
            return s;
        }
    }
    return NULL;
}

// The time between two counts [s]; 0 if it is known too badly, as answers took long, or if it is
// short, as the sample before came late.
static double time_between(moment before, moment now)
{
    const double past = now.at - before.at;
    const bool known = before.within + now.within <= UNSURE_SHARE_MAX * past;
    return known && past >= WINDOW_LEAST ? past : 0.0;
}

// Ticks per second in the window; as the world itself measured it, if answers took long.
static double rate_of(const top *t, const carom_value *world)
{
    const seen_world *s = seen_before(t, world);
    const double past = time_between(t->listed_before, t->listed);
    uint64_t tick = carom_get_uint(world, "tick", 0);
    bool measured = s != NULL && past > 0.0 && tick >= s->tick;
    return measured ? (double)(tick - s->tick) / past : carom_get_real(world, "rate", 0.0);
}

// Ticks that the world began late in the window.
static uint64_t late_since(const top *t, const carom_value *world)
{
    const seen_world *s = seen_before(t, world);
    uint64_t now = carom_get_uint(world, "ticks_late", 0);
    return s != NULL && now > s->ticks_late ? now - s->ticks_late : 0;
}

// Processor time of the world [ms per second].
static double busy_ms(const top *t, const carom_value *world)
{
    return carom_get_real(world, "step_ms", 0.0) * rate_of(t, world);
}

// ---- order

static double key_load(const top *t, const carom_value *world)
{
    return busy_ms(t, world);
}

static double key_rate(const top *t, const carom_value *world)
{
    return rate_of(t, world);
}

static double key_late(const top *t, const carom_value *world)
{
    return (double)late_since(t, world);
}

static double key_step(const top *t, const carom_value *world)
{
    (void)t;
    return carom_get_real(world, "step_ms", 0.0);
}

static double key_bodies(const top *t, const carom_value *world)
{
    (void)t;
    return carom_get_real(world, "bodies", 0.0);
}

static double key_contacts(const top *t, const carom_value *world)
{
    (void)t;
    return carom_get_real(world, "contacts", 0.0);
}

static double key_watchers(const top *t, const carom_value *world)
{
    (void)t;
    return carom_get_real(world, "subscribers", 0.0);
}

// A NULL `key` sorts by name.
static const struct {
    const char *name;
    double (*key)(const top *t, const carom_value *world);
} sort_columns[] = {{"load", key_load},         {"late", key_late},     {"rate", key_rate},
                    {"step", key_step},         {"bodies", key_bodies}, {"contacts", key_contacts},
                    {"watchers", key_watchers}, {"name", NULL}};

enum { SORT_COLUMNS = sizeof sort_columns / sizeof sort_columns[0] };

#define SORT_WORDS "load|late|rate|step|bodies|contacts|watchers|name"

static const top *sorted; // qsort has no context

static int compare_worlds(const void *a, const void *b)
{
    const carom_value *x = *(const carom_value *const *)a;
    const carom_value *y = *(const carom_value *const *)b;
    double (*key)(const top *t, const carom_value *world) = sort_columns[sorted->column].key;
    int by_name = strcmp(carom_get_str(x, "world", ""), carom_get_str(y, "world", ""));
    double more = key != NULL ? key(sorted, y) - key(sorted, x) : 0.0;
    int order = more > 0.0 ? 1 : more < 0.0 ? -1 : by_name;
    return sorted->upwards ? -order : order;
}

static void sort_worlds(top *t)
{
    sorted = t;
    qsort(t->order, t->count, sizeof t->order[0], compare_worlds);
}

static void forget(top *t)
{
    carom_value_free(t->info);
    carom_value_free(t->stats);
    carom_value_free(t->worlds);
    t->info = t->stats = t->worlds = NULL;
}

static carom_status ask(const top *t, const char *method, const carom_value *with,
                        carom_value **out, moment *m, carom_error *error)
{
    const double asked = cli_now();
    const carom_status s = carom_call(t->c->client, method, with, t->c->timeout_ms, out, error);
    const double told = cli_now();
    *m = (moment){.at = 0.5 * (asked + told), .within = 0.5 * (told - asked)};
    return s;
}

static carom_status look(top *t, carom_error *error)
{
    moment unused;
    carom_value_free(t->before);
    t->before = t->stats;
    t->stats = NULL;
    forget(t);
    t->at = cli_now();
    t->counted_before = t->counted;
    t->listed_before = t->listed;
    carom_status s = ask(t, "server.info", NULL, &t->info, &unused, error);
    if (s == CAROM_OK) {
        carom_value *with = carom_set(carom_map(), "bins", carom_bool(true));
        s = ask(t, "server.stats", with, &t->stats, &t->counted, error);
        carom_value_free(with);
    }
    s = s == CAROM_OK ? ask(t, "world.list", NULL, &t->worlds, &t->listed, error) : s;
    t->count = 0;
    for (size_t i = 0; i < carom_value_count(t->worlds) && i < WORLDS_MAX; i++) {
        t->order[t->count++] = carom_value_at(t->worlds, i);
    }
    sort_worlds(t);
    return s;
}

// The growth of a counter of server.stats in the interval [1/s]; 0 in the first sample.
static double per_second(const top *t, const char *path)
{
    const double past = t->counted.at - t->counted_before.at;
    if (t->before == NULL || past <= 0.0) {
        return 0.0;
    }
    double more = carom_get_real(t->stats, path, 0.0) - carom_get_real(t->before, path, 0.0);
    return more > 0.0 ? more / past : 0.0;
}

static void remember(top *t)
{
    t->seen_count = t->count;
    for (size_t i = 0; i < t->count; i++) {
        const carom_value *world = t->order[i];
        (void)snprintf(t->seen[i].name, NAME_BYTES, "%s", carom_get_str(world, "world", ""));
        t->seen[i].epoch = carom_get_uint(world, "epoch", 0);
        t->seen[i].ticks_late = carom_get_uint(world, "ticks_late", 0);
        t->seen[i].tick = carom_get_uint(world, "tick", 0);
    }
}

// ---- showing

// Memory in use by the server's process [bytes]; negative when not reported.
static double memory_bytes(const top *t)
{
    double told = carom_get_real(t->stats, "counters.memory_bytes", 0.0);
    return told > 0.0 ? told : -1.0;
}

// The lateness that 99 % of the ticks in the window did not exceed [s]; in the first sample, of all
// ticks.
static double lateness(const top *t)
{
    const carom_value *after = carom_value_get(carom_value_get(t->stats, "latencies"), "delay");
    const carom_value *before = carom_value_get(carom_value_get(t->before, "latencies"), "delay");
    const carom_value *bins = carom_value_get(after, "bins");
    if (before == NULL || bins == NULL) {
        return carom_get_real(after, "p99", 0.0);
    }
    timing window = timing_between(carom_value_get(before, "bins"), bins);
    return window.count > 0 ? window.shares[TIMING_P99] : 0.0;
}

static void print_head(const top *t, FILE *out)
{
    char up[32];
    char in[32];
    char sent[32];
    char memory[32];
    char step[32];
    char version[32];
    (void)snprintf(version, sizeof version, "%s", carom_get_str(t->info, "version", "?"));
    text_tame(version);
    text_from_duration(carom_get_real(t->info, "uptime", 0.0), up, sizeof up);
    text_from_bytes(per_second(t, "counters.bytes_received"), in, sizeof in);
    text_from_bytes(per_second(t, "counters.bytes_sent"), sent, sizeof sent);
    text_from_seconds(lateness(t), step, sizeof step);
    (void)fprintf(out, "caromd %s at %s  up %s  sessions %llu  worlds %llu", version, t->c->server,
                  up, (unsigned long long)carom_get_uint(t->info, "sessions", 0),
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

// The lines of a server that has others: its fleet, and its upstreams. Returns their number.
static int print_others(const top *t, FILE *out)
{
    const double nodes = carom_get_real(t->stats, "counters.fleet_nodes", 0.0);
    const double upstreams = carom_get_real(t->stats, "counters.relay_upstreams", 0.0);
    char text[32];
    if (nodes > 0.0) {
        const bool away = carom_get_real(t->stats, "counters.fleet_store_unanswered", 0.0) > 0.0;
        text_from_bytes(carom_get_real(t->stats, "counters.fleet_standby_lag_bytes", 0.0), text,
                        sizeof text);
        (void)fprintf(out,
                      "fleet: servers %.0f  worlds %.0f%s  with a standby %.0f, behind %.0f ms and "
                      "%s  standby of %.0f\n",
                      nodes, carom_get_real(t->stats, "counters.fleet_worlds", 0.0),
                      away ? "  etcd does not answer" : "",
                      carom_get_real(t->stats, "counters.fleet_standbys", 0.0),
                      carom_get_real(t->stats, "counters.fleet_standby_lag_ms", 0.0), text,
                      carom_get_real(t->stats, "counters.fleet_followed", 0.0));
    }
    if (upstreams > 0.0) {
        double lag = 0.0;
        for (size_t i = 0; i < t->count; i++) {
            const double of = carom_get_real(t->order[i], "lag", 0.0);
            lag = of > lag ? of : lag;
        }
        text_from_seconds(lag, text, sizeof text);
        (void)fprintf(out,
                      "relay: upstreams %.0f of %.0f  worlds %.0f, behind %s  records %.0f/s\n",
                      carom_get_real(t->stats, "counters.relay_connected", 0.0), upstreams,
                      carom_get_real(t->stats, "counters.relay_worlds", 0.0), text,
                      per_second(t, "counters.relay_records"));
    }
    return (nodes > 0.0 ? 1 : 0) + (upstreams > 0.0 ? 1 : 0);
}

// Prints the worlds, at most `rows` of them.
static bool print_worlds(const top *t, size_t rows, FILE *out)
{
    static const char *const heads[] = {"WORLD", "STATE",   ">RATE [Hz]", ">LATE",     ">STEP [ms]",
                                        ">LOAD", ">BODIES", ">AWAKE",     ">CONTACTS", ">WATCHERS"};
    table list;
    table_init(&list, 10, heads);
    for (size_t i = 0; i < t->count && i < rows; i++) {
        const carom_value *world = t->order[i];
        show_cell(&list, carom_value_get(world, "world"));
        double hz = carom_get_real(world, "hz", 0.0);
        double rate = rate_of(t, world);
        char state[32];
        bool paused = carom_get_bool(world, "paused", false);
        table_text(&list, show_world_state(world, state, sizeof state));
        table_colour(&list, show_world_mark(world));
        table_format(&list, "%.1f/%g", rate, hz);
        table_colour(&list, show_world_stands(world)                ? TABLE_DIM
                            : !paused && rate < RATE_SHARE_LOW * hz ? TABLE_BAD
                                                                    : TABLE_GOOD);
        uint64_t late = late_since(t, world);
        table_format(&list, "%llu", (unsigned long long)late);
        table_colour(&list, late > 0 ? TABLE_BAD : TABLE_PLAIN);
        table_format(&list, "%.3f", carom_get_real(world, "step_ms", 0.0));
        table_format(&list, "%.1f %%", busy_ms(t, world) / 10.0);
        table_colour(&list, busy_ms(t, world) > LOAD_HIGH_MS ? TABLE_BAD : TABLE_PLAIN);
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
        carom_set(world, "rate", carom_real(rate_of(t, t->order[i])));
        carom_set(world, "late", carom_uint(late_since(t, t->order[i])));
        worlds = carom_push(worlds,
                            carom_set(world, "load", carom_real(busy_ms(t, t->order[i]) / 1000.0)));
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
        (void)print_others(t, stdout);
        return print_worlds(t, WORLDS_MAX, stdout) ? CLI_OK : cli_out_of_memory();
    }
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return cli_out_of_memory();
    }
    print_head(t, out);
    const int used = 5 + print_others(t, out); // with the line of the keys
    bool whole = print_worlds(t, rows > used + 1 ? (size_t)(rows - used) : 1, out);
    (void)fprintf(out, "q quits  s sorts by the next column  r turns the order  (by %s%s)",
                  sort_columns[t->column].name, t->upwards ? ", upwards" : "");
    whole = fclose(out) == 0 && whole;
    if (whole) {
        (void)fputs("\x1b[H\x1b[2J", stdout);
        terminal_print_cut(text, columns, t->c->utf8, stdout);
    }
    free(text);
    return whole ? CLI_OK : cli_out_of_memory();
}

// ---- the command

typedef enum wait_end { WAIT_OVER, WAIT_QUIT, WAIT_LOST } wait_end;

// Handles a key. Returns whether it is time to end.
static bool take_key(top *t, bool screen)
{
    bool ended = false;
    const int pressed = screen ? terminal_key(&ended) : KEY_NONE;
    if (t->info != NULL && (pressed == 's' || pressed == 'r')) {
        t->column = pressed == 's' ? (t->column + 1) % SORT_COLUMNS : t->column;
        t->upwards = t->upwards != (pressed == 'r');
        sort_worlds(t);
        (void)show(t, screen);
        (void)fflush(stdout);
    }
    return terminal_interrupted() != 0 || ended || pressed == 'q' || pressed == 'Q' ||
           ferror(stdout);
}

// Waits, while the connection works.
static wait_end wait_until(top *t, double until, bool screen, carom_error *error)
{
    for (double now = cli_now(); now < until; now = cli_now()) {
        const int ms = (int)((until - now) * 1000.0) + 1;
        if (carom_poll(t->c->client, ms < PAUSE_MS ? ms : PAUSE_MS, error) != CAROM_OK) {
            return WAIT_LOST;
        }
        if (take_key(t, screen)) {
            return WAIT_QUIT;
        }
    }
    return ferror(stdout) ? WAIT_QUIT : WAIT_OVER;
}

// ---- a server that restarts

static void say(const top *t, const char *text, bool screen)
{
    if (screen) {
        (void)printf("\r\x1b[K%s", text); // over the line of the keys
        (void)fflush(stdout);
    } else {
        cli_note(t->c, "%s", text);
    }
}

// Forgets the samples of the server before the restart.
static void start_over(top *t)
{
    forget(t);
    carom_value_free(t->before);
    t->before = NULL;
    t->seen_count = t->count = 0;
}

// Connects again, for some seconds. `why`: the reason of the loss.
static wait_end come_back(top *t, const carom_error *why, bool screen, cli_exit *code)
{
    const double since = cli_now();
    start_over(t);
    say(t, "the server is gone: trying to come back", screen);
    while (cli_now() - since < CLI_AGAIN_MAX_S) {
        carom_free(t->c->client);
        t->c->client = NULL;
        cli_errors_hush(true);
        const bool back = cli_connect(t->c, NULL) == CLI_OK;
        cli_errors_hush(false);
        if (back) {
            say(t, "connected again", screen);
            return WAIT_OVER;
        }
        for (const double next = cli_now() + CLI_AGAIN_S; cli_now() < next;) {
            if (take_key(t, screen)) {
                return WAIT_QUIT;
            }
            (void)poll(NULL, 0, KEY_MS);
        }
    }
    terminal_close();
    *code = cli_lost(t->c, why);
    return WAIT_LOST;
}

// ---- frames

static cli_exit run_frames(top *t, uint64_t count, double interval, bool screen)
{
    cli_exit code = CLI_OK;
    wait_end end = WAIT_OVER;
    for (uint64_t i = 0; i < count && code == CLI_OK && end == WAIT_OVER;) {
        carom_error error = {0};
        const bool looked = look(t, &error) == CAROM_OK;
        if (looked) {
            if (i > 0 && !screen && !t->c->json) {
                (void)printf("\n");
            }
            code = show(t, screen);
            (void)fflush(stdout);
            end = ++i < count ? wait_until(t, t->at + interval, screen, &error) : end;
            remember(t); // after the wait, in which keys redraw this sample
        }
        if (looked && end != WAIT_LOST) {
            continue;
        }
        if (cli_may_come_back(&error)) {
            end = come_back(t, &error, screen, &code);
        } else {
            terminal_close();
            code = looked ? cli_lost(t->c, &error) : cli_fail(t->c, &error);
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
    while (t.column + 1 < SORT_COLUMNS &&
           strcmp(sort_columns[t.column].name, args_text(&c->args, "sort", "load")) != 0) {
        t.column++;
    }
    t.upwards = args_has(&c->args, "reverse");
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
            {"sort", 0, ARGS_CHOICE, "COLUMN",
             "largest first: load (default), late, rate, step, bodies, contacts, watchers; or name",
             SORT_WORDS},
            {"reverse", 0, ARGS_FLAG, NULL, "the smallest first", NULL},
            {"count", 'n', ARGS_COUNT, "N", "print N tables and end; needs no terminal", NULL},
            {0}},
    .details = "All numbers cover the time since the last look: RATE is the ticks a second, LATE "
               "counts the ticks\n"
               "that began late, LOAD is the share of one processor that the world's steps take. "
               "Red is a world\n"
               "below its rate, late, or over half of a thread. q quits, s sorts by the next "
               "column, r turns the\n"
               "order. A server that restarts is awaited for some seconds.",
    .examples = "  carom top\n  carom top --sort late\n  carom top --count 2 --interval 5s\n"
                "  carom top --json | jq -c '.worlds[] | [.world, .late]'",
    .run = run_top,
};
