// Sending requests to worlds, and making worlds: built on a worker thread of the loop, so that a
// large scene holds up neither clients nor other worlds, and then given to the simulation thread
// that has the least load. Network thread, but for on_build.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <msgpack.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "common/physics/image.h"
#include "proto/commands/canonical.h"
#include "proto/log/log_record.h"
#include "proto/scene/scene_apply.h"
#include "proto/scene/scene_builtin.h"
#include "server/metrics.h"
#include "server/session/service.h"
#include "server/world/replay.h"
#include "server/world/session_bodies.h"
#include "server/world/session_marks.h"
#include "server/world/world_image.h"

// ---- requests

// A command that changes a world goes into its log, as it was said.
static void note_arguments(request *r, const msgpack_object *params)
{
    if (method_scope_of(r->command.method) != SCOPE_WORLD_COMMAND) {
        return;
    }
    buffer out;
    buffer_init(&out, LOG_ARGUMENTS_BYTES_MAX);
    arguments_canonical_owned(&out, r->command.method, params,
                              *r->actor.subject != '\0' ? r->actor.subject : NULL);
    ASSERT(!out.overflow);
    size_t size = 0;
    r->arguments = buffer_take(&out, &size);
    r->arguments_size = (uint32_t)size;
}

request *worlds_request(const call *c, world_entry *entry, command *taken)
{
    request *r = request_create(REQUEST_COMMAND, entry->number);
    r->command = *taken;
    *taken = (command){.method = taken->method};
    if (c != NULL) {
        r->reply_to = (reply_address){
            .session = c->session->key, .token = c->size, .id = c->id, .answerable = c->answerable};
        r->received_ns = c->received_ns;
        rights_sign(c->session, r);
        note_arguments(r, c->params);
    }
    return r;
}

// Whether a command of so many bytes can be taken on for the world.
static status check_capacity(const server *s, const world_entry *entry, uint64_t size, error *err)
{
    if (s->draining) {
        return error_set(err, STATUS_UNAVAILABLE, "%s", s->reason);
    }
    if (entry->broken != NULL) {
        return error_set(err, STATUS_UNAVAILABLE, "world '%s' was not restored: %s", entry->name,
                         entry->broken);
    }
    if (entry->waiting >= s->limits->commands_per_world) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "commands_per_world: %llu wait for world '%s' already",
                         (unsigned long long)entry->waiting, entry->name);
    }
    if (s->command_bytes + size > s->limits->command_bytes) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "command_bytes: %llu bytes of commands wait already",
                         (unsigned long long)s->command_bytes);
    }
    return STATUS_OK;
}

// From here on there will be an answer.
static void count_in(server *s, world_entry *entry, request *r)
{
    entry->waiting++;
    session *asker = server_find_session(s, r->reply_to.session);
    if (r->command.method != METHOD_WORLD_LIST && r->reply_to.session.number != 0) {
        s->command_bytes += r->reply_to.token;
    }
    if (r->command.method != METHOD_WORLD_LIST && asker != NULL) {
        asker->in_flight++;
        r->reply_to.sequence =
            request_log_send(&asker->requests, r->reply_to.id, r->reply_to.answerable);
    }
}

static void deliver(world_entry *entry, request *r)
{
    ASSERT(r->world == entry->number);
    if (entry->host == NULL) {
        r->node.next = NULL;
        *entry->held_last = r;
        entry->held_last = (request **)&r->node.next;
        return;
    }
    bool sent = host_send(entry->host, r);
    ASSERT(sent); // the queue has room for what all worlds may have waiting
}

void worlds_deliver_held(world_entry *entry)
{
    while (entry->held != NULL) {
        request *r = entry->held;
        entry->held = (request *)r->node.next;
        deliver(entry, r);
    }
    entry->held_last = &entry->held;
}

status worlds_send(server *s, world_entry *entry, request *r, error *err)
{
    status admitted = check_capacity(s, entry, r->reply_to.token, err);
    if (admitted != STATUS_OK) {
        request_free(r);
        return admitted;
    }
    count_in(s, entry, r);
    deliver(entry, r);
    return STATUS_OK;
}

static void send_uncounted(server *s, request_kind kind, uint64_t world, session_key key)
{
    world_entry *entry = directory_find_number(&s->worlds, world);
    if (entry == NULL) {
        return;
    }
    request *r = request_create(kind, world);
    r->reply_to.session = key;
    deliver(entry, r);
}

void worlds_forget(server *s, session_key key, uint64_t world)
{
    send_uncounted(s, REQUEST_FORGET, world, key);
}

// At most one for each session and world is on its way: the next resume waits for it. So the
// queues, which have room for a message from each subscription, have room for these.
void worlds_resume(session *s, uint64_t world)
{
    if (directory_find_number(&s->server->worlds, world) != NULL) {
        s->resumes++;
        send_uncounted(s->server, REQUEST_RESUME, world, s->key);
    }
}

void worlds_resumed(server *s, session_key key)
{
    session *resumed = server_find_session(s, key);
    if (resumed != NULL) {
        ASSERT(resumed->resumes > 0);
        resumed->resumes--;
        session_settle(resumed);
    }
}

void worlds_note_written(server *s, uint64_t subscription, uint64_t world)
{
    array_push(&s->written, ((written_snapshot){world, subscription}));
}

// Those of one world in a row are one request: most often all of a tick.
void worlds_acknowledge(server *s)
{
    const written_snapshot *all = s->written.data;
    for (uint32_t begin = 0, end = 0; begin < s->written.count; begin = end) {
        while (end < s->written.count && all[end].world == all[begin].world) {
            end++;
        }
        world_entry *entry = directory_find_number(&s->worlds, all[begin].world);
        if (entry == NULL) {
            continue;
        }
        request *r = request_create(REQUEST_ACKNOWLEDGE, all[begin].world);
        r->acknowledged_count = end - begin;
        r->acknowledged = malloc(r->acknowledged_count * sizeof *r->acknowledged);
        ASSERT(r->acknowledged != NULL);
        for (uint32_t i = begin; i < end; i++) {
            r->acknowledged[i - begin] = all[i].subscription;
        }
        deliver(entry, r);
    }
    array_clear(&s->written);
}

// ---- worlds that are being made

typedef struct build {
    uv_work_t work;
    server *server;
    world_entry *entry;
    request *request; // owned until it is sent or answered
    storage_durability durability;
    shared_bytes *image; // of the world that is forked; NULL for others
    adoption *adoption;  // as far as it is made
    status status;
    error error;
} build;

// A file of the operator's folder comes before the built-in scene of that name.
static status load_scene(const server *s, const char *name, scene *out, error *err)
{
    char path[4096];
    int size = snprintf(path, sizeof path, "%s/%s.json", s->options->scenes, name);
    if (size > 0 && (size_t)size < sizeof path && access(path, R_OK) == 0) {
        return scene_load_file(path, out, err);
    }
    return scene_builtin(name, out, err);
}

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
    room_limits room = limits_room(b->server->limits);
    status s = check_bodies(b->server, args, &def, err);
    if (s == STATUS_OK) {
        s = world_create(&def, &made, err);
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
    ASSERT(copy != NULL);
    *copy = (area){view[0], view[1], view[2], view[3]};
    return copy;
}

static void build_from_scene(build *b, const char *name)
{
    scene from;
    b->status = load_scene(b->server, name, &from, &b->error);
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
    room_limits room = limits_room(b->server->limits);
    uint64_t pairs = b->server->limits->pairs_per_world;
    physics_world **made = &b->adoption->physics;
    b->status = room_check_image(image, size, &room, &b->error); // before memory is taken
    if (b->status == STATUS_OK) {
        b->status = world_restore(image, size, made, &b->error);
    }
    // The image's bytes bound how many it can have.
    if (b->status == STATUS_OK && world_count(*made).pairs > pairs) {
        b->status = error_set(&b->error, STATUS_LIMIT_EXCEEDED,
                              "pairs_per_world: it has %u pairs of shapes that overlap; at most "
                              "%llu may be there",
                              world_count(*made).pairs, (unsigned long long)pairs);
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
        session_marks_deinit(&image.marks);
    }
}

// On a worker thread: reads what does not change, and is given nothing that anyone else has but the
// storage.
static void on_build(uv_work_t *work)
{
    build *b = work->data;
    const world_create_args *args = &b->request->command.create;
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
    reply *answer = reply_create(REPLY_RESULT, r->world);
    answer->method = r->command.method;
    answer->reply_to = r->reply_to;
    answer->received_ns = r->received_ns;
    answer->subscription = r->subscription;
    answer->status = why;
    answer->text = strdup(text);
    ASSERT(answer->text != NULL);
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
    if (!entry->unnamed) {
        directory_unname(&s->worlds, entry);
    }
    entry->waiting++; // so that it lives until this function has done with it
    answer_unsent(s, b->request, why, text);
    while (entry->held != NULL) {
        request *r = entry->held;
        entry->held = (request *)r->node.next;
        answer_unsent(s, r, STATUS_NOT_FOUND, "world: it could not be made");
    }
    entry->waiting--;
    directory_release(&s->worlds, entry);
}

static host *least_loaded(const server *s)
{
    host *best = s->hosts.data[0];
    for (uint32_t i = 1; i < (uint32_t)s->options->threads; i++) { // not those of apart.c
        if (host_load(s->hosts.data[i]) < host_load(best)) {
            best = s->hosts.data[i];
        }
    }
    return best;
}

static void place_world(server *s, build *b)
{
    world_entry *entry = b->entry;
    entry->host = least_loaded(s);
    b->request->adoption = b->adoption;
    b->adoption = NULL;
    deliver(entry, b->request);
    worlds_deliver_held(entry);
    metrics_add(METRIC_worlds_created, 1);
    log_info("world '%s' begins", entry->name);
}

// Its log was begun, and it comes to nothing.
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
    s->building--;
    if (s->draining || result != 0) {
        forget_stored(b->adoption->stored);
        refuse_world(s, b, STATUS_UNAVAILABLE, s->reason);
    } else if (b->status != STATUS_OK) {
        refuse_world(s, b, b->error.status, b->error.text);
    } else {
        place_world(s, b);
    }
    adoption_free(b->adoption);
    bytes_unref(b->image);
    free(b);
    server_check_drained(s);
}

static void on_built(uv_work_t *work, int result)
{
    finish_build(work->data, result);
}

_Static_assert((int)DURABILITY_NONE == (int)STORAGE_NONE &&
                   (int)DURABILITY_NORMAL == (int)STORAGE_NORMAL &&
                   (int)DURABILITY_FULL == (int)STORAGE_FULL,
               "the wire's words are the storage's");

static status choose_durability(const server *s, const world_create_args *args,
                                storage_durability *out, error *err)
{
    bool ends = args->lifetime == LIFETIME_SESSION;
    bool wanted = args->durability == DURABILITY_NORMAL || args->durability == DURABILITY_FULL;
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
    } else {
        *out = (storage_durability)args->durability;
    }
    return STATUS_OK;
}

// Whether another world may be made, of this name.
static status check_name(const server *s, const char *name, error *err)
{
    if (directory_find(&s->worlds, name) != NULL) {
        return error_set(err, STATUS_ALREADY_EXISTS, "world '%s' exists", name);
    }
    if (s->worlds.by_name.count >= s->limits->worlds) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "worlds: there are %u already",
                         s->worlds.by_name.count);
    }
    if (s->worlds.by_number.count >= limits_worlds_in_all(s->limits)) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "worlds: %u that were destroyed have not ended yet",
                         s->worlds.by_number.count - s->worlds.by_name.count);
    }
    return STATUS_OK;
}

status worlds_create(server *s, const call *c, command *create, error *err)
{
    world_entry *existing = directory_find(&s->worlds, create->world);
    if (existing != NULL && create->create.if_absent) {
        return worlds_send(s, existing, worlds_request(c, existing, create), err);
    }
    storage_durability kept = STORAGE_NONE;
    status chosen = check_name(s, create->world, err);
    if (chosen == STATUS_OK) {
        chosen = choose_durability(s, &create->create, &kept, err);
    }
    if (chosen != STATUS_OK) {
        return chosen;
    }
    world_entry *entry = directory_add(&s->worlds, create->world);
    bool bound = c != NULL && create->create.lifetime == LIFETIME_SESSION;
    entry->session = bound ? c->session->key.number : 0;
    request *r = worlds_request(c, entry, create);
    r->kind = REQUEST_ADOPT;
    status admitted = check_capacity(s, entry, r->reply_to.token, err);
    if (admitted != STATUS_OK) {
        request_free(r);
        directory_unname(&s->worlds, entry);
        directory_release(&s->worlds, entry);
        return admitted;
    }
    count_in(s, entry, r);
    build *b = calloc(1, sizeof *b);
    ASSERT(b != NULL);
    *b = (build){.server = s, .entry = entry, .request = r, .durability = kept};
    b->adoption = calloc(1, sizeof *b->adoption);
    ASSERT(b->adoption != NULL);
    b->work.data = b;
    s->building++;
    int queued = uv_queue_work(s->loop, &b->work, on_build, on_built);
    ASSERT(queued == 0);
    return STATUS_OK;
}

// One that was not restored: its log is dropped.
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
        encode_world_tick_result(&out, entry->name, 0);
        session_answer(c->session, c->id, out.data, out.size, NULL);
        buffer_deinit(&out);
    }
    directory_unname(&s->worlds, entry);
    directory_release(&s->worlds, entry);
    return STATUS_OK;
}

// ---- world.fork: the one world makes an image of itself, of which the other is built

status worlds_fork(server *s, const call *c, command *fork, error *err)
{
    world_entry *source = directory_find(&s->worlds, fork->world);
    if (source == NULL) {
        return error_set(err, STATUS_NOT_FOUND, "world '%s' does not exist", fork->world);
    }
    world_create_args as = {.durability = fork->fork.durability};
    storage_durability kept = STORAGE_NONE;
    status result = choose_durability(s, &as, &kept, err);
    if (result == STATUS_OK) {
        result = check_name(s, fork->fork.as, err);
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
        directory_unname(&s->worlds, entry);
        directory_release(&s->worlds, entry);
        return result;
    }
    entry->durability = kept;
    return STATUS_OK;
}

void worlds_forked(server *s, reply *r)
{
    world_entry *entry = directory_find_number(&s->worlds, r->subscription);
    ASSERT(entry != NULL && entry->host == NULL);
    request *adopted = request_create(REQUEST_ADOPT, entry->number);
    adopted->command.method = METHOD_WORLD_CREATE;
    memcpy(adopted->command.world, entry->name, sizeof entry->name);
    adopted->reply_to = r->reply_to;
    adopted->received_ns = r->received_ns;
    build *b = calloc(1, sizeof *b);
    ASSERT(b != NULL);
    *b = (build){.server = s,
                 .entry = entry,
                 .request = adopted,
                 .durability = entry->durability,
                 .image = r->payload};
    b->adoption = calloc(1, sizeof *b->adoption);
    ASSERT(b->adoption != NULL);
    b->work.data = b;
    r->payload = NULL;
    s->building++;
    entry->waiting++;
    if (r->status != STATUS_OK) {
        b->status = error_set(&b->error, r->status, "%s", r->text);
        finish_build(b, 0);
    } else {
        int queued = uv_queue_work(s->loop, &b->work, on_build, on_built);
        ASSERT(queued == 0);
    }
}

status worlds_destroy(server *s, const call *c, command *destroy, error *err)
{
    world_entry *entry = directory_find(&s->worlds, destroy->world);
    if (entry == NULL) {
        return error_set(err, STATUS_NOT_FOUND, "world '%s' does not exist", destroy->world);
    }
    if (entry->broken != NULL) {
        return destroy_broken(s, c, entry, err);
    }
    status sent = worlds_send(s, entry, worlds_request(c, entry, destroy), err);
    if (sent == STATUS_OK) {
        log_info("world '%s' ends", entry->name);
        metrics_add(METRIC_worlds_destroyed, 1);
        directory_unname(&s->worlds, entry);
    }
    return sent;
}

// ---- what a restart has brought back

static session *find_restored(const server *s, uint64_t number)
{
    for (uint32_t i = 0; i < s->detached.count; i++) {
        if (s->detached.data[i]->key.number == number) {
            return s->detached.data[i];
        }
    }
    return NULL;
}

// The commands of restored sessions that took effect.
static void note_marks(server *s, const world_entry *entry, const session_marks *marks)
{
    for (uint32_t slot = 0; slot < marks->by_slot.count; slot++) {
        const session_mark *mark = &marks->by_slot.data[slot];
        session *of = server_find_session(s, (session_key){.slot = slot, .number = mark->session});
        if (mark->session != 0 && of != NULL) {
            request_log_apply(&of->requests, entry->number, ++of->requests.next, mark->id,
                              limits_worlds_in_all(s->limits));
        }
    }
}

// Bodies of sessions that are gone end; those of restored sessions end with them.
static void end_past_sessions(server *s, uint64_t world, const session_bodies *bodies)
{
    uint64_t ended = 0;
    session *kept = NULL;
    for (uint32_t i = 0; i < bodies->by_slot.count; i++) {
        const session_body *b = &bodies->by_slot.data[i];
        if (b->id == 0) {
            continue;
        }
        if (b->session != ended && (kept == NULL || kept->key.number != b->session)) {
            kept = find_restored(s, b->session);
            if (kept != NULL) {
                worlds_note_body(kept, world);
            }
        }
        bool alive = kept != NULL && kept->key.number == b->session;
        if (!alive && b->session != ended) { // again for a session met before does no harm
            ended = b->session;
            send_uncounted(s, REQUEST_SESSION_END, world, (session_key){.number = ended});
        }
    }
}

static void adopt_restored(server *s, restored_world *w)
{
    world_entry *entry = directory_add_numbered(&s->worlds, w->name, w->epoch);
    if (w->broken != NULL) {
        entry->broken = w->broken;
        entry->stored = w->stored;
        w->broken = NULL;
        w->stored = NULL;
        return;
    }
    log_info("world '%s' goes on from tick %llu (%llu commands played, %llu hashes agreed)",
             w->name, (unsigned long long)world_tick(w->adoption->physics),
             (unsigned long long)w->commands, (unsigned long long)w->hashes);
    entry->host = least_loaded(s);
    entry->session = w->session;
    command create = {.method = METHOD_WORLD_CREATE};
    memcpy(create.world, entry->name, sizeof create.world);
    request *r = worlds_request(NULL, entry, &create);
    r->kind = REQUEST_ADOPT;
    r->adoption = w->adoption;
    note_marks(s, entry, w->adoption->marks);
    session_bodies bodies = {0}; // the world has them from the next line on
    for (uint32_t i = 0; i < w->adoption->session_bodies->by_slot.count; i++) {
        const session_body *b = &w->adoption->session_bodies->by_slot.data[i];
        if (b->id != 0) {
            session_bodies_add(&bodies, b->id, b->session);
        }
    }
    w->adoption = NULL;
    w->stored = NULL;
    s->starting++;
    count_in(s, entry, r);
    deliver(entry, r);
    end_past_sessions(s, entry->number, &bodies);
    session_bodies_deinit(&bodies);
}

void worlds_adopt_restored(server *s)
{
    uint64_t first = s->worlds.next_number;
    s->worlds.next_number = 0; // they bring their numbers, in ascending order
    for (uint32_t i = 0; i < s->restored.count; i++) {
        adopt_restored(s, &s->restored.data[i]);
    }
    if (s->worlds.next_number < first) {
        s->worlds.next_number = first;
    }
    restored_worlds_free(&s->restored);
}

// ---- a recording

status worlds_replay(server *s, error *err)
{
    replay *recording = NULL;
    physics_world *physics = NULL;
    status result = replay_open(s->options->replay, s->limits->replay_bytes, &recording, err);
    if (result == STATUS_OK) {
        result = check_name(s, replay_name(recording), err);
    }
    if (result == STATUS_OK) {
        result = replay_seek(recording, &physics, replay_first(recording), err);
    }
    if (result != STATUS_OK) {
        replay_free(recording);
        return result;
    }
    world_entry *entry = directory_add(&s->worlds, replay_name(recording));
    command create = {.method = METHOD_WORLD_CREATE};
    memcpy(create.world, entry->name, sizeof create.world);
    request *r = worlds_request(NULL, entry, &create);
    r->kind = REQUEST_ADOPT;
    r->adoption = calloc(1, sizeof *r->adoption);
    ASSERT(r->adoption != NULL);
    *r->adoption = (adoption){.physics = physics, .replay = recording};
    entry->host = least_loaded(s);
    s->starting++; // its answer is that of a world of the options
    log_info("world '%s' replays '%s', ticks %llu to %llu", entry->name, s->options->replay,
             (unsigned long long)replay_first(recording),
             (unsigned long long)replay_last(recording));
    count_in(s, entry, r);
    deliver(entry, r);
    return STATUS_OK;
}

// ---- what ends with a session

void worlds_note_body(session *s, uint64_t world)
{
    uint32_t kept = 0;
    if (s->body_worlds.count > 0 && s->body_worlds.data[s->body_worlds.count - 1] == world) {
        return; // as most often
    }
    for (uint32_t i = 0; i < s->body_worlds.count; i++) {
        uint64_t number = s->body_worlds.data[i];
        if (number != world && directory_find_number(&s->server->worlds, number) != NULL) {
            s->body_worlds.data[kept++] = number;
        }
    }
    s->body_worlds.count = kept;
    array_push(&s->body_worlds, world);
}

// In the server's own name, whatever waits for the world: the answer is of interest to nobody.
static void destroy_unasked(server *s, world_entry *entry)
{
    command destroy = {.method = METHOD_WORLD_DESTROY};
    memcpy(destroy.world, entry->name, sizeof destroy.world);
    request *r = worlds_request(NULL, entry, &destroy);
    log_info("world '%s' ends with its session", entry->name);
    metrics_add(METRIC_worlds_destroyed, 1);
    directory_unname(&s->worlds, entry);
    count_in(s, entry, r);
    deliver(entry, r);
}

void worlds_end_session(session *s)
{
    server *of = s->server;
    for (uint32_t i = 0; i < s->body_worlds.count; i++) {
        send_uncounted(of, REQUEST_SESSION_END, s->body_worlds.data[i], s->key);
    }
    array_clear(&s->body_worlds);
    for (uint32_t i = of->worlds.by_name.count; i > 0 && !of->draining; i--) {
        world_entry *entry = of->worlds.by_name.data[i - 1];
        if (entry->session == s->key.number) {
            destroy_unasked(of, entry);
        }
    }
}

// ---- world.list: every world is asked, and the answers are put together in the order of the names

typedef struct listing {
    session_key asker;
    uint32_t id;
    bool answerable;
    int64_t received_ns;
    uint32_t count, left;
    buffer parts[]; // {world …} each; empty for a world that ended meanwhile
} listing;

static void finish_listing(server *s, listing *l)
{
    session *asker = server_find_session(s, l->asker);
    uint32_t found = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        found += l->parts[i].size > 0 ? 1 : 0;
    }
    buffer out;
    buffer_init(&out, WIRE_REPLY_BYTES_MAX);
    msgpack_packer packer = buffer_packer(&out);
    msgpack_pack_array(&packer, found);
    for (uint32_t i = 0; i < l->count; i++) {
        buffer_append(&out, l->parts[i].data, l->parts[i].size);
        buffer_deinit(&l->parts[i]);
    }
    ASSERT(!out.overflow);
    if (asker != NULL) {
        asker->in_flight--;
        if (l->answerable) {
            session_answer(asker, l->id, out.data, out.size, NULL);
        }
        session_settle(asker);
    }
    buffer_deinit(&out);
    free(l);
}

void worlds_listed(server *s, reply *r)
{
    listing *l = r->reply_to.context;
    size_t size = 0;
    const uint8_t *part = reply_payload(r, &size);
    if (r->status == STATUS_OK) {
        buffer_append(&l->parts[r->subscription], part, size);
    }
    if (--l->left == 0) {
        finish_listing(s, l);
    }
}

// One that was not restored is told by the server's log and by every call to it.
static bool is_listed(const session *asker, const world_entry *entry)
{
    return entry->broken == NULL && rights_allows_world(asker, entry->name);
}

status worlds_list(server *s, const call *c, error *err)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->worlds.by_name.count; i++) {
        const world_entry *entry = s->worlds.by_name.data[i];
        bool shown = is_listed(c->session, entry);
        status admitted = shown ? check_capacity(s, entry, 0, err) : STATUS_OK;
        if (admitted != STATUS_OK) {
            return admitted;
        }
        count += shown;
    }
    listing *l = calloc(1, sizeof *l + count * sizeof *l->parts);
    ASSERT(l != NULL);
    *l = (listing){.asker = c->session->key,
                   .id = c->id,
                   .answerable = c->answerable,
                   .received_ns = c->received_ns,
                   .count = count,
                   .left = count + 1}; // one for this function
    c->session->in_flight++;
    for (uint32_t i = 0, at = 0; at < count; i++) {
        world_entry *entry = s->worlds.by_name.data[i];
        if (!is_listed(c->session, entry)) {
            continue;
        }
        command ask = {.method = METHOD_WORLD_LIST};
        request *r = worlds_request(NULL, entry, &ask);
        r->reply_to.context = l;
        r->subscription = at;
        buffer_init(&l->parts[at++], WIRE_MESSAGE_BYTES_MIN);
        count_in(s, entry, r);
        deliver(entry, r);
    }
    if (--l->left == 0) {
        finish_listing(s, l);
    }
    return STATUS_OK;
}
