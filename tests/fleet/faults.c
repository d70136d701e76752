// Faults in how a server of a fleet keeps the rules of server/fleet/ownership.h, for the checker of
// test_planted.py to find. The linker puts these functions between files of the server (--wrap,
// CMakeLists.txt); CAROM_PLANT in the environment names the fault:
//
//     early-answer       rule 2: what a world shows does not wait for its standby
//     show-after-losing  rule 5: a server that lost a world to another one serves it on
//     trust-read         rule 1: a standby serves by what it read, before its transaction
//     forget-term        rule 1: a restarted server serves its copy, whatever term began since
//     two-standbys       rule 4: a primary takes a second standby while the record names the first
//
// And two that are no faults of the program:
//
//     die-when-won       the process is killed when the record names it the primary
//     late-disk          a log's name is free only after 80 questions, as if an older copy of the
//                        world were still being dropped
//
// While there is a file of the name that CAROM_CUT gives, what pairs send is lost, as in a link
// that was cut: a sound server loses nothing by it.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/fleet/fleet.h"
#include "server/fleet/peer.h"
#include "server/session/pair/internal.h"
#include "server/session/placement/restore.h"
#include "server/session/service.h"

int64_t __real_ownership_shows_to(const ownership *o);
int64_t __wrap_ownership_shows_to(const ownership *o);
bool __wrap_ownership_awaits_store(const ownership *o);
void __real_server_lose_world(server *s, const char *world, const world_record *winner);
void __wrap_server_lose_world(server *s, const char *world, const world_record *winner);
void __real_fleet_claim(fleet *f, const char *world, double hz, fleet_claimed done, void *context);
void __wrap_fleet_claim(fleet *f, const char *world, double hz, fleet_claimed done, void *context);
int64_t __real_fleet_term(const fleet *f, const char *world);
int64_t __wrap_fleet_term(const fleet *f, const char *world);
bool __real_peer_send(peer_link *link, uint8_t kind, const void *head, size_t head_size,
                      const void *body, size_t body_size);
bool __wrap_peer_send(peer_link *link, uint8_t kind, const void *head, size_t head_size,
                      const void *body, size_t body_size);

shipped_making *__real_shipped_begin(const shipped *s, server *to, restored_world *w);
shipped_making *__wrap_shipped_begin(const shipped *s, server *to, restored_world *w);

status __real_storage_create(storage *s, const char *name, uint64_t epoch, storage_durability kept,
                             storage_world **out, error *err);
status __wrap_storage_create(storage *s, const char *name, uint64_t epoch, storage_durability kept,
                             storage_world **out, error *err);

static bool is_planted(const char *fault)
{
    const char *planted = getenv("CAROM_PLANT");
    return planted != NULL && strcmp(planted, fault) == 0;
}

int64_t __wrap_ownership_shows_to(const ownership *o)
{
    const int64_t most = __real_ownership_shows_to(o);
    return is_planted("early-answer") && most >= 0 ? INT64_MAX : most;
}

bool __wrap_ownership_awaits_store(const ownership *o)
{
    if (is_planted("trust-read")) {
        return o->state != OWNERSHIP_TAKING_OVER;
    }
    return !(is_planted("two-standbys") &&
             (o->state == OWNERSHIP_UNPAIRING || o->state == OWNERSHIP_PAIRING));
}

void __wrap_server_lose_world(server *s, const char *world, const world_record *winner)
{
    const world_entry *entry = directory_find(&s->worlds, world);
    pair *one = entry != NULL && s->pairs != NULL ? pairs_find(s->pairs, entry->number) : NULL;
    if (one != NULL && is_planted("show-after-losing")) {
        world_feed_allow(one->feed, UINT64_MAX);
        return;
    }
    __real_server_lose_world(s, world, winner);
}

void __wrap_fleet_claim(fleet *f, const char *world, double hz, fleet_claimed done, void *context)
{
    if (is_planted("forget-term")) {
        done(context, NULL, NULL);
        return;
    }
    __real_fleet_claim(f, world, hz, done, context);
}

int64_t __wrap_fleet_term(const fleet *f, const char *world)
{
    const int64_t term = __real_fleet_term(f, world);
    return term == 0 && is_planted("forget-term") ? 1 : term;
}

bool __wrap_peer_send(peer_link *link, uint8_t kind, const void *head, size_t head_size,
                      const void *body, size_t body_size)
{
    const char *cut = getenv("CAROM_CUT");
    return (cut != NULL && access(cut, F_OK) == 0) ||
           __real_peer_send(link, kind, head, head_size, body, body_size);
}

shipped_making *__wrap_shipped_begin(const shipped *s, server *to, restored_world *w)
{
    if (is_planted("die-when-won")) {
        (void)raise(SIGKILL);
    }
    return __real_shipped_begin(s, to, w);
}

status __wrap_storage_create(storage *s, const char *name, uint64_t epoch, storage_durability kept,
                             storage_world **out, error *err)
{
    static int asked; // by one thread, in a test with one world
    if (is_planted("late-disk") && asked++ < 80) {
        return error_set(err, STATUS_ALREADY_EXISTS, "the storage has a world '%s'", name);
    }
    return __real_storage_create(s, name, epoch, kept, out, err);
}
