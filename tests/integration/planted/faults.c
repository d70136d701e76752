// Faults in the files that a server writes before another process takes over, and in a step of the
// engine, for tests that have to find them. The linker puts these functions between two files of
// the server
// (--wrap, CMakeLists.txt of the folder above); CAROM_PLANT in the environment names the fault.
//
//     lost-commands  a world's records from the one on that has the text "lost from here" in it are
//                    not written, and count as committed
//     lost-end       likewise what is written when the server stops
//     lost-destroy   likewise the end of a world that is destroyed
//     lost-world     a world without a log is left out of the file of worlds for the next process
//     failed-step    an assertion fails in the step to tick 5 of each world of 61 Hz
//     wild-step      likewise, but it writes where no memory is
//     stuck-step     that step does not end before the file that CAROM_GATE names is there
//
// Where CAROM_GATE in the environment names a file, a restart does not play the log of a world
// named slow… before that file is there, and that of a world named slow-broken… not then either.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "server/session/placement/restore_way.h"
#include "server/session/service.h"
#include "server/storage/storage.h"
#include "server/world/tick/served_world.h"

enum { WORLDS_MAX = 64 };

static const char MARK[] = "lost from here";

// A world whose log ended before the world did.
typedef struct lost_world {
    const storage_world *stored;
    uint64_t sequence; // sequence that it claims to have stored
    storage_wake *wake;
    void *context;
} lost_world;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static lost_world worlds[WORLDS_MAX];
static _Thread_local bool stopping;
static atomic_bool over; // a fault lasts until the server stops; afterwards the world has none

static bool is_planted(const char *name)
{
    const char *planted = getenv("CAROM_PLANT");
    return !atomic_load(&over) && planted != NULL && strcmp(planted, name) == 0;
}

static lost_world *find(const storage_world *w)
{
    for (int i = 0; i < WORLDS_MAX; i++) {
        if (worlds[i].stored == w || worlds[i].stored == NULL) {
            worlds[i].stored = w;
            return &worlds[i];
        }
    }
    ASSERT(false);
    return NULL;
}

// Loses the record without reporting it.
static void lose(storage_world *w, uint64_t *sequence)
{
    pthread_mutex_lock(&lock);
    lost_world *lost = find(w);
    lost->sequence = ++*sequence;
    storage_wake *wake = lost->wake;
    void *context = lost->context;
    pthread_mutex_unlock(&lock);
    if (wake != NULL) {
        wake(context);
    }
}

static bool is_lost(const storage_world *w)
{
    pthread_mutex_lock(&lock);
    bool lost = find(w)->sequence > 0;
    pthread_mutex_unlock(&lock);
    return lost;
}

void __real_storage_watch(storage_world *w, storage_wake *wake, void *context);
void __wrap_storage_watch(storage_world *w, storage_wake *wake, void *context);

void __wrap_storage_watch(storage_world *w, storage_wake *wake, void *context)
{
    pthread_mutex_lock(&lock);
    find(w)->wake = wake;
    find(w)->context = context;
    pthread_mutex_unlock(&lock);
    __real_storage_watch(w, wake, context);
}

uint64_t __real_storage_committed(const storage_world *w);
uint64_t __wrap_storage_committed(const storage_world *w);

uint64_t __wrap_storage_committed(const storage_world *w)
{
    uint64_t real = __real_storage_committed(w);
    pthread_mutex_lock(&lock);
    uint64_t claimed = find(w)->sequence;
    pthread_mutex_unlock(&lock);
    return claimed > real ? claimed : real;
}

status __real_storage_append(storage_world *w, uint64_t first_tick, uint64_t last_tick,
                             const uint64_t *hash, shared_bytes *bytes, uint64_t *sequence,
                             error *err);
status __wrap_storage_append(storage_world *w, uint64_t first_tick, uint64_t last_tick,
                             const uint64_t *hash, shared_bytes *bytes, uint64_t *sequence,
                             error *err);

status __wrap_storage_append(storage_world *w, uint64_t first_tick, uint64_t last_tick,
                             const uint64_t *hash, shared_bytes *bytes, uint64_t *sequence,
                             error *err)
{
    bool marked = memmem(bytes->data, bytes->size, MARK, sizeof MARK - 1) != NULL;
    if ((is_planted("lost-commands") && (marked || is_lost(w))) ||
        (is_planted("lost-end") && stopping)) {
        lose(w, sequence);
        return STATUS_OK;
    }
    return __real_storage_append(w, first_tick, last_tick, hash, bytes, sequence, err);
}

status __real_storage_destroy(storage_world *w, uint64_t *sequence, error *err);
status __wrap_storage_destroy(storage_world *w, uint64_t *sequence, error *err);

status __wrap_storage_destroy(storage_world *w, uint64_t *sequence, error *err)
{
    if (is_planted("lost-destroy")) {
        lose(w, sequence);
        return STATUS_OK;
    }
    return __real_storage_destroy(w, sequence, err);
}

status __real_storage_close(storage *s, error *err);
status __wrap_storage_close(storage *s, error *err);

status __wrap_storage_close(storage *s, error *err)
{
    status result = __real_storage_close(s, err);
    if (s != NULL) {
        pthread_mutex_lock(&lock);
        memset(worlds, 0, sizeof worlds); // addresses come again
        pthread_mutex_unlock(&lock);
        atomic_store(&over, true);
    }
    return result;
}

bool __real_served_world_flush(served_world *h);
bool __wrap_served_world_flush(served_world *h);

bool __wrap_served_world_flush(served_world *h)
{
    stopping = true;
    bool held = __real_served_world_flush(h);
    stopping = false;
    return held;
}

void __real_handover_note(server *s, const reply *r);
void __wrap_handover_note(server *s, const reply *r);

void __wrap_handover_note(server *s, const reply *r)
{
    if (!is_planted("lost-world") || r->end.kind != WORLD_END_BARE) {
        __real_handover_note(s, r);
    }
}

// ---- worlds that take long to restore

enum { GATE_POLL_MS = 2 };
static const char SLOW[] = "slow";
static const char BROKEN[] = "slow-broken";

static void break_marked(restored_world *w)
{
    if (getenv("CAROM_GATE") != NULL && strncmp(w->name, BROKEN, sizeof BROKEN - 1) == 0) {
        error why;
        error_set(&why, STATUS_INTERNAL, "a fault is planted in it");
        restore_fail(w, &why);
    }
}

void __real_restore_play(restored_world *w);
void __wrap_restore_play(restored_world *w);

void __wrap_restore_play(restored_world *w)
{
    const char *gate = getenv("CAROM_GATE");
    const struct timespec pause = {.tv_nsec = GATE_POLL_MS * 1000000L};
    while (gate != NULL && strncmp(w->name, SLOW, sizeof SLOW - 1) == 0 &&
           access(gate, F_OK) != 0) {
        nanosleep(&pause, NULL);
    }
    break_marked(w);
    __real_restore_play(w);
}

void __real_restore_play_all(restored_worlds *list, int threads);
void __wrap_restore_play_all(restored_worlds *list, int threads);

void __wrap_restore_play_all(restored_worlds *list, int threads)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->data[i].way != NULL) {
            break_marked(&list->data[i]);
        }
    }
    __real_restore_play_all(list, threads);
}

// ---- steps that end the process

enum { LAST_TICK = 4 };
static const double MARKED_HZ = 61.0;

void __real_world_step(physics_world *world);
void __wrap_world_step(physics_world *world);

void __wrap_world_step(physics_world *world)
{
    const bool fails = world_definition(world).hz == MARKED_HZ && world_tick(world) == LAST_TICK;
    ASSERT(!(fails && is_planted("failed-step")));
    if (fails && is_planted("wild-step")) {
        // The address is 64, which the compiler does not know; for a null pointer a sanitizer would
        // report first.
        *(volatile int *)(getauxval(AT_NULL) + 64) = 1;
    }
    while (fails && is_planted("stuck-step") && access(getenv("CAROM_GATE"), F_OK) != 0) {
        const struct timespec pause = {.tv_nsec = GATE_POLL_MS * 1000000L};
        nanosleep(&pause, NULL);
    }
    __real_world_step(world);
}
