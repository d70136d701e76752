// replay: plays a recording without a server, and compares every state with the recorded one. Main
// thread only.
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include <carom/replica.h>

#include "client/cli/commands.h"
#include "client/cli/log/image_file.h"
#include "client/cli/log/playback.h"
#include "client/tool/progress.h"
#include "client/cli/log/watch_recording.h"
#include "client/cli/picture/screen.h"
#include "client/tool/terminal.h"
#include "common/args/text.h"

enum { PIECE_TICKS = 64 }; // ticks played between two readings of the clock

#define SPEED_MAX 1e6

typedef struct replay {
    cli *c;
    playback p;
    playback_span span;
    uint64_t until;
    double speed; // multiple of the world's own pace; 0: as fast as possible
    bool stopped; // a signal stopped it
} replay;

// The tick to play to now: as far as the pace allows, in pieces.
static uint64_t next_stop(const replay *r, double since, uint64_t begun)
{
    uint64_t now = playback_tick(&r->p);
    uint64_t stop = now + PIECE_TICKS;
    if (r->speed > 0.0) {
        double ticks = (cli_now() - since) * r->span.hz * r->speed;
        uint64_t due = begun + (uint64_t)ticks;
        stop = due < stop ? due : stop;
    }
    return stop < r->until ? stop : r->until;
}

static cli_exit play(replay *r)
{
    progress bar;
    cli_exit code = playback_to(&r->p, r->span.first);
    uint64_t begun = r->span.first;
    double since = cli_now();
    progress_begin(&bar, r->c);
    while (code == CLI_OK && playback_tick(&r->p) < r->until && !r->p.over) {
        uint64_t now = playback_tick(&r->p);
        uint64_t stop = next_stop(r, since, begun);
        if (terminal_interrupted() != 0) {
            r->stopped = true;
            break;
        }
        if (stop <= now) {
            (void)poll(NULL, 0, 2);
            continue;
        }
        code = playback_to(&r->p, stop);
        double seconds = cli_now() - since;
        double done = (double)(stop - begun) / (double)(r->until - begun);
        progress_tell(&bar, done, "tick %" PRIu64 ", %.0f times real time", stop,
                      seconds > 0.0 ? (double)(stop - begun) / r->span.hz / seconds : 0.0);
    }
    progress_end(&bar);
    return code;
}

static cli_exit report(const replay *r, double seconds)
{
    carom_replica_state s = carom_replica_now(r->p.replica);
    bool verify = args_has(&r->c->args, "verify");
    if (r->c->json) {
        char hash[17];
        (void)snprintf(hash, sizeof hash, "%016" PRIx64, s.hash);
        carom_value *told = carom_set(carom_map(), "file", carom_str(r->p.path));
        carom_set(told, "world", carom_str(r->p.about.world));
        carom_set(told, "first", carom_uint(r->span.first));
        carom_set(told, "last", carom_uint(r->span.last));
        carom_set(told, "tick", carom_uint(s.tick));
        carom_set(told, "hash", carom_str(hash));
        carom_set(told, "bodies", carom_uint(s.bodies));
        carom_set(told, "commands", carom_uint(s.commands));
        carom_set(told, "verified", carom_uint(s.verified));
        carom_set(told, "images", carom_uint(r->p.images));
        carom_set(told, "seconds", carom_real(seconds));
        carom_set(told, "whole", carom_bool(r->span.ended));
        cli_exit code = cli_print_json(told);
        carom_value_free(told);
        return code;
    }
    cli_print_line("%s, world %s: tick %" PRIu64 " of %" PRIu64 " to %" PRIu64 ", hash %016" PRIx64
                   ", %llu %s, %zu awake",
                   r->p.path, r->p.about.world, s.tick, r->span.first, r->span.last, s.hash,
                   TEXT_COUNTED(s.bodies, "body", "bodies"), s.awake);
    (void)printf("%llu %s applied, %llu %s", TEXT_COUNTED(s.commands, "command", "commands"),
                 TEXT_COUNTED(s.verified, "hash agrees", "hashes agree"));
    if (verify) {
        (void)printf(", %llu %s body by body",
                     TEXT_COUNTED(r->p.images, "image agrees", "images agree"));
    }
    char took[32];
    text_from_seconds(seconds, took, sizeof took);
    (void)printf(", in %s\n", took);
    return CLI_OK;
}

static cli_exit save_image(const replay *r)
{
    const char *path = args_text(&r->c->args, "image", NULL);
    void *bytes = NULL;
    size_t size = 0;
    carom_error error = {0};
    if (path == NULL) {
        return CLI_OK;
    }
    if (carom_replica_save(r->p.replica, &bytes, &size, &error) != CAROM_OK) {
        return playback_fail(r->p.path, &error);
    }
    cli_exit code = image_file_write(r->c, path, bytes, size);
    carom_replica_free_bytes(bytes);
    return code;
}

static cli_exit verify_end(const replay *r)
{
    if (args_has(&r->c->args, "verify") && !r->span.ended && r->until == r->span.last) {
        cli_error(CLI_CODE_FILE, "%s: the recording was cut off; it is whole up to tick %" PRIu64,
                  r->p.path, r->span.last);
        return CLI_USAGE;
    }
    return CLI_OK;
}

static cli_exit work(replay *r)
{
    cli *c = r->c;
    bool verify = args_has(&c->args, "verify");
    bool jump = !verify && r->until < r->span.last && r->speed == 0.0;
    cli_exit code = playback_open(&r->p, r->p.path, verify);
    double since = cli_now();
    if (code == CLI_OK) {
        code = jump ? playback_seek(&r->p, r->until) : play(r);
    }
    if (code == CLI_OK && !r->stopped && playback_tick(&r->p) < r->until) {
        code = verify_end(r);
    }
    if (code == CLI_OK) {
        code = report(r, cli_now() - since);
        code = code == CLI_OK ? save_image(r) : code;
        code = code == CLI_OK ? verify_end(r) : code;
    }
    return code;
}

// Reads --to: a tick or, with a plus, a number of ticks after the first.
static cli_exit read_to(replay *r)
{
    const char *text = args_text(&r->c->args, "to", NULL);
    uint64_t first = r->span.first, last = r->span.last;
    uint64_t number = 0;
    r->until = last;
    if (text == NULL) {
        return CLI_OK;
    }
    bool after = text[0] == '+';
    if (!text_to_whole(text + after, &number)) {
        return cli_usage(
            r->c, "--to is a tick such as 900, or +900 for 900 ticks after the first, not '%.100s'",
            text);
    }
    if (after ? number > last - first : number < first || number > last) {
        return cli_usage(r->c,
                         "--to: the recording has the ticks %" PRIu64 " to %" PRIu64
                         ", which are +0 to +%" PRIu64,
                         first, last, last - first);
    }
    r->until = after ? first + number : number;
    return CLI_OK;
}

static cli_exit run_replay(cli *c)
{
    static replay r;
    r = (replay){.c = c, .p = {.path = args_word(&c->args, 0)}};
    const char *path = r.p.path;
    r.speed = args_number(&c->args, "speed", 0.0);
    if (args_has(&c->args, "speed") && !(r.speed > 0.0 && r.speed <= SPEED_MAX)) {
        return cli_usage(c, "--speed is above 0, and at most %g", SPEED_MAX);
    }
    if (!terminal_catch_signals()) {
        return cli_out_of_memory();
    }
    cli_exit code = playback_measure(c, path, &r.span);
    code = code == CLI_OK ? read_to(&r) : code;
    if (code != CLI_OK) {
        return code;
    }
    if (args_has(&c->args, "watch")) {
        code = screen_check(c);
        if (code != CLI_OK) {
            return code;
        }
        return watch_recording(c, path, &r.span, r.until, r.speed > 0.0 ? r.speed : 1.0);
    }
    code = work(&r);
    playback_close(&r.p);
    return code;
}

const cli_command command_replay = {
    .name = "replay",
    .group = "Replay",
    .summary = "play a recording, without a server, and verify it",
    .operands = (const args_operand[]){{"FILE", ARGS_FILE, true, false, NULL}, {0}},
    .options =
        (const args_option[]){
            {"to", 0, ARGS_TEXT, "TICK",
             "stop at that tick, or at +N: N ticks after the first (default: the end)", NULL},
            {"verify", 0, ARGS_FLAG, NULL,
             "compare each image of the recording too, body by body; refuse a cut recording", NULL},
            {"speed", 0, ARGS_NUMBER, "X",
             "X times the recorded speed (default: as fast as possible; 1 with --watch)", NULL},
            {"image", 0, ARGS_FILE, "FILE", "save the last state, for load and diff", NULL},
            {"force", 0, ARGS_FLAG, NULL, "replace the FILE of --image", NULL},
            {"watch", 'w', ARGS_FLAG, NULL, "show it as watch does", NULL},
            SCREEN_OPTIONS,
            {0}},
    .details = "Steps the server's own engine by the commands that the file holds, and compares "
               "the hash of each\n"
               "state that has one. It stops at the first that differs, and prints the tick, and "
               "the body if a later\n"
               "image of the recording shows it; exit code 1.\n\n"
               "Keys with --watch: those of watch, where space and . are of the replay; , steps "
               "back, [ and ] go\n"
               "back and forth by ten seconds, { and } by a minute, g and G to the first and last "
               "tick, < and >\n"
               "halve and double the speed.",
    .examples = "  carom replay match.caromlog --verify\n"
                "  carom replay match.caromlog --to +5400 --image before-the-goal.caromimage\n"
                "  carom replay match.caromlog --watch --speed 0.25",
    .run = run_replay,
};
