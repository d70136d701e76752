// A disc that obeys its player at once, however far the server is: two worlds, of which the
// predicted one is ahead of the server's. A script presses the keys and measures how long the disc
// takes to move. `carom relay --delay 50ms SERVER` gives a server on the same machine a distance.
//
//   cc predict.c -o predict $(pkg-config --cflags --libs carom-replica) -lm
//   ./predict [host:port [seconds]]
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include <carom/carom.h>
#include <carom/prediction.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TIMEOUT_MS = 5000, FRAMES_PER_SECOND = 60, KEY_FRAMES = 30, BODIES_MAX = 64 };
static const char WORLD[] = "ice";
static const double PUSH = 6.0; // [N]

typedef struct game {
    carom_prediction *prediction;
    uint64_t disc;
    double key, pressed; // -1: left, 1: right; the key of now, and the one that was sent
    carom_error error;   // error of a snapshot that could not be applied
} game;

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Called once for each tick, and again when it is predicted again: then the commands of the first
// call act again. A force acts until it is set again, so only a change is sent.
static void steer(carom_prediction *prediction, uint64_t tick, bool first_time, void *user)
{
    game *g = user;
    (void)tick;
    if (!first_time || g->key == g->pressed) {
        return;
    }
    carom_value *args = carom_map();
    carom_set(args, "body", carom_uint(g->disc));
    carom_set(args, "force", carom_vec(g->key * PUSH, 0.0));
    if (carom_prediction_command(prediction, "body.force", args, NULL) == CAROM_OK) {
        g->pressed = g->key;
    }
    carom_value_free(args);
}

// The replica follows the server's log; the prediction begins with its first image.
static void on_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user)
{
    (void)client;
    game *g = user;
    if (g->prediction != NULL && g->error.status == CAROM_OK) {
        (void)carom_prediction_feed(g->prediction, snapshot, now_seconds(), &g->error);
    }
}

// Makes the world, unless it exists, and this player's disc in it.
static carom_status enter(game *g, carom_client *client, carom_error *error)
{
    carom_world_options world = carom_world_options_default();
    world.gravity = (carom_vec2){0.0, 0.0};
    carom_status status = carom_world_ensure(client, WORLD, &world, TIMEOUT_MS, NULL, NULL, error);
    const carom_shape round = carom_shape_circle(0.5);
    carom_body_options disc = carom_body_options_default();
    disc.linear_damping = 1.0;
    disc.ends_with_session = true;
    disc.shapes = &round;
    disc.shape_count = 1;
    if (status == CAROM_OK) {
        status = carom_body_spawn(client, WORLD, &disc, TIMEOUT_MS, &g->disc, NULL, error);
    }
    carom_subscribe_options log = carom_subscribe_options_default();
    log.encoding = "log";
    log.compact = carom_compact(client);
    return status == CAROM_OK ? carom_subscribe(client, WORLD, &log, TIMEOUT_MS, NULL, error)
                              : status;
}

// The disc's drawn velocity; NAN: there is no disc yet.
static double drawn_velocity(const game *g)
{
    carom_prediction_pose poses[BODIES_MAX];
    const size_t count = carom_prediction_poses(g->prediction, poses, BODIES_MAX);
    for (size_t i = 0; i < count && i < BODIES_MAX; i++) {
        if (poses[i].id == g->disc) {
            return poses[i].vx;
        }
    }
    return (double)NAN;
}

// Makes one frame: reads the input, and predicts. A real game draws the poses here.
static carom_status frame(game *g, carom_client *client, double until, carom_error *error)
{
    carom_status status = CAROM_OK;
    for (double left = until - now_seconds(); left > 0.0 && status == CAROM_OK;
         left = until - now_seconds()) {
        status = carom_poll(client, (int)(left * 1000.0) + 1, error);
    }
    if (status == CAROM_OK && g->error.status != CAROM_OK) {
        *error = g->error;
        status = error->status;
    }
    return status == CAROM_OK ? carom_prediction_frame(g->prediction, now_seconds(), error)
                              : status;
}

// Presses left and right in turn. Reports how many frames pass until the disc is driven that way.
static carom_status play(game *g, carom_client *client, double seconds, carom_error *error)
{
    int keys = 0;
    int moved = 0;
    int frames_most = 0;
    int since = -1; // frames since the key was pressed; -1: the disc obeys
    double before = 0.0;
    const double begun = now_seconds();
    const int frames = (int)(seconds * FRAMES_PER_SECOND);
    for (int i = 1; i <= frames; i++) {
        if (i % KEY_FRAMES == 0 && isfinite(before)) {
            g->key = g->key > 0.0 ? -1.0 : 1.0;
            keys++;
            since = 0;
        }
        const carom_status status = frame(g, client, begun + (double)i / FRAMES_PER_SECOND, error);
        if (status != CAROM_OK) {
            return status;
        }
        const double velocity = drawn_velocity(g);
        since += since >= 0;
        if (since > 0 && (velocity - before) * g->key > 0.0) {
            frames_most = since > frames_most ? since : frames_most;
            moved++;
            since = -1;
        }
        before = velocity;
    }
    const carom_prediction_figures f = carom_prediction_figures_now(g->prediction);
    printf("%d of %d keys moved the disc, in frame %d at the latest; the server is %.0f ms away\n",
           moved, keys, frames_most, 1e3 * f.rtt);
    printf("%llu of %llu ticks were predicted to the bit, %llu of %llu commands came late\n",
           (unsigned long long)f.ticks_right, (unsigned long long)f.ticks,
           (unsigned long long)f.late, (unsigned long long)f.sent);
    return CAROM_OK;
}

int main(int argc, char **argv)
{
    char host[64];
    uint16_t port;
    const double seconds = argc > 2 ? atof(argv[2]) : 5.0;
    if (argc > 3 || (argc > 1 && argv[1][0] == '-') || !(seconds > 0.0)) {
        fputs("usage: predict [host:port [seconds]]\n", stderr);
        return 2;
    }
    carom_error error = {0};
    carom_client *client = NULL;
    carom_replica *replica = carom_replica_create();
    game g = {0};
    carom_options options = carom_options_default();
    options.handlers.user = &g;
    options.handlers.snapshot = on_snapshot;
    carom_prediction_options how = carom_prediction_options_default();
    how.input = steer;
    how.user = &g;
    carom_status status =
        carom_address_parse(argc > 1 ? argv[1] : "", host, sizeof host, &port, &error);
    if (status == CAROM_OK) {
        status = carom_connect(host, port, TIMEOUT_MS, &options, &client, &error);
    }
    if (status == CAROM_OK) {
        status = carom_prediction_create(client, replica, &how, &g.prediction, &error);
    }
    if (status == CAROM_OK) {
        status = enter(&g, client, &error);
    }
    if (status == CAROM_OK) {
        status = play(&g, client, seconds, &error);
    }
    if (status == CAROM_OK && !carom_prediction_active(g.prediction, &error)) {
        status = error.status; // the keys still worked, a round trip later
    }
    if (status != CAROM_OK) {
        fprintf(stderr, "%s: %s\n", carom_status_name(status), error.text);
    }
    carom_prediction_free(g.prediction);
    carom_free(client);
    carom_replica_free(replica);
    return status == CAROM_OK ? 0 : 1;
}
