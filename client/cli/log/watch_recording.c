// See watch_recording.h.
#include "client/cli/log/watch_recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "client/cli/picture/screen.h"
#include "client/tool/terminal.h"

#define SEEK_S     10.0
#define SEEK_FAR_S 60.0
#define SPEED_MIN  0.0625
#define SPEED_MAX  1024.0
#define FRAME_S    (1.0 / 60.0)

enum { CATCH_UP_TICKS = 4096 }; // most ticks at once: keys are read in between

typedef struct player {
    cli *c;
    screen screen;
    playback play;
    const playback_span *span;
    uint64_t until;
    double speed;
    bool paused;
    double since;   // time from which on the pace is measured [s]
    uint64_t begun; // tick of the replica at that time
    uint64_t shown; // snapshots
    cli_exit failed;
} player;

static void restart_clock(player *p)
{
    p->since = cli_now();
    p->begun = playback_tick(&p->play);
}

static bool show(player *p, carom_error *error)
{
    carom_replica_state state = carom_replica_now(p->play.replica);
    stage_info *info = &p->screen.stage.info;
    *info = (stage_info){.known = true,
                         .paused = p->paused,
                         .hz = state.hz,
                         .bodies = state.bodies,
                         .awake = state.awake,
                         .contacts = state.contacts,
                         .joints = state.joints};
    p->shown++;
    return screen_show_replica(&p->screen, p->play.replica, error) == CAROM_OK;
}

// Ends the picture after an error that was already reported.
static carom_status give_up(carom_error *error)
{
    *error = (carom_error){.status = CAROM_INTERNAL};
    return error->status;
}

static carom_status advance(player *p, carom_error *error)
{
    uint64_t now = playback_tick(&p->play);
    if (p->paused || now >= p->until) {
        return CAROM_OK;
    }
    double ticks = (cli_now() - p->since) * p->span->hz * p->speed;
    uint64_t due = p->begun + (uint64_t)ticks;
    due = due < p->until ? due : p->until;
    due = due < now + CATCH_UP_TICKS ? due : now + CATCH_UP_TICKS;
    if (due <= now) {
        return CAROM_OK;
    }
    p->failed = playback_to(&p->play, due);
    if (p->failed != CLI_OK) {
        return give_up(error);
    }
    return show(p, error) ? CAROM_OK : error->status;
}

// ---- the source of the picture

static carom_status work(void *context, int ms, carom_error *error)
{
    player *p = context;
    double until = cli_now() + ms / 1000.0;
    for (;;) {
        carom_status s = advance(p, error);
        double left = until - cli_now();
        if (s != CAROM_OK || left <= 0.0) {
            return s;
        }
        (void)poll(NULL, 0, (int)(1000.0 * (left < FRAME_S ? left : FRAME_S)) + 1);
    }
}

static cli_exit fail(void *context, const carom_error *error)
{
    player *p = context;
    return p->failed != CLI_OK ? p->failed : playback_fail(p->play.path, error);
}

static int wait_for(void *context, struct pollfd *fd)
{
    const player *p = context;
    (void)fd;
    return p->paused || playback_tick(&p->play) >= p->until ? -1 : (int)(1000.0 * FRAME_S);
}

static void traffic(void *context, uint64_t *snapshots, uint64_t *bytes)
{
    const player *p = context;
    *snapshots = p->shown;
    *bytes = p->play.about.bytes;
}

static void say(player *p, const char *what)
{
    char text[96];
    (void)snprintf(text, sizeof text, "%s%g times real time", what, p->speed);
    stage_notice(&p->screen.stage, text, cli_now());
}

static void go_to(player *p, uint64_t tick)
{
    carom_error error = {0};
    tick = tick < p->span->first ? p->span->first : tick < p->until ? tick : p->until;
    p->failed = tick < playback_tick(&p->play) ? playback_seek(&p->play, tick)
                                               : playback_to(&p->play, tick);
    if (p->failed != CLI_OK || !show(p, &error)) {
        p->screen.code = fail(p, &error);
        p->screen.quit = true;
    }
    restart_clock(p);
}

static void toggle_pause(void *context)
{
    player *p = context;
    p->paused = !p->paused;
    p->screen.stage.info.paused = p->paused;
    p->screen.stage.changes++;
    if (!p->paused && playback_tick(&p->play) >= p->until) {
        go_to(p, p->span->first);
    }
    restart_clock(p);
}

static void step(void *context)
{
    player *p = context;
    p->paused = true;
    go_to(p, playback_tick(&p->play) + 1);
}

static void go_by(player *p, double seconds)
{
    double tick = (double)playback_tick(&p->play) + seconds * p->span->hz;
    go_to(p, tick > 0.0 ? (uint64_t)tick : 0);
}

static void change_speed(player *p, double factor)
{
    double speed = p->speed * factor;
    p->speed = speed < SPEED_MIN ? SPEED_MIN : speed > SPEED_MAX ? SPEED_MAX : speed;
    restart_clock(p);
    say(p, "");
}

static bool on_key(void *context, int pressed)
{
    player *p = context;
    switch (pressed) {
    case '[':
        go_by(p, -SEEK_S);
        return true;
    case ']':
        go_by(p, SEEK_S);
        return true;
    case '{':
        go_by(p, -SEEK_FAR_S);
        return true;
    case '}':
        go_by(p, SEEK_FAR_S);
        return true;
    case ',':
        p->paused = true;
        go_to(p, playback_tick(&p->play) > 0 ? playback_tick(&p->play) - 1 : 0);
        return true;
    case 'g':
        go_to(p, p->span->first);
        return true;
    case 'G':
        go_to(p, p->until);
        return true;
    case '<':
        change_speed(p, 0.5);
        return true;
    case '>':
        change_speed(p, 2.0);
        return true;
    default:
        return false;
    }
}

// ---- the whole

static cli_exit begin(player *p, const char *path)
{
    carom_error error = {0};
    cli_exit code = playback_open(&p->play, path, false);
    code = code == CLI_OK ? playback_to(&p->play, p->span->first) : code;
    if (code != CLI_OK) {
        return code;
    }
    if (!stage_init(&p->screen.stage, NULL, path, 0)) {
        return cli_out_of_memory();
    }
    if (!show(p, &error)) {
        return playback_fail(path, &error);
    }
    restart_clock(p);
    return CLI_OK;
}

cli_exit watch_recording(cli *c, const char *path, const playback_span *span, uint64_t until,
                         double speed)
{
    static player p;
    static screen_source source;
    source = (screen_source){.context = &p,
                             .work = work,
                             .fail = fail,
                             .wait = wait_for,
                             .traffic = traffic,
                             .toggle_pause = toggle_pause,
                             .step = step,
                             .key = on_key};
    p = (player){.c = c, .span = span, .until = until, .speed = speed};
    screen_init(&p.screen, c, &source);
    cli_exit code = begin(&p, path);
    code = code == CLI_OK ? screen_run(&p.screen) : code;
    screen_deinit(&p.screen);
    playback_close(&p.play);
    return code;
}
