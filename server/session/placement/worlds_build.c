// Makes and ends worlds. A world is built on a worker thread of the loop, so that a large scene
// delays neither clients nor other worlds, and then passed to the simulation thread with the least
// load. Network thread, except on_build.
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "common/physics/image.h"
#include "common/world/players.h"
#include "common/world/seats.h"
#include "proto/scene/scene_apply.h"
#include "server/base/audit.h"
#include "server/base/memory.h"
#include "server/base/metrics.h"
#include "server/base/worker.h"
#include "server/fleet/fleet.h"
#include "server/session/pair/pairs.h"
#include "server/session/placement/departure.h"
#include "server/session/placement/restore.h"
#include "server/session/placement/scenes.h"
#include "server/session/placement/templates.h"
#include "server/session/calls/replies.h"
#include "server/session/placement/worlds_build.h"
#include "server/session/service.h"
#include "server/world/tick/crowding.h"
#include "server/world/tick/served_world.h"
#include "server/world/state/session_bodies.h"
#include "server/world/state/last_requests.h"
#include "server/world/log/world_image.h"

typedef struct build {
    uv_work_t work;
    struct build *next; // the next one that waits for a thread of the pool
    server *server;
    world_entry *entry;
    request *request; // owned until it is sent or answered
    storage_durability durability;
    bool replicated;      // the world is to have a standby
    shared_bytes *image;  // image of the world to fork; else NULL
    bool crowds;          // the world's steps would delay others
    memory_charge making; // until the world counts its own memory
    adoption *adoption;   // the part made so far
    status status;
    error error;
} build;

static status check_bodies(const server *s, const world_create_args *args, world_def *def,
                           error *err)
{
    bool told = (args->fields & WORLD_FIELD_BODIES_MAX) != 0;
    if (told && def->bodies_max > s->limits->bodies_per_world) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "max_bodies: bodies_per_world is %llu",
                         (unsigned long long)s->limits->bodies_per_world);
    }
    if (def->bodies_max > s->limits->bodies_per_world) {
        def->bodies_max = (uint32_t)s->limits->bodies_per_world;
    }
    return STATUS_OK;
}

static status make_world(const build *b, const scene *from, physics_world **out, error *err)
{
    const world_create_args *args = &b->request->command.create;
    world_def scene_def = from != NULL ? scene_world_def(from) : world_def_default();
    world_def def = command_world_def(args, &scene_def);
    if (from == NULL && (args->fields & WORLD_FIELD_HZ) == 0) {
        def.hz = b->server->options->hz;
    }
    physics_world *made = NULL;
    capacity_limits room = limits_room(b->server->limits);
    status s = check_bodies(b->server, args, &def, err);
    if (s == STATUS_OK) {
        s = world_create(&def, &made, err);
        if (s != STATUS_OK && from != NULL && args->fields == 0) {
            error_prefix(err, "world");
            scene_blame(from, err);
        }
    }
    if (s == STATUS_OK && from != NULL) {
        s = scene_apply(made, from, &room, err);
    }
    if (s != STATUS_OK) {
        world_free(made);
        return s;
    }
    *out = made;
    return STATUS_OK;
}

static area *copy_view(const double view[4])
{
    area *copy = malloc(sizeof *copy);
    ASSERT_MEMORY(copy != NULL);
    *copy = (area){view[0], view[1], view[2], view[3]};
    return copy;
}

static void build_from_scene(build *b, const char *name)
{
    scene from;
    b->status = scenes_load(b->server->options->scenes, name, &from, &b->error);
    if (b->status == STATUS_OK) {
        b->status = make_world(b, &from, &b->adoption->physics, &b->error);
        b->adoption->view = from.has_view ? copy_view(from.view) : NULL;
        scene_deinit(&from);
    }
    if (b->status != STATUS_OK) {
        error_prefix(&b->error, "scene");
    }
}

static void build_from_image(build *b, const uint8_t *image, size_t size)
{
    capacity_limits room = limits_room(b->server->limits);
    data_limits data = limits_data(b->server->limits);
    uint64_t most = b->server->limits->pairs_per_world;
    physics_world **made = &b->adoption->physics;
    b->status = capacity_check_image(image, size, &room, &b->error); // before memory is allocated
    if (b->status == STATUS_OK) {
        b->status = world_restore(image, size, made, &b->error);
    }
    if (b->status == STATUS_OK) {
        b->status = data_fit(*made, &data, &b->error);
    }
    if (b->status == STATUS_OK) {
        b->status = players_check(*made, &b->error);
    }
    // The size of the image bounds its number of pairs.
    if (b->status == STATUS_OK && world_count(*made).pairs > most) {
        b->status = error_set(&b->error, STATUS_LIMIT_EXCEEDED,
                              "pairs_per_world: it has %u pairs of shapes that overlap; at most "
                              "%llu are allowed",
                              world_count(*made).pairs, (unsigned long long)most);
    }
    if (b->status != STATUS_OK) {
        error_prefix(&b->error, "image");
    }
}

static void build_from_fork(build *b)
{
    world_image image;
    b->status = world_image_decode(b->image->data, b->image->size, &image, &b->error);
    if (b->status == STATUS_OK) {
        b->adoption->physics = image.physics;
        b->adoption->owners = image.owners;
        b->adoption->paused = image.paused;
        const double view[4] = {image.view.x0, image.view.y0, image.view.x1, image.view.y1};
        b->adoption->view = image.has_view ? copy_view(view) : NULL;
        session_bodies_deinit(&image.bodies);
        last_requests_deinit(&image.marks);
    }
}

bool worlds_would_crowd(const physics_world *world)
{
    const double period_ns = 1e9 / world_definition(world).hz;
    return crowding_foretold(world, served_world_fair_ns(period_ns));
}

// Only a world that joins make has seats: a copy of one has none.
static void set_seats(const build *b)
{
    const world_seating *seats = &b->entry->seating;
    seats_end(b->adoption->physics);
    if (*seats->template_name != '\0') {
        seats_begin(b->adoption->physics, seats->template_name, seats->count);
    }
}

// Runs on a worker thread: reads only constant data, and shares no object with other threads except
// the storage.
static void on_build(uv_work_t *work)
{
    build *b = work->data;
    worker_begin();
    const world_create_args *args = &b->request->command.create;
    ASSERT(b->adoption->physics == NULL && b->adoption->stored == NULL);
    block_account *before = block_charge(b->adoption->blocks);
    b->adoption->paused = args->paused;
    b->adoption->durability = b->durability;
    if (b->image != NULL) {
        build_from_fork(b);
    } else if (args->image != NULL) {
        build_from_image(b, args->image, args->image_size);
    } else if (args->scene != NULL) {
        build_from_scene(b, args->scene);
    } else {
        b->status = make_world(b, NULL, &b->adoption->physics, &b->error);
    }
    if (b->status == STATUS_OK) {
        set_seats(b);
    }
    if (b->status == STATUS_OK && args->has_players) {
        b->status = players_set(b->adoption->physics, &args->players, &b->error);
    }
    if (b->status == STATUS_OK) {
        b->crowds = b->crowds || worlds_would_crowd(b->adoption->physics);
    }
    block_charge(before);
    if (b->status == STATUS_OK && b->durability != STORAGE_NONE) {
        char name[STORED_NAME_BYTES_MAX + 1];
        restore_stored_name(name, b->request->command.world, b->entry->number);
        b->status = storage_create(b->server->storage, name, b->entry->number, b->durability,
                                   &b->adoption->stored, &b->error);
    }
}

// Answers a request that was not sent to a world.
static void answer_unsent(server *s, request *r, status why, const char *text)
{
    if (r->kind == REQUEST_LEAVE) {
        reply *left = reply_create(REPLY_LEFT, r->world);
        request_free(r);
        worlds_departed(s, left);
        reply_free(left);
        return;
    }
    reply *answer = reply_create_refusal(r, why, text);
    bool counted = r->kind == REQUEST_COMMAND || r->kind == REQUEST_ADOPT;
    bool resume = r->kind == REQUEST_RESUME;
    request_free(r);
    if (resume) {
        worlds_resumed(s, answer->reply_to.session);
    }
    if (counted) {
        replies_answer(s, answer);
    }
    reply_free(answer);
}

static void refuse_world(server *s, build *b, status why, const char *text)
{
    world_entry *entry = b->entry;
    ASSERT(entry->thread == NULL && why != STATUS_OK);
    if (!entry->unnamed) {
        worlds_unname(s, entry);
    }
    entry->waiting++; // keeps the entry alive until this function is done with it
    answer_unsent(s, b->request, why, text);
    while (entry->held != NULL) {
        request *r = entry->held;
        entry->held = (request *)r->node.next;
        const bool joins = *entry->seating.template_name != '\0'; // who joins did not ask for it
        answer_unsent(s, r, joins ? why : STATUS_NOT_FOUND,
                      joins ? text : "world: it could not be made");
    }
    entry->waiting--;
    directory_release(&s->worlds, entry);
}

// ---- held for a world that does not come

// Takes over the buffer's bytes.
static reply *make_result(const request *r, buffer *payload)
{
    size_t size = 0;
    uint8_t *data = buffer_take(payload, &size);
    reply *answer = reply_create(REPLY_RESULT, r->world);
    answer->method = r->command.method;
    answer->reply_to = r->reply_to;
    answer->received_ns = r->received_ns;
    answer->subscription = r->subscription;
    answer->payload = bytes_take(data, size);
    return answer;
}

static void answer_row(server *s, const world_entry *entry, request *r)
{
    buffer row;
    buffer_init(&row, WIRE_REPLY_BYTES_MAX);
    worlds_encode_broken(&row, entry, directory_reason(entry, r->actor.confined));
    reply *answer = make_result(r, &row);
    request_free(r);
    replies_answer(s, answer);
    reply_free(answer);
}

// Drops its log, as for a destroyed world.
static void answer_end(server *s, world_entry *entry, request *r)
{
    uint64_t sequence = 0;
    error err;
    if (entry->stored == NULL || storage_destroy(entry->stored, &sequence, &err) != STATUS_OK) {
        answer_unsent(s, r, STATUS_UNAVAILABLE, directory_reason(entry, r->actor.confined));
        return;
    }
    storage_release(entry->stored);
    entry->stored = NULL;
    buffer result;
    buffer_init(&result, WIRE_REPLY_BYTES_MAX);
    encode_world_tick_result(&result, &(world_tick_result){entry->name, entry->tick});
    reply *answer = make_result(r, &result);
    request_free(r);
    replies_answer(s, answer);
    reply_free(answer);
}

static void refuse_one(server *s, world_entry *entry, request *r, const char *text)
{
    session *of = server_find_session(s, r->reply_to.session);
    if (r->command.method == METHOD_WORLD_LIST) {
        answer_row(s, entry, r);
        return;
    }
    if (r->kind == REQUEST_COMMAND && r->command.method == METHOD_WORLD_DESTROY) {
        answer_end(s, entry, r);
        return;
    }
    if (r->again && of != NULL) { // the client knows that the subscription continues
        session_world_closed(of, r->subscription, STATUS_UNAVAILABLE, text);
    }
    answer_unsent(s, r, STATUS_UNAVAILABLE, text);
}

void worlds_refuse_held(server *s, world_entry *entry, const char *text)
{
    entry->waiting++; // keeps the entry alive until this function is done with it
    while (entry->held != NULL) {
        request *r = entry->held;
        entry->held = (request *)r->node.next;
        refuse_one(s, entry, r, text);
    }
    entry->held_last = &entry->held;
    entry->waiting--;
    directory_release(&s->worlds, entry);
}

sim_thread *worlds_least_loaded(const server *s)
{
    ASSERT(s->options->threads > 0 && (uint32_t)s->options->threads <= s->sim_threads.count);
    sim_thread *best = s->sim_threads.data[0];
    for (uint32_t i = 1; i < (uint32_t)s->options->threads; i++) { // without those of own_thread.c
        if (sim_thread_load(s->sim_threads.data[i]) < sim_thread_load(best)) {
            best = s->sim_threads.data[i];
        }
    }
    return best;
}

static void place_world(server *s, build *b)
{
    world_entry *entry = b->entry;
    ASSERT(entry->thread == NULL && b->adoption->physics != NULL);
    sim_thread *own_thread = b->crowds ? own_thread_find(s) : NULL;
    entry->thread = own_thread != NULL ? own_thread : worlds_least_loaded(s);
    entry->logged = b->durability != STORAGE_NONE;
    entry->durability = b->durability;
    // One that was destroyed meanwhile has no name any more, which may be another world's.
    if (entry->logged && s->options->fleet != NULL && !entry->unnamed) {
        fleet_keep(s->options->fleet, entry->name);
    }
    if (b->replicated && !entry->unnamed) {
        fleet_replicate(s->options->fleet, entry->name);
        b->adoption->feed = pairs_begin(s, entry->name, entry->number, false);
    }
    b->request->adoption = b->adoption;
    b->adoption = NULL;
    worlds_deliver(entry, b->request);
    worlds_deliver_held(entry);
    metrics_add(METRIC_worlds_created, 1);
    audit_event("world '%s' begins", entry->name);
}

// Removes the log that was begun for a world that was not made.
static void forget_stored(storage_world *w)
{
    uint64_t sequence = 0;
    if (w != NULL) {
        (void)storage_destroy(w, &sequence, NULL);
        storage_release(w);
    }
}

static void finish_build(build *b, int result)
{
    server *s = b->server;
    ASSERT(s->building > 0 && b->request != NULL);
    s->building--;
    if (s->stage == SERVER_DRAINING || result != 0) {
        forget_stored(b->adoption->stored);
        refuse_world(s, b, STATUS_UNAVAILABLE, s->reason);
    } else if (b->status != STATUS_OK) {
        refuse_world(s, b, b->error.status, b->error.text);
    } else {
        place_world(s, b);
    }
    adoption_free(b->adoption);
    bytes_unref(b->image);
    memory_charge_end(&b->making);
    free(b);
    server_check_drained(s);
}

// ---- builds in turn

// How many are made at once: one processor is left to the threads that serve.
static uint32_t builds_max(void)
{
    const int processors = restore_threads();
    return processors > 1 ? (uint32_t)processors - 1 : 1;
}

static void on_built(uv_work_t *work, int result);

static void start_waiting(server *s)
{
    while (s->builds.first != NULL && s->builds.running < builds_max()) {
        build *b = s->builds.first;
        s->builds.first = b->next;
        s->builds.running++;
        int queued = uv_queue_work(s->loop, &b->work, on_build, on_built);
        ASSERT(queued == 0);
    }
}

// Appends the build to the queue, which is no longer than the maximum of worlds.
static void start_build(build *b)
{
    server *s = b->server;
    b->next = NULL;
    *(s->builds.first != NULL ? &s->builds.last->next : &s->builds.first) = b;
    s->builds.last = b;
    start_waiting(s);
}

static void on_built(uv_work_t *work, int result)
{
    build *b = work->data;
    server *s = b->server;
    ASSERT(s->builds.running > 0 && s->building > 0);
    s->builds.running--;
    start_waiting(s); // first: with the last build, the server may end
    finish_build(b, result);
}

// ---- names of a fleet

static void on_claimed(void *context, const error *err, const world_record *winner)
{
    build *b = context;
    if (err == NULL) {
        start_build(b);
        return;
    }
    b->status = error_set(&b->error, err->status, "%s", err->text);
    if (winner != NULL && b->request->command.create.if_absent) {
        const session *asker = server_find_session(b->server, b->request->reply_to.session);
        b->status = worlds_moved(asker, winner, b->entry->name, &b->error);
    }
    finish_build(b, 0);
}

// Builds the world when its name is this server's in the whole fleet.
static void begin_build(build *b)
{
    server *s = b->server;
    if (s->options->fleet == NULL) {
        start_build(b);
        return;
    }
    const world_create_args *args = &b->request->command.create;
    const bool told = (args->fields & WORLD_FIELD_HZ) != 0;
    fleet_claim(s->options->fleet, b->entry->name, told ? args->def.hz : s->options->hz, on_claimed,
                b);
}

// A name that another server is known to have needs no question.
static status check_fleet_name(const server *s, const session *asker, const char *name,
                               bool if_absent, error *err)
{
    const struct fleet *f = s->options->fleet;
    const world_record *r = f != NULL ? fleet_find(f, name) : NULL;
    if (r == NULL) {
        return STATUS_OK;
    }
    return if_absent ? worlds_absent(s, asker, name, err)
                     : error_set(err, STATUS_ALREADY_EXISTS, "world '%s' exists: %s serves it",
                                 name, r->address);
}

_Static_assert((int)DURABILITY_NONE == (int)STORAGE_NONE &&
                   (int)DURABILITY_NORMAL == (int)STORAGE_NORMAL &&
                   (int)DURABILITY_FULL == (int)STORAGE_FULL,
               "the wire's words are the storage's");

static status choose_durability(const server *s, const world_create_args *args,
                                storage_durability *out, bool *replicated, error *err)
{
    bool ends = args->lifetime == LIFETIME_SESSION;
    bool wanted = args->durability == DURABILITY_NORMAL || args->durability == DURABILITY_FULL ||
                  args->durability == DURABILITY_REPLICATED;
    *replicated = args->durability == DURABILITY_REPLICATED;
    if (*replicated && pairs_check(s, err) != STATUS_OK) {
        return STATUS_UNAVAILABLE;
    }
    if (wanted && s->storage == NULL) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "durability: the server keeps no logs (caromd --data DIR); 'none' is "
                         "what it has");
    }
    if (wanted && ends) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "durability: a world that ends with its session keeps no log");
    }
    if (args->durability == DURABILITY_COUNT) {
        *out = s->storage != NULL && !ends ? STORAGE_NORMAL : STORAGE_NONE;
    } else if (*replicated) {
        *out = STORAGE_NORMAL;
    } else {
        *out = (storage_durability)args->durability;
    }
    return STATUS_OK;
}

// Whether another world may be made, of this name.
status worlds_check_name(const server *s, const char *name, error *err)
{
    if (directory_find(&s->worlds, name) != NULL) {
        return error_set(err, STATUS_ALREADY_EXISTS, "world '%s' exists", name);
    }
    if (s->worlds.by_name.count >= s->limits->worlds) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "worlds: there %s %u already",
                         s->worlds.by_name.count == 1 ? "is" : "are", s->worlds.by_name.count);
    }
    if (s->worlds.by_number.count >= limits_worlds_in_all(s->limits)) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "worlds: %u that were destroyed have not ended yet",
                         s->worlds.by_number.count - s->worlds.by_name.count);
    }
    return STATUS_OK;
}

// A world made from an image takes a multiple of the image's bytes: boxes, trees, sets of pairs.
// Scenes and empty worlds begin small.
static uint64_t bytes_to_make(const world_create_args *args)
{
    enum { WORLD_BYTES = 1 << 20, IMAGE_SHARE = 4 };
    return WORLD_BYTES + IMAGE_SHARE * (uint64_t)args->image_size;
}

// Begins to make a world with those seats; NULL: none.
static status begin_world(server *s, const call *c, command *create, const world_seating *seats,
                          error *err)
{
    storage_durability kept = STORAGE_NONE;
    bool replicated = false;
    status chosen = directory_find(&s->worlds, create->world) == NULL
                        ? check_fleet_name(s, c != NULL ? c->session : NULL, create->world,
                                           create->create.if_absent, err)
                        : STATUS_OK;
    if (chosen == STATUS_OK) {
        chosen = worlds_check_name(s, create->world, err);
    }
    if (chosen == STATUS_OK) {
        chosen = choose_durability(s, &create->create, &kept, &replicated, err);
    }
    if (chosen != STATUS_OK) {
        return chosen;
    }
    memory_charge making;
    memory_charge_begin(&making, MEMORY_making, NULL);
    if (memory_charge_set(&making, bytes_to_make(&create->create), err) != STATUS_OK) {
        return err != NULL ? err->status : STATUS_LIMIT_EXCEEDED;
    }
    world_entry *entry = directory_add(&s->worlds, create->world);
    bool bound = c != NULL && create->create.lifetime == LIFETIME_SESSION;
    entry->session = bound ? c->session->key.number : 0;
    entry->seating = seats != NULL ? *seats : (world_seating){0};
    request *r = worlds_request(c, entry, create);
    r->kind = REQUEST_ADOPT;
    status admitted = worlds_check_capacity(s, entry, r, err);
    if (admitted != STATUS_OK) {
        memory_charge_end(&making);
        request_free(r);
        worlds_unname(s, entry);
        directory_release(&s->worlds, entry);
        return admitted;
    }
    worlds_count_in(s, entry, r);
    build *b = calloc(1, sizeof *b);
    ASSERT_MEMORY(b != NULL);
    *b = (build){.server = s,
                 .entry = entry,
                 .request = r,
                 .durability = kept,
                 .replicated = replicated,
                 .making = making};
    b->adoption = adoption_create();
    b->work.data = b;
    s->building++;
    begin_build(b);
    return STATUS_OK;
}

status worlds_create(server *s, const call *c, command *create, error *err)
{
    world_entry *existing = directory_find(&s->worlds, create->world);
    if (existing != NULL && create->create.if_absent) {
        return worlds_send(s, existing, worlds_request(c, existing, create), err);
    }
    return begin_world(s, c, create, NULL, err);
}

status worlds_create_joined(server *s, const world_template *t, const char *name, uint64_t maker,
                            world_entry **out, error *err)
{
    command create = t->create; // its texts belong to the template
    create.memory = NULL;
    memcpy(create.world, name, strlen(name) + 1);
    world_seating seats = {
        .count = t->seats, .idle_ms = t->idle_ms, .free_since = uv_now(s->loop), .maker = maker};
    memcpy(seats.template_name, t->name, sizeof seats.template_name);
    const status result = begin_world(s, NULL, &create, &seats, err);
    if (result == STATUS_OK) {
        *out = directory_find(&s->worlds, name);
        ASSERT(*out != NULL);
    }
    return result;
}

// Destroys a world that was not restored: its log is dropped.
static status destroy_broken(server *s, const call *c, world_entry *entry, error *err)
{
    uint64_t sequence = 0;
    status result = storage_destroy(entry->stored, &sequence, err);
    if (result != STATUS_OK) {
        return result;
    }
    storage_release(entry->stored);
    log_info("world '%s', which was not restored, is dropped", entry->name);
    if (c->answerable) {
        buffer out;
        buffer_init(&out, WIRE_REPLY_BYTES_MAX);
        encode_world_tick_result(&out, &(world_tick_result){entry->name, 0});
        session_answer(c->session, c->id, out.data, out.size, NULL);
        buffer_deinit(&out);
    }
    worlds_unname(s, entry);
    directory_release(&s->worlds, entry);
    return STATUS_OK;
}

// ---- world.fork: the source world makes an image, from which the second one is built

status worlds_fork(server *s, const call *c, command *fork, error *err)
{
    world_entry *source = directory_find(&s->worlds, fork->world);
    if (source == NULL) {
        return worlds_absent(s, c != NULL ? c->session : NULL, fork->world, err);
    }
    world_create_args as = {.durability = fork->fork.durability};
    storage_durability kept = STORAGE_NONE;
    bool replicated = false;
    status result = choose_durability(s, &as, &kept, &replicated, err);
    if (result == STATUS_OK) {
        result = check_fleet_name(s, NULL, fork->fork.as, false, err);
    }
    if (result == STATUS_OK) {
        result = worlds_check_name(s, fork->fork.as, err);
    }
    if (result != STATUS_OK) {
        return result;
    }
    fork->fork.durability = (durability)kept;
    world_entry *entry = directory_add(&s->worlds, fork->fork.as);
    request *r = worlds_request(c, source, fork);
    r->subscription = entry->number;
    result = worlds_send(s, source, r, err);
    if (result != STATUS_OK) {
        worlds_unname(s, entry);
        directory_release(&s->worlds, entry);
        return result;
    }
    entry->durability = kept;
    entry->replicated = replicated;
    return STATUS_OK;
}

void worlds_forked(server *s, reply *r)
{
    world_entry *entry = directory_find_number(&s->worlds, r->subscription);
    ASSERT(entry != NULL && entry->thread == NULL);
    const world_entry *source = directory_find_number(&s->worlds, r->world);
    request *adopted = request_create(REQUEST_ADOPT, entry->number);
    adopted->command.method = METHOD_WORLD_CREATE;
    memcpy(adopted->command.world, entry->name, sizeof entry->name);
    adopted->reply_to = r->reply_to;
    adopted->received_ns = r->received_ns;
    build *b = calloc(1, sizeof *b);
    ASSERT_MEMORY(b != NULL);
    *b = (build){.server = s,
                 .entry = entry,
                 .request = adopted,
                 .durability = entry->durability,
                 .replicated = entry->replicated,
                 .image = r->payload,
                 .crowds = source != NULL && own_thread_has(s, source->thread),
                 .making = r->making};
    r->making = (memory_charge){0};
    b->adoption = adoption_create();
    b->work.data = b;
    r->payload = NULL;
    s->building++;
    entry->waiting++;
    if (r->status != STATUS_OK) {
        b->status = error_set(&b->error, r->status, "%s", r->text);
        finish_build(b, 0);
    } else {
        begin_build(b);
    }
}

status worlds_destroy(server *s, const call *c, command *destroy, error *err)
{
    world_entry *entry = directory_find(&s->worlds, destroy->world);
    if (entry == NULL) {
        return worlds_absent(s, c != NULL ? c->session : NULL, destroy->world, err);
    }
    if (entry->broken != NULL) {
        return destroy_broken(s, c, entry, err);
    }
    request *r = worlds_request(c, entry, destroy);
    const status admitted = worlds_check_capacity(s, entry, r, err);
    if (admitted != STATUS_OK) {
        request_free(r);
        return admitted;
    }
    audit_event("world '%s' ends", entry->name);
    metrics_add(METRIC_worlds_destroyed, 1);
    worlds_end(s, entry, r);
    return STATUS_OK;
}
