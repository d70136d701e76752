// One small interface over all engines, so that each measurement is written once.
//
// An engine is a table of functions; a world of it is opaque. Each engine runs with its own
// defaults: a scene sets only gravity, sleeping, shapes and materials. A world is made, stepped and
// read on one thread (an engine may use more of its own inside a step).
#ifndef CAROM_TESTS_BENCH_ENGINE_H
#define CAROM_TESTS_BENCH_ENGINE_H

#include "tests/bench/physics/scene_data.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ENGINE_DT (1.0 / 60.0) // length of a step [s]

// The phases of a step's time, as far as an engine reports them. Unreported time is in no phase.
typedef enum engine_phase {
    PHASE_PAIRS,  // broad phase: new overlaps of boxes
    PHASE_NARROW, // manifolds
    PHASE_SOLVE,  // constraints of contacts and joints, and integration
    PHASE_FINALIZE,
    PHASE_CONTINUOUS,
    PHASE_ISLANDS, // islands and sleep
    PHASE_EVENTS,
    PHASE_COUNT
} engine_phase;

typedef struct engine_body { // state of the body's origin
    double x, y, angle;
    double vx, vy;
} engine_body;

typedef struct engine_options {
    int threads;
    bool profile; // engine.phases() will be called
} engine_options;

typedef struct engine {
    const char *name; // name on the command line
    const char *note; // a note on its build for readers of its figures; NULL: none
    int threads_max;
    // Writes the version, and the variant chosen at run time, to `text`.
    void (*describe)(char *text, size_t size);
    // Never NULL: if an engine cannot build the scene, the process ends with a text.
    void *(*create)(const scene_data *scene, const engine_options *options);
    void (*destroy)(void *world);
    void (*step)(void *world);
    void (*read)(void *world, engine_body *bodies); // all bodies of the scene, in its order
    uint32_t (*contacts)(void *world);              // pairs of shapes that touch
    uint32_t (*awake)(void *world);                 // dynamic bodies
    // Times of the last step [ms]; negative: the engine does not report it. NULL: it reports none.
    void (*phases)(void *world, double ms[PHASE_COUNT]);
    // The whole state as bytes, and back; NULL: the engine lacks this.
    uint64_t (*hash)(void *world);
    // Returns the number of bytes; the world owns them until it is saved again or destroyed.
    size_t (*save)(void *world, const uint8_t **bytes);
    // Returns a world in the state of the image: a new one or the given one, whichever the engine
    // can do faster. The given world is no longer valid unless it is returned.
    void *(*restore)(void *world, const uint8_t *bytes, size_t size);
} engine;

// The engines that were compiled in; carom is the first.
const engine *const *engine_list(int *count);
const engine *engine_find(const char *name);

extern const engine ENGINE_CAROM;
extern const engine ENGINE_BOX2D3;
extern const engine ENGINE_BOX2D2;
extern const engine ENGINE_CHIPMUNK;

#ifdef __cplusplus
}
#endif
#endif
