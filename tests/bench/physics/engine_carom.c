// carom behind the bench's interface. The world comes from the scene's own builder, not from
// scene_data: it is exactly the world of the golden hashes.
#include "tests/bench/physics/engine.h"

#include "common/physics/step/solver/contact_lanes.h"
#include "common/physics/image.h"
#include "common/physics/physics.h"
#include "server/world/tick/thread_pool.h"
#include "tests/bench/clock.h"
#include "tests/golden/scenes.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct carom_world {
    physics_world *world;
    thread_pool *pool; // NULL: one thread
    uint32_t count;
    uint8_t *image;
} carom_world;

static void describe(char *text, size_t size)
{
    snprintf(text, size, "carom %s (%s)", CAROM_VERSION, contact_kernels_choose()->name);
}

static double now_ms(void)
{
    return clock_seconds(CLOCK_WALL) * 1e3;
}

static void *create(const scene_data *scene, const engine_options *options)
{
    carom_world *self = calloc(1, sizeof *self);
    const scene_kind *kind = scene_find(scene->name);
    if (self == NULL || kind == NULL) {
        abort();
    }
    self->world = scene_create(kind, scene->scale, (vec2d){0.0, 0.0});
    self->count = scene->body_count;
    error err = {0};
    if (scene->sleep != kind->sleep &&
        world_set_sleep(self->world, scene->sleep, &err) != STATUS_OK) {
        abort();
    }
    if (options->threads > 1) {
        if (thread_pool_create(options->threads, &self->pool, &err) != STATUS_OK) {
            abort();
        }
        world_set_runner(self->world, thread_pool_runner(self->pool));
    }
    if (options->profile) {
        world_set_clock(self->world, now_ms);
    }
    return self;
}

static void destroy(void *world)
{
    carom_world *self = world;
    world_free(self->world);
    thread_pool_destroy(self->pool);
    free(self->image);
    free(self);
}

static void step(void *world)
{
    carom_world *self = world;
    world_step(self->world);
}

static void read_bodies(void *world, engine_body *bodies)
{
    const carom_world *self = world;
    body_row *rows =
        calloc(self->count, sizeof *rows); // freed at once: it is not part of the world's memory
    if (rows == NULL || world_rows(self->world, rows, self->count) != self->count) {
        abort();
    }
    for (uint32_t i = 0; i < self->count; i++) {
        const body_row *row = &rows[i];
        bodies[i] = (engine_body){
            .x = row->position.x,
            .y = row->position.y,
            .angle = (double)row->angle,
            .vx = (double)row->velocity.x,
            .vy = (double)row->velocity.y,
        };
    }
    free(rows);
}

static uint32_t contacts(void *world)
{
    carom_world *self = world;
    return world_count(self->world).contacts;
}

static uint32_t awake(void *world)
{
    carom_world *self = world;
    return world_count(self->world).awake;
}

static void phases(void *world, double ms[PHASE_COUNT])
{
    carom_world *self = world;
    world_profile p = world_last_profile(self->world);
    ms[PHASE_PAIRS] = p.find_pairs;
    ms[PHASE_NARROW] = p.impacts + p.narrow_phase;
    ms[PHASE_SOLVE] = p.solve;
    ms[PHASE_FINALIZE] = p.finalize;
    ms[PHASE_CONTINUOUS] = p.continuous;
    ms[PHASE_ISLANDS] = p.sleep;
    ms[PHASE_EVENTS] = p.events;
}

static uint64_t hash(void *world)
{
    carom_world *self = world;
    return world_hash(self->world);
}

static size_t save(void *world, const uint8_t **bytes)
{
    carom_world *self = world;
    size_t size;
    free(self->image);
    world_save(self->world, &self->image, &size);
    *bytes = self->image;
    return size;
}

static void *restore(void *world, const uint8_t *bytes, size_t size)
{
    carom_world *self = world;
    physics_world *restored = NULL;
    error err = {0};
    if (world_restore(bytes, size, &restored, &err) != STATUS_OK) {
        fprintf(stderr, "bench: %s\n", err.text);
        exit(1);
    }
    world_free(self->world);
    self->world = restored;
    return self;
}

const engine ENGINE_CAROM = {
    .name = "carom",
    .threads_max = THREAD_POOL_THREADS_MAX,
    .describe = describe,
    .create = create,
    .destroy = destroy,
    .step = step,
    .read = read_bodies,
    .contacts = contacts,
    .awake = awake,
    .phases = phases,
    .hash = hash,
    .save = save,
    .restore = restore,
};
