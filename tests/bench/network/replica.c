// The time of a replica's tick compared with the engine's own step.
//
// A scene is stepped as on a server; each tick's record is fed to a replica in the form of its
// notification, and the processor time of both is measured. A replica decodes the record, applies
// its commands, steps, and compares the state's hash; a second run without the comparison shows the
// hash's share.
#include <carom/replica.h>

#include <stdlib.h>

#include "common/physics/image.h"
#include "tests/bench/caromd.h"
#include "tests/bench/clock.h"
#include "tests/bench/network/parts.h"
#include "tests/bench/network/scenes.h"
#include "tests/bench/statistics.h"

enum { RECORD_BYTES_MAX = 64 << 20 };

typedef struct times {
    double *step, *fed, *unverified; // times of each tick [s]
    size_t count;
} times;

static double feed(carom_replica *replica, const log_record *record)
{
    buffer out;
    carom_error why;
    buffer_init(&out, RECORD_BYTES_MAX);
    log_record_encode(&out, record);
    const double begin = clock_seconds(CLOCK_CPU);
    const carom_status s = carom_replica_feed(replica, out.data, out.size, &why);
    const double seconds = clock_seconds(CLOCK_CPU) - begin;
    buffer_deinit(&out);
    if (s != CAROM_OK) {
        give_up(why.text);
    }
    return seconds;
}

// A replica that has the world's state.
static carom_replica *copy(const physics_world *world, bool verifies)
{
    carom_replica *replica = carom_replica_create();
    uint8_t *image = NULL;
    log_record record = {.from = world_tick(world), .tick = world_tick(world)};
    if (replica == NULL) {
        give_up("no memory");
    }
    world_save(world, &image, &record.image_size);
    record.image = image;
    carom_replica_verify(replica, verifies);
    feed(replica, &record);
    free(image);
    return replica;
}

static void run_scene(const network_scene *s, times *t, size_t ticks)
{
    scene_commands commands;
    body_id ball = 0;
    physics_world *world = network_scene_create(s, &ball);
    scene_commands_init(&commands);
    carom_replica *replica = copy(world, true);
    carom_replica *trusting = copy(world, false);
    for (t->count = 0; t->count < ticks; t->count++) {
        const double begin = clock_seconds(CLOCK_CPU);
        network_scene_step(s, world, ball, &commands);
        t->step[t->count] = clock_seconds(CLOCK_CPU) - begin;
        const log_record record = network_scene_record(world, &commands);
        t->fed[t->count] = feed(replica, &record);
        t->unverified[t->count] = feed(trusting, &record);
    }
    if (carom_replica_now(replica).hash != world_hash(world)) {
        give_up("the replica is another world");
    }
    carom_replica_free(replica);
    carom_replica_free(trusting);
    scene_commands_deinit(&commands);
    world_free(world);
}

static double *numbers(size_t count)
{
    double *list = calloc(count, sizeof *list);
    if (list == NULL) {
        give_up("no memory");
    }
    return list;
}

static void add_row(table *out, const network_scene *s, times *t)
{
    const double step = median(t->step, t->count);
    const double fed = median(t->fed, t->count);
    table_text(out, s->name);
    table_number(out, step * 1e6, 3);
    table_number(out, fed * 1e6, 3);
    table_ratio(out, fed / step);
    table_ratio(out, median(t->unverified, t->count) / step);
    table_number(out, quantile(t->step, t->count, 0.99) * 1e6, 3);
    table_number(out, quantile(t->fed, t->count, 0.99) * 1e6, 3);
}

void part_replica(const bench_run *run)
{
    static const char *const HEADS[] = {"<scene",
                                        "step [us]",
                                        "replica [us]",
                                        "replica : step",
                                        "without hash : step",
                                        "step p99",
                                        "replica p99",
                                        NULL};
    table *out = table_create(HEADS);
    int count;
    const network_scene *scenes = network_scenes(&count);
    for (int i = 0; i < count; i++) {
        const network_scene *s = &scenes[i];
        if (is_named(run->scenes, s->name)) {
            const double seconds = run->seconds > 0.0 ? run->seconds : s->seconds;
            const size_t ticks = (size_t)(seconds * s->hz);
            times t = {numbers(ticks), numbers(ticks), numbers(ticks), 0};
            run_scene(s, &t, ticks);
            add_row(out, s, &t);
            free(t.step);
            free(t.fed);
            free(t.unverified);
        }
    }
    report_add(run->report, "replica",
               "A replica's tick, its record decoded and the hash compared, beside the engine's "
               "own step (thread time, medians):",
               out);
}
