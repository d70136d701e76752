// Runs a scene and times its steps, or its image; see measure.h. A world that is discarded warms up
// code, allocator and clock speed before the measured one. Main thread only, since memory is
// measured in the main thread's heap.
#include "tests/bench/physics/measure.h"

#include "common/base/block.h"
#include "tests/bench/processor.h"
#include "tests/bench/statistics.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    // steps of a world that is then discarded, to warm up code, allocator and clock speed
    WARM_STEPS = 20,
    BATCH_STEPS = 60, // steps timed together if one step is shorter than reading the clock
    IMAGE_ROUNDS = 25
};

#define BATCH_BELOW_MS 0.002

_Noreturn static void give_up(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static void pin_to(int cpu)
{
    if (cpu >= 0 && !processor_pin(cpu)) {
        give_up("cannot be pinned to that processor");
    }
}

// The bytes allocated now. Everything here is on the main thread's heap.
static double allocated_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd + (double)block_mapped_bytes();
}

static void step_many(const engine *e, void *world, int steps)
{
    for (int i = 0; i < steps; i++) {
        e->step(world);
    }
}

static uint32_t dynamic_bodies(const scene_data *scene)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        count += scene->bodies[i].motion == SCENE_DYNAMIC ? 1U : 0U;
    }
    return count;
}

static bool used_up(const measure_request *request, double start)
{
    return clock_seconds(CLOCK_CPU) - start > request->budget_s;
}

static int take_times(const engine *e, void *world, int steps, const measure_request *request,
                      double *samples)
{
    double begin = clock_seconds(CLOCK_CPU);
    int done = 0;
    int batch = 1;
    while (done < steps && !used_up(request, begin)) {
        int count = batch < steps - done ? batch : steps - done;
        double start = clock_seconds(request->clock);
        step_many(e, world, count);
        double ms = (clock_seconds(request->clock) - start) * 1e3 / count;
        for (int i = 0; i < count; i++) {
            samples[done++] = ms;
        }
        batch = ms < BATCH_BELOW_MS ? BATCH_STEPS : 1;
    }
    return done;
}

static void run_times(const engine *e, const scene_data *scene, const measure_request *request,
                      int steps, measure_result *result, double *samples)
{
    const engine_options options = {.threads = request->threads};
    void *warm = e->create(scene, &options);
    step_many(e, warm, WARM_STEPS);
    e->destroy(warm);
    void *world = e->create(scene, &options);
    step_many(e, world, scene->settle);
    result->steps = (uint32_t)take_times(e, world, steps, request, samples);
    result->sample_count = result->steps;
    e->destroy(world);
}

static void add_phases(const engine *e, void *world, double step_ms, measure_result *result)
{
    double ms[PHASE_COUNT] = {0};
    result->step += step_ms;
    if (e->phases != NULL) {
        e->phases(world, ms);
    }
    for (int i = 0; i < PHASE_COUNT; i++) {
        result->phases[i] += ms[i];
    }
}

// Engines read the wall clock themselves. A step during which another thread had the processor
// would distort their figures, and does not count.
static bool was_interrupted(const measure_request *request, double wall, double cpu)
{
    return request->threads == 1 && wall - cpu > 0.02 * wall + 2e-6;
}

static int take_phases(const engine *e, void *world, int steps, const measure_request *request,
                       measure_result *result)
{
    double begin = clock_seconds(CLOCK_CPU);
    int done = 0;
    int counted = 0;
    while (done < steps && !used_up(request, begin)) {
        double cpu = clock_seconds(CLOCK_CPU);
        double wall = clock_seconds(CLOCK_WALL);
        e->step(world);
        wall = clock_seconds(CLOCK_WALL) - wall;
        cpu = clock_seconds(CLOCK_CPU) - cpu;
        if (!was_interrupted(request, wall, cpu)) {
            add_phases(e, world, wall * 1e3, result);
            counted++;
        }
        done++;
    }
    result->step /= counted;
    for (int i = 0; i < PHASE_COUNT; i++) {
        result->phases[i] = e->phases == NULL ? -1.0 : result->phases[i] / counted;
    }
    return done;
}

static engine_body *scene_bodies(const scene_data *scene)
{
    engine_body *bodies = calloc(scene->body_count, sizeof *bodies);
    if (bodies == NULL) {
        give_up("no memory");
    }
    return bodies;
}

// Records the depth of overlaps in the course of a run. It needs a run of its own, because reading
// the bodies empties the caches.
static void watch_overlap(const engine *e, const scene_data *scene, const engine_options *options,
                          int steps, measure_result *result)
{
    double depths[OVERLAP_LOOKS];
    int count = 0;
    engine_body *bodies = scene_bodies(scene);
    void *world = e->create(scene, options);
    step_many(e, world, scene->settle);
    for (int done = 0; done < steps; done++) {
        e->step(world);
        if (done * OVERLAP_LOOKS >= count * steps) {
            e->read(world, bodies);
            depths[count++] = quality_overlap(scene, bodies);
        }
    }
    result->quality.overlap_typical = median(depths, (size_t)count);
    result->quality.overlap_deepest = quantile(depths, (size_t)count, 1.0);
    e->destroy(world);
    free(bodies);
}

static void run_look(const engine *e, const scene_data *scene, const measure_request *request,
                     int steps, measure_result *result)
{
    const engine_options options = {.threads = request->threads, .profile = true};
    engine_body *bodies = scene_bodies(scene);
    double before = allocated_bytes();
    void *world = e->create(scene, &options);
    step_many(e, world, scene->settle);
    result->steps = (uint32_t)take_phases(e, world, steps, request, result);
    result->bytes_per_body = (allocated_bytes() - before) / scene->body_count;
    result->contacts = e->contacts(world);
    result->awake = e->awake(world);
    e->read(world, bodies);
    result->quality = quality_measure(scene, bodies);
    e->destroy(world);
    free(bodies);
    watch_overlap(e, scene, &options, (int)result->steps, result);
}

static void run_image(const engine *e, const scene_data *scene, const measure_request *request,
                      int steps, measure_result *result)
{
    result->hash_ms = result->save_ms = result->restore_ms = -1.0;
    if (e->hash == NULL) {
        return;
    }
    const engine_options options = {.threads = request->threads};
    void *world = e->create(scene, &options);
    step_many(e, world, steps);
    double hash_ms[IMAGE_ROUNDS];
    double save_ms[IMAGE_ROUNDS];
    double restore_ms[IMAGE_ROUNDS];
    for (int i = 0; i < IMAGE_ROUNDS; i++) {
        const uint8_t *bytes;
        double t0 = clock_seconds(request->clock);
        uint64_t hash = e->hash(world);
        double t1 = clock_seconds(request->clock);
        size_t size = e->save(world, &bytes);
        double t2 = clock_seconds(request->clock);
        world = e->restore(world, bytes, size);
        double t3 = clock_seconds(request->clock);
        if (e->hash(world) != hash) {
            give_up("a restored world has another hash");
        }
        hash_ms[i] = (t1 - t0) * 1e3;
        save_ms[i] = (t2 - t1) * 1e3;
        restore_ms[i] = (t3 - t2) * 1e3;
        result->image_bytes = (double)size;
    }
    result->hash_ms = median(hash_ms, IMAGE_ROUNDS);
    result->save_ms = median(save_ms, IMAGE_ROUNDS);
    result->restore_ms = median(restore_ms, IMAGE_ROUNDS);
    e->destroy(world);
}

void measure_run(const measure_request *request, measure_result *result, double *samples)
{
    const engine *e = engine_find(request->engine);
    scene_data *scene = scene_data_create(request->scene, request->fraction);
    if (e == NULL || scene == NULL) {
        give_up("no such engine or scene");
    }
    pin_to(request->cpu);
    int steps = request->steps > 0 && request->steps < scene->steps ? request->steps : scene->steps;
    steps = steps < SAMPLES_MAX ? steps : SAMPLES_MAX;
    *result = (measure_result){
        .bodies = dynamic_bodies(scene),
        .steps = (uint32_t)steps,
        .steps_wanted = (uint32_t)steps,
    };
    switch (request->kind) {
    case MEASURE_TIMES:
        run_times(e, scene, request, steps, result, samples);
        break;
    case MEASURE_LOOK:
        run_look(e, scene, request, steps, result);
        break;
    case MEASURE_IMAGE:
        run_image(e, scene, request, steps, result);
        break;
    }
    scene_data_free(scene);
}
