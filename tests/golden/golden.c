// Golden hashes: the same scenes give the same bits everywhere.
//
//     golden [--ticks N] [--threads N] [--pool N] FILE
//         compares with the hashes of FILE, up to tick N; so many scenes at a time, each stepped by
//         a thread pool of so many
//     golden --write FILE
//         writes them: after a change of the engine that is meant to change what worlds do
//     golden --wild FIRST COUNT
//         prints the hashes of so many worlds that break physics (wild.h), for test_wild.py
//
// The first line of the file names the engine's behaviour (ENGINE_BEHAVIOUR) that its hashes are
// of, with a digest over number and hashes. Hashes of scenes that were there already are only
// written again once that number was raised, and a line that was altered by hand fails by the
// digest: so worlds never change what they do while the number stays. Every other line is a scene,
// a tick, the world's hash at its end, a hash over all events so far, and one over the bytes of its
// image. This program is built several times, with other compilers, optimisation and vectors and
// for other processors (see CMakeLists.txt); the file is one.
#include <pthread.h>
#include <stdatomic.h>

#include "common/physics/step/solver/contact_lanes.h"
#include "server/world/tick/thread_pool.h"
#include "tests/golden/golden_hash.h"
#include "tests/golden/scenes.h"
#include "tests/golden/wild.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS = 1000, LINES_MAX = 256, SCENES_MAX = 32, THREADS_MAX = 16 };

static const int TOLD[] = {1, 10, 50, 100, 200, 300, 500, 700, 1000};

typedef struct golden_line {
    char scene[32];
    int tick;
    uint64_t state, events, image;
} golden_line;

typedef struct golden_list {
    golden_line lines[LINES_MAX];
    int count;
    unsigned behaviour; // the engine's behaviour number
    uint64_t digest;    // the digest in the file
} golden_list;

// The pool distributes even the smallest work, so that small scenes test what large ones would.
static thread_pool *lend_pool(physics_world *world, int threads)
{
    thread_pool *c = NULL;
    error err = {0};
    if (threads > 1 && thread_pool_create(threads, &c, &err) != STATUS_OK) {
        fprintf(stderr, "golden: %s\n", err.text);
        exit(1);
    }
    if (c != NULL) {
        task_runner runner = thread_pool_runner(c);
        runner.eager = true;
        world_set_runner(world, runner);
    }
    return c;
}

static void run_scene(const scene_kind *kind, int ticks, int threads, golden_list *list)
{
    const vec2d origin = {0.0, 0.0};
    physics_world *world = scene_create(kind, kind->golden_scale, origin);
    thread_pool *c = lend_pool(world, threads);
    world_want_events(world, UINT32_MAX);
    uint64_t events = 0;
    size_t next = 0;
    for (int tick = 1; tick <= ticks; tick++) {
        scene_step(kind, world, kind->golden_scale, origin);
        events = mix_events(events, world);
        if (next < sizeof TOLD / sizeof *TOLD && TOLD[next] == tick && list->count < LINES_MAX) {
            golden_line *line = &list->lines[list->count++];
            snprintf(line->scene, sizeof line->scene, "%s", kind->name);
            line->tick = tick;
            line->state = world_hash(world);
            line->events = events;
            line->image = image_hash(world);
            next++;
        }
    }
    world_free(world);
    thread_pool_destroy(c);
}

// The scenes, each with a list of its own; any free thread takes the next one.
typedef struct golden_work {
    const scene_kind *kinds;
    int count, ticks;
    int each; // threads that each world is stepped by
    atomic_int next;
    golden_list lists[SCENES_MAX];
} golden_work;

static void *run_scenes(void *context)
{
    golden_work *work = context;
    for (int i; (i = atomic_fetch_add(&work->next, 1)) < work->count;) {
        if (work->kinds[i].golden_scale > 0) {
            run_scene(&work->kinds[i], work->ticks, work->each, &work->lists[i]);
        }
    }
    return NULL;
}

// All scenes, on `threads` threads at a time; lines in the order of the scenes.
static void run_all(int ticks, int threads, int each, golden_list *got)
{
    static golden_work work;
    work.kinds = scene_kinds(&work.count);
    work.count = work.count < SCENES_MAX ? work.count : SCENES_MAX;
    work.ticks = ticks;
    work.each = each;
    pthread_t ids[THREADS_MAX];
    int started = 0;
    while (started < threads - 1 && started < THREADS_MAX &&
           pthread_create(&ids[started], NULL, run_scenes, &work) == 0) {
        started++;
    }
    run_scenes(&work);
    for (int i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
    }
    for (int i = 0; i < work.count; i++) {
        for (int k = 0; k < work.lists[i].count && got->count < LINES_MAX; k++) {
            got->lines[got->count++] = work.lists[i].lines[k];
        }
    }
}

static uint64_t digest_of(const golden_list *list)
{
    uint64_t hash = mix(0, list->behaviour);
    for (int i = 0; i < list->count; i++) {
        const golden_line *l = &list->lines[i];
        for (const char *c = l->scene; *c != '\0'; c++) {
            hash = mix(hash, (uint64_t)(unsigned char)*c);
        }
        hash = mix(mix(mix(mix(hash, (uint64_t)l->tick), l->state), l->events), l->image);
    }
    return hash;
}

// Whether the file is as it was written, for this engine.
static bool is_current(const golden_list *list)
{
    if (list->digest != digest_of(list)) {
        printf("the file was altered by hand: its digest is not that of its lines\n");
        return false;
    }
    if (list->behaviour != ENGINE_BEHAVIOUR) {
        printf("the file is of behaviour %u, the engine's is %d (physics.h): write it again\n",
               list->behaviour, ENGINE_BEHAVIOUR);
        return false;
    }
    return true;
}

// Whether a scene in the file has another hash although the behaviour's number is the same.
static bool changes_secretly(const golden_list *old, const golden_list *list)
{
    for (int i = 0; i < old->count && old->behaviour == ENGINE_BEHAVIOUR; i++) {
        const golden_line *o = &old->lines[i];
        for (int k = 0; k < list->count; k++) {
            const golden_line *l = &list->lines[k];
            if (strcmp(o->scene, l->scene) == 0 && o->tick == l->tick &&
                (o->state != l->state || o->events != l->events || o->image != l->image)) {
                printf("%s, tick %d: another hash; raise ENGINE_BEHAVIOUR (physics.h) first\n",
                       o->scene, o->tick);
                return true;
            }
        }
    }
    return false;
}

static int write_file(const char *path, const golden_list *list)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    fprintf(file, "behaviour %u %016" PRIx64 "\n", list->behaviour, digest_of(list));
    fputs("# scene tick state events image; written by golden --write, see golden.c\n", file);
    for (int i = 0; i < list->count; i++) {
        const golden_line *l = &list->lines[i];
        fprintf(file, "%s %d %016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\n", l->scene, l->tick,
                l->state, l->events, l->image);
    }
    return fclose(file) != 0;
}

static int read_file(const char *path, golden_list *list)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    char text[128];
    while (list->count < LINES_MAX && fgets(text, sizeof text, file) != NULL) {
        golden_line *l = &list->lines[list->count];
        sscanf(text, "behaviour %u %" SCNx64, &list->behaviour, &list->digest);
        if (sscanf(text, "%31s %d %" SCNx64 " %" SCNx64 " %" SCNx64, l->scene, &l->tick, &l->state,
                   &l->events, &l->image) == 5) {
            list->count++;
        }
    }
    fclose(file);
    return 0;
}

// Counts the lines that differ. Only the first of each scene is reported, since the later ones
// follow from it.
static int compare(const golden_list *wanted, const golden_list *got, int ticks)
{
    int wrong = 0;
    int compared = 0;
    const char *told = "";
    for (int i = 0; i < wanted->count; i++) {
        const golden_line *w = &wanted->lines[i];
        if (w->tick > ticks) {
            continue;
        }
        const golden_line *g = compared < got->count ? &got->lines[compared] : NULL;
        compared++;
        bool same = g != NULL && strcmp(w->scene, g->scene) == 0 && w->tick == g->tick &&
                    w->state == g->state && w->events == g->events && w->image == g->image;
        wrong += !same;
        if (!same && strcmp(told, w->scene) != 0) {
            printf("%s: tick %d: state %016" PRIx64 ", wanted %016" PRIx64
                   "; events %s, image %s\n",
                   w->scene, w->tick, g != NULL ? g->state : 0, w->state,
                   g != NULL && g->events == w->events ? "agree" : "differ",
                   g != NULL && g->image == w->image ? "agrees" : "differs");
            told = w->scene;
        }
    }
    if (compared != got->count || compared == 0) {
        printf("the file has %d lines up to tick %d, %d were made\n", compared, ticks, got->count);
        wrong++;
    }
    return wrong;
}

// Whether the processor has the features for which this program was compiled; ctest takes 77 as
// skipped.
static bool can_run(void)
{
#ifdef __AVX2__
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
    return true;
#endif
}

static int print_wild(const char *first, const char *count)
{
    const uint64_t seed = strtoull(first, NULL, 10);
    for (uint64_t i = 0; i < strtoull(count, NULL, 10); i++) {
        printf("%" PRIu64 " %016" PRIx64 "\n", seed + i, wild_hash(seed + i));
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (!can_run()) {
        return 77;
    }
    if (argc == 4 && strcmp(argv[1], "--wild") == 0) {
        return print_wild(argv[2], argv[3]);
    }
    static golden_list wanted;
    static golden_list got;
    int ticks = TICKS;
    int threads = 1;
    int each = 1;
    bool writes = false;
    const char *path = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--write") == 0) {
            writes = true;
        } else if (strcmp(argv[i], "--ticks") == 0 && i + 1 < argc) {
            ticks = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            threads = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--pool") == 0 && i + 1 < argc) {
            each = atoi(argv[++i]);
        } else {
            path = argv[i];
        }
    }
    bool valid = each >= 1 && each <= THREAD_POOL_THREADS_MAX;
    if (path == NULL || !valid || (read_file(path, &wanted) != 0 && !writes)) {
        fprintf(stderr, "usage: golden [--write] [--ticks N] [--threads N] [--pool N] FILE\n"
                        "       golden --wild FIRST COUNT\n");
        return 2;
    }
    if (!writes && !is_current(&wanted)) {
        return 1;
    }
    printf("contact kernels: %s\n", contact_kernels_choose()->name);
    run_all(ticks, threads, each, &got);
    got.behaviour = ENGINE_BEHAVIOUR;
    if (writes && (changes_secretly(&wanted, &got))) {
        return 1;
    }
    if (writes) {
        return write_file(path, &got);
    }
    int wrong = compare(&wanted, &got, ticks);
    printf("%d of %d hashes differ\n", wrong, got.count);
    return wrong != 0;
}
