// record: writes a world's log to a file, and verifies it with a replica. Main thread only.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <carom/replica.h>

#include "client/cli/commands.h"
#include "client/cli/log/playback.h"
#include "client/tool/progress.h"
#include "client/cli/params.h"
#include "client/tool/terminal.h"
#include "common/args/text.h"

#define KEYFRAME_DEFAULT_S 60.0

typedef struct recording {
    cli *c;
    const char *path;
    carom_recorder *recorder;
    carom_replica *replica;
    uint64_t subscription;
    bool begun, over;
    cli_exit code;
    uint64_t first, last;                  // ticks
    uint64_t records, bytes, images, gaps; // gaps: times that an image replaced records in between
    uint64_t ticks_wanted;
    uint64_t keyframe_ticks, keyframe_due; // 0: none
} recording;

static void end_with(recording *r, const carom_error *error)
{
    r->code = playback_fail(r->path, error);
    r->over = true;
}

// Creates the file with the first record, so that a missing world leaves no file behind.
static bool begin(recording *r, carom_error *error)
{
    if (r->recorder != NULL) {
        return true;
    }
    if (args_has(&r->c->args, "force")) {
        (void)unlink(r->path);
    }
    return carom_recorder_create(r->path, &r->recorder, error) == CAROM_OK;
}

static void after_record(recording *r, const carom_snapshot *s, uint64_t before)
{
    carom_replica_state state = carom_replica_now(r->replica);
    if (!r->begun) {
        r->begun = true;
        r->first = before;
        double every = args_seconds(&r->c->args, "keyframe", KEYFRAME_DEFAULT_S);
        r->keyframe_ticks = every > 0.0 ? (uint64_t)(every * state.hz + 0.5) : 0;
        r->keyframe_due = state.tick + r->keyframe_ticks;
    }
    r->records++;
    r->bytes += s->encoded_size;
    r->last = state.tick;
    if (r->keyframe_ticks > 0 && state.tick >= r->keyframe_due) {
        r->keyframe_due = state.tick + r->keyframe_ticks;
        carom_error error = {0};
        if (carom_recorder_keyframe(r->recorder, r->replica, &error) != CAROM_OK) {
            end_with(r, &error);
        }
        r->images++;
    }
    r->over = r->over || r->last - r->first >= r->ticks_wanted;
}

static void on_snapshot(carom_client *client, const carom_snapshot *s, void *user)
{
    recording *r = user;
    carom_error error = {0};
    (void)client;
    if (!s->log || r->over) {
        return;
    }
    uint64_t before = r->begun ? r->last : s->from;
    if (r->begun && s->full) {
        r->gaps++;
    }
    if (!begin(r, &error)) {
        r->code = playback_fail(r->path, &error);
        if (error.status == CAROM_ALREADY_EXISTS) {
            cli_hint("--force replaces it");
        }
        r->over = true;
        return;
    }
    if (carom_recorder_feed(r->recorder, s->encoded, s->encoded_size, &error) != CAROM_OK ||
        carom_replica_feed(r->replica, s->encoded, s->encoded_size, &error) != CAROM_OK) {
        end_with(r, &error);
        return;
    }
    r->images += s->full;
    after_record(r, s, before);
}

static void on_notification(carom_client *client, const char *method, const carom_value *params,
                            void *user)
{
    (void)client;
    recording *r = user;
    if (strcmp(method, "world_closed") == 0) {
        r->code = cli_world_closed(args_word(&r->c->args, 0), params);
        r->over = true;
    }
}

static cli_exit subscribe(recording *r)
{
    cli *c = r->c;
    carom_subscribe_options options = carom_subscribe_options_default();
    options.encoding = "log";
    options.rate = args_number(&c->args, "rate", 0.0);
    carom_error error = {0};
    if (carom_subscribe(c->client, args_word(&c->args, 0), &options, c->timeout_ms,
                        &r->subscription, &error) != CAROM_OK) {
        return cli_fail(c, &error);
    }
    return CLI_OK;
}

static void show_progress(const recording *r, progress *p, double since)
{
    carom_replica_state state = carom_replica_now(r->replica);
    double seconds = cli_now() - since;
    char bytes[32];
    text_from_bytes((double)r->bytes, bytes, sizeof bytes);
    progress_tell(p, -1.0,
                  "%s: tick %" PRIu64 ", %.0f s, %s, %.1f kbit/s, %" PRIu64 " hashes agree",
                  args_word(&r->c->args, 0), state.tick, seconds, bytes,
                  seconds > 0.0 ? 8e-3 * (double)r->bytes / seconds : 0.0, state.verified);
}

static cli_exit follow(recording *r)
{
    double since = cli_now();
    double until = since + args_seconds(&r->c->args, "for", 1e12);
    carom_error error = {0};
    progress p;
    progress_begin(&p, r->c);
    while (!r->over && terminal_interrupted() == 0) {
        double left = until - cli_now();
        if (left <= 0.0) {
            break;
        }
        carom_status s =
            carom_poll(r->c->client, left < 0.1 ? (int)(left * 1000.0) + 1 : 100, &error);
        if (s != CAROM_OK && !r->over) {
            progress_end(&p);
            return cli_lost(r->c, &error);
        }
        show_progress(r, &p, since);
    }
    progress_end(&p);
    return r->code;
}

static cli_exit report(const recording *r)
{
    carom_replica_state state = carom_replica_now(r->replica);
    if (r->c->json) {
        carom_value *told = carom_set(carom_map(), "file", carom_str(r->path));
        carom_set(told, "world", carom_str(args_word(&r->c->args, 0)));
        carom_set(told, "first", carom_uint(r->first));
        carom_set(told, "last", carom_uint(r->last));
        carom_set(told, "records", carom_uint(r->records));
        carom_set(told, "commands", carom_uint(state.commands));
        carom_set(told, "images", carom_uint(r->images));
        carom_set(told, "gaps", carom_uint(r->gaps));
        carom_set(told, "verified", carom_uint(state.verified));
        carom_set(told, "bytes", carom_uint(r->bytes));
        cli_exit code = cli_print_json(told);
        carom_value_free(told);
        return code;
    }
    char bytes[32];
    text_from_bytes((double)r->bytes, bytes, sizeof bytes);
    (void)printf("recorded %s: ticks %" PRIu64 " to %" PRIu64 " (%.1f s), %llu %s, %llu %s, "
                 "%s received; %llu %s\n",
                 args_word(&r->c->args, 0), r->first, r->last,
                 state.hz > 0.0 ? (double)(r->last - r->first) / state.hz : 0.0,
                 TEXT_COUNTED(r->records, "record", "records"),
                 TEXT_COUNTED(state.commands, "command", "commands"), bytes,
                 TEXT_COUNTED(state.verified, "hash agrees", "hashes agree"));
    if (r->gaps > 0) {
        (void)printf("%llu %s an image came instead of the ticks in between, as this "
                     "reader was slow\n",
                     TEXT_COUNTED(r->gaps, "time", "times"));
    }
    return CLI_OK;
}

static cli_exit work(recording *r)
{
    cli *c = r->c;
    carom_handlers handlers = {.user = r, .snapshot = on_snapshot, .notification = on_notification};
    if (!terminal_catch_signals()) {
        return cli_out_of_memory();
    }
    cli_exit code = cli_connect(c, &handlers);
    code = code == CLI_OK ? subscribe(r) : code;
    code = code == CLI_OK ? follow(r) : code;
    carom_error error = {0};
    bool written = r->recorder != NULL;
    if (carom_recorder_finish(r->recorder, &error) != CAROM_OK && code == CLI_OK) {
        code = playback_fail(r->path, &error);
    }
    if (written && r->begun) {
        cli_exit told = report(r);
        code = code == CLI_OK ? told : code;
    } else if (code == CLI_OK) {
        cli_error("unavailable", "nothing was recorded: no snapshot came");
        code = CLI_REFUSED;
    }
    return code;
}

static cli_exit run_record(cli *c)
{
    recording r = {.c = c,
                   .path = args_word(&c->args, 1),
                   .ticks_wanted = args_whole(&c->args, "ticks", UINT64_MAX)};
    cli_exit code = cli_check_rate(c, "rate");
    struct stat info;
    if (code == CLI_OK && stat(r.path, &info) == 0 && S_ISDIR(info.st_mode)) {
        cli_error(CLI_CODE_FILE, "%s: %s", r.path, strerror(EISDIR));
        return CLI_USAGE;
    }
    if (code == CLI_OK && access(r.path, F_OK) == 0 && !args_has(&c->args, "force")) {
        cli_error(CLI_CODE_FILE, "%s exists already", r.path);
        cli_hint("--force replaces it");
        code = CLI_USAGE;
    }
    if (code != CLI_OK) {
        return code;
    }
    r.replica = carom_replica_create();
    code = r.replica != NULL ? work(&r) : cli_out_of_memory();
    if (c->client != NULL) {
        // The handlers refer to the recording, which ends here
        carom_set_handlers(c->client, &(carom_handlers){0});
    }
    carom_replica_free(r.replica);
    return code;
}

const cli_command command_record = {
    .name = "record",
    .group = "Replay",
    .summary = "record a world into a file, to be replayed to the bit",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL},
                                       {"FILE", ARGS_FILE, true, false, NULL},
                                       {0}},
    .options =
        (const args_option[]){
            {"for", 0, ARGS_SECONDS, "TIME", "end after that time (default: until ctrl-C)", NULL},
            {"ticks", 'n', ARGS_COUNT, "N", "end after N ticks of the world", NULL},
            {"rate", 'r', ARGS_NUMBER, "N",
             "records a second (default: one a tick); fewer make a smaller file", NULL},
            {"keyframe", 0, ARGS_SECONDS, "TIME",
             "world time between images in the file (default 60s; 0: the first alone)", NULL},
            {"force", 0, ARGS_FLAG, NULL, "replace FILE", NULL},
            {0}},
    .details =
        "A recording holds an image of the world, then the commands that were applied and the hash "
        "of each\n"
        "state, however many bodies move. A replica checks every hash. Further images\nmake "
        "seeking quick, and let a replay name the first body that differs.",
    .examples = "  carom record demo demo.caromlog --for 30s\n"
                "  carom record arena match.caromlog --rate 10 --keyframe 10s\n"
                "  carom replay demo.caromlog --verify",
    .run = run_record,
};
