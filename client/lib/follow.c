// Following worlds to other servers: requests, and the connections; see follow.h. One thread at a
// time.
#include "client/lib/follow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "client/lib/client.h"
#include "common/base/assert.h"
#include "proto/methods.h"

enum { SHOWN_FIRST_BIT = 52 };

// ---- life

static char *copy_of(const char *text, bool *starved)
{
    char *copy = text != NULL ? strdup(text) : NULL;
    *starved = *starved || (text != NULL && copy == NULL);
    return copy;
}

bool follow_init(carom_client *c, const carom_options *options)
{
    bool starved = false;
    c->follow = (follow_state){
        .ca_file = copy_of(options->tls.ca_file, &starved),
        .tls_name = copy_of(options->tls.name, &starved),
        .next_shown = UINT64_C(1) << SHOWN_FIRST_BIT,
        .due_ns = INT64_MAX,
        .epoll = -1,
    };
    return !starved;
}

static void free_subscription(followed_subscription *s)
{
    if (s->request != 0) {
        requests_remove(&s->link->requests, s->request);
    }
    carom_value_free(s->args);
    free(s);
}

void follow_deinit(carom_client *c)
{
    follow_state *f = &c->follow;
    for (uint32_t i = 0; i < f->subscriptions.count; i++) {
        f->subscriptions.data[i]->request = 0;
        free_subscription(f->subscriptions.data[i]);
    }
    for (uint32_t i = 0; i < f->links.count; i++) {
        carom_free(f->links.data[i]);
    }
    vector_free(&f->subscriptions);
    vector_free(&f->links);
    vector_free(&f->worlds);
    free(f->ca_file);
    free(f->tls_name);
    if (f->epoll >= 0) {
        close(f->epoll);
    }
}

void follow_close(carom_client *front)
{
    for (uint32_t i = 0; i < front->follow.links.count; i++) {
        carom_client *link = front->follow.links.data[i];
        client_close(link, front->wire.why, "%s", front->wire.why_text);
    }
}

// ---- worlds

static followed_world *find_world(carom_client *front, const char *world)
{
    follow_state *f = &front->follow;
    for (uint32_t i = 0; world[0] != '\0' && i < f->worlds.count; i++) {
        if (strcmp(f->worlds.data[i].world, world) == 0) {
            return &f->worlds.data[i];
        }
    }
    return NULL;
}

static int compare_ids(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

// Sends a request that another server has answered, or that has waited for the order.
static void send_on(carom_client *link, pending_request *entry)
{
    carom_error why = {0};
    const bool names = entry->names_epoch || !epochs_guard(entry->method);
    entry->due_ns = 0;
    entry->waits = false;
    if (link->state == CAROM_RECONNECTING) {
        entry->sent = false; // it is sent when the session is resumed
        return;
    }
    if (link->state != CAROM_CLOSED &&
        client_send_again(link, entry, names ? 0 : entry->epoch, &why) == CAROM_OK) {
        entry->sent = true;
        return;
    }
    if (link->state == CAROM_CLOSED) {
        client_closed_fault(link, &why);
    }
    why.applied = CAROM_APPLIED_NO;
    client_end_request(link, entry->id, NULL, &why);
}

// Sends the link's requests that `ready` names, in the order of their numbers.
static bool send_ready(carom_client *link, const void *context,
                       bool (*ready)(const pending_request *entry, const void *context))
{
    VECTOR(uint32_t) ids = {0};
    uint32_t cursor = UINT32_MAX;
    uint32_t id;
    while ((id = requests_next_waiting(&link->requests, &cursor)) != 0) {
        if (ready(requests_find(&link->requests, id), context) && !vector_push(&ids, id)) {
            break; // the others are sent the next time, or reach their deadline
        }
    }
    if (ids.count > 1) {
        qsort(ids.data, ids.count, sizeof *ids.data, compare_ids);
    }
    for (uint32_t i = 0; i < ids.count; i++) {
        pending_request *entry = requests_find(&link->requests, ids.data[i]);
        if (entry != NULL && !entry->done) {
            send_on(link, entry);
        }
    }
    const bool any = ids.count > 0;
    vector_free(&ids);
    return any;
}

static bool waits_for_order(const pending_request *entry, const void *world)
{
    return entry->waits && strcmp(entry->world, world) == 0;
}

static bool is_due(const pending_request *entry, const void *now_ns)
{
    return entry->due_ns != 0 && entry->due_ns <= *(const int64_t *)now_ns;
}

// Whether a request for the world is on its way at `link`: unanswered, or about to be sent again.
static bool has_requests(const carom_client *link, const char *world)
{
    for (uint32_t i = 0; i < link->requests.entries.count; i++) {
        const pending_request *entry = &link->requests.entries.data[i];
        if (!entry->done && !entry->waits && !follow_is_question(entry) &&
            strcmp(entry->world, world) == 0) {
            return true;
        }
    }
    return false;
}

// Sends the requests that waited for their order, once the old server has answered everything.
static void check_order(carom_client *front, const char *world)
{
    followed_world *w = find_world(front, world);
    if (w == NULL || w->old == NULL ||
        (w->old->state != CAROM_CLOSED && has_requests(w->old, world))) {
        return;
    }
    w->old = NULL;
    char name[WIRE_WORLD_NAME_MAX + 1];
    memcpy(name, w->world, sizeof name);
    send_ready(w->link, name, waits_for_order);
}

static void set_world(carom_client *front, const char *world, carom_client *link, carom_client *old)
{
    follow_state *f = &front->follow;
    followed_world *w = find_world(front, world);
    if (w == NULL) {
        if (f->worlds.count >= FOLLOW_WORLDS_MAX || link == front ||
            !vector_push(&f->worlds, (followed_world){0})) {
            return; // the first server is asked again
        }
        w = &f->worlds.data[f->worlds.count - 1];
        snprintf(w->world, sizeof w->world, "%s", world);
    }
    if (w->link != link) {
        w->link = link;
        w->old = old != link ? old : NULL;
        follow_ask_standby(link);
    }
}

// ---- worlds in which the session has something

bool follow_is_question(const pending_request *entry)
{
    return follow_is_seeking(entry) || follow_asks_standby(entry);
}

static uint32_t find_home(const carom_client *c, const char *world)
{
    uint32_t at = 0;
    while (at < c->homes.count && strcmp(c->homes.data[at].text, world) != 0) {
        at++;
    }
    return at;
}

bool follow_has_home(const carom_client *c, const char *world)
{
    return find_home(c, world) < c->homes.count;
}

// False when memory has run out.
static bool add_home(carom_client *c, const char *world)
{
    if (c->homes.count >= FOLLOW_HOMES_MAX || find_home(c, world) < c->homes.count) {
        return true;
    }
    if (!vector_push(&c->homes, (world_name){0})) {
        return false;
    }
    world_name *name = &c->homes.data[c->homes.count - 1];
    snprintf(name->text, sizeof name->text, "%s", world);
    follow_ask_standby(c);
    return true;
}

static void remove_home(carom_client *c, const char *world)
{
    const uint32_t at = find_home(c, world);
    if (at < c->homes.count) {
        vector_swap_remove(&c->homes, at);
    }
}

// Records the world of a command that took effect: the session may have something in it. False when
// memory has run out.
static bool note_home(carom_client *c, const pending_request *entry)
{
    const method_info *info = method_find(entry->method, strlen(entry->method));
    if (entry->world[0] == '\0' || info == NULL || method_has(info->id, TRAIT_REPEATABLE)) {
        return true;
    }
    if (strcmp(entry->method, "world.destroy") == 0) {
        remove_home(c, entry->world);
        return true;
    }
    return add_home(c, entry->world);
}

carom_client *follow_named_link(carom_client *c, const char *world, carom_error *answer)
{
    const bool home = find_home(c, world) < c->homes.count;
    carom_client *to = follow_find_named(c->front, c, home || follow_subscribes(c, world), answer);
    if (to == NULL) {
        return NULL;
    }
    if (home && to->kin == c->kin && !add_home(to, world)) {
        fault_memory(answer);
        return NULL;
    }
    if (to != c) {
        remove_home(c, world);
    }
    set_world(c->front, world, to, c);
    return to;
}

static void forget_world(carom_client *front, const char *world)
{
    followed_world *w = find_world(front, world);
    if (w != NULL && w->old == NULL) {
        vector_swap_remove(&front->follow.worlds, (uint32_t)(w - front->follow.worlds.data));
    }
}

bool follow_must_wait(carom_client *front, const char *world)
{
    const followed_world *w = find_world(front, world);
    return w != NULL && w->old != NULL;
}

static bool waits_for_nothing(const pending_request *entry, const void *front)
{
    const carom_client *c = front;
    return entry->waits && !follow_must_wait(c->front, entry->world);
}

void follow_release(carom_client *front)
{
    send_ready(front, front, waits_for_nothing);
}

// ---- requests

carom_client *follow_target(carom_client *front, const carom_value **args, carom_value **made)
{
    *made = NULL;
    if (!front->follow.mapped) {
        return front;
    }
    const uint64_t shown = carom_get_uint(*args, "subscription", 0);
    if (shown != 0) {
        const followed_subscription *s = follow_find_shown(front, shown);
        if (s == NULL || s->number == shown) {
            return s == NULL ? front : s->link;
        }
        *made = carom_set(carom_value_clone(*args), "subscription", carom_uint(s->number));
        *args = *made;
        return s->link;
    }
    const followed_world *w = find_world(front, carom_get_str(*args, "world", ""));
    return w == NULL || w->link->state == CAROM_CLOSED ? front : w->link;
}

static bool told_loop(const pending_request *entry, const carom_client *from, carom_error *answer)
{
    if (entry->hops < FOLLOW_HOPS_MAX) {
        return false;
    }
    fault_set(answer, CAROM_MOVED,
              "world '%s' was not found in %d steps, the last from %s to %.*s: these servers name "
              "each other",
              entry->world, FOLLOW_HOPS_MAX, from->wire.where, (int)strcspn(answer->text, " "),
              answer->text);
    answer->from_server = true;
    return true;
}

// The server that resumed the session had left the world to another one, where the request may have
// taken effect before: only that server could have said so.
static bool told_doubt(const pending_request *entry, carom_error *answer)
{
    if (!entry->doubtful) {
        return false;
    }
    fault_set(
        answer, CAROM_UNAVAILABLE,
        "'%s': the answer was lost with the connection, and its world is at %.*s now; whether "
        "it took effect is not known",
        entry->method, (int)strcspn(answer->text, " "), answer->text);
    answer->applied = CAROM_APPLIED_UNKNOWN;
    return true;
}

bool follow_refused(carom_client *c, uint64_t id, carom_error *answer)
{
    carom_client *front = c->front;
    pending_request *entry = requests_find(&c->requests, id);
    if (answer->status != CAROM_MOVED || told_doubt(entry, answer) || front->options.follow.off ||
        entry->bytes == NULL || follow_is_question(entry) || entry->world[0] == '\0' ||
        told_loop(entry, c, answer)) {
        return false;
    }
    carom_client *to = follow_named_link(c, entry->world, answer);
    if (to == NULL) {
        return false;
    }
    entry->seen |= c->server_bit;
    entry->hops++;
    entry->sent = false;
    entry = requests_move(&c->requests, &to->requests, (uint32_t)id);
    if (entry == NULL) {
        fault_memory(answer);
        return false;
    }
    follow_note_moved(entry, to);
    char world[WIRE_WORLD_NAME_MAX + 1];
    memcpy(world, entry->world, sizeof world);
    if ((entry->seen & to->server_bit) != 0) {
        entry->due_ns = deadline_after_ms(FOLLOW_PAUSE_MS << entry->hops);
        front->follow.due_ns = earlier_of(front->follow.due_ns, entry->due_ns);
    } else {
        send_on(to, entry);
    }
    check_order(front, world);
    return true;
}

bool follow_answered(carom_client *c, pending_request *entry, carom_value *result,
                     const carom_error *answer)
{
    carom_client *front = c->front;
    if (result != NULL) {
        if (strcmp(entry->method, "world.info") == 0) {
            follow_connect_standby(c, carom_get_str(result, "standby", ""));
        }
        return note_home(c, entry) && follow_note_result(c, entry, result);
    }
    if (c != front && answer->status == CAROM_NOT_FOUND &&
        strncmp(answer->text, "world ", 6) == 0) {
        forget_world(front, entry->world);
    }
    return true;
}

// ---- all links

// Worlds and subscriptions of a link that has closed are looked for at the first server.
static void leave(carom_client *front, const carom_client *link)
{
    follow_state *f = &front->follow;
    for (uint32_t i = f->worlds.count; i-- > 0;) {
        followed_world *w = &f->worlds.data[i];
        if (w->link == link) {
            vector_swap_remove(&f->worlds, i);
        } else if (w->old == link) {
            check_order(front, w->world);
        }
    }
    follow_leave(front, link);
}

static bool send_due(carom_client *front)
{
    const int64_t now = monotonic_ns();
    follow_state *f = &front->follow;
    if (now < f->due_ns) {
        return false;
    }
    f->due_ns = INT64_MAX;
    bool any = send_ready(front, &now, is_due);
    for (uint32_t i = 0; i < f->links.count; i++) {
        any = send_ready(f->links.data[i], &now, is_due) || any;
    }
    return follow_subscribe_due(front, now) || any;
}

// The next time at which a request is to be sent.
static void find_due(carom_client *front)
{
    follow_state *f = &front->follow;
    for (uint32_t i = 0; i <= f->links.count; i++) {
        const carom_client *c = i < f->links.count ? f->links.data[i] : front;
        for (uint32_t j = 0; j < c->requests.entries.count; j++) {
            const int64_t due = c->requests.entries.data[j].due_ns;
            f->due_ns = due != 0 ? earlier_of(f->due_ns, due) : f->due_ns;
        }
    }
}

bool follow_pump(carom_client *front)
{
    follow_state *f = &front->follow;
    follow_standby_due(front, monotonic_ns());
    if (!f->mapped) {
        return false;
    }
    bool any = false;
    if (front->state == CAROM_RECONNECTING && follow_world_of(front, 0) == NULL) {
        any = follow_replace_front(front); // nothing keeps it at its server
    }
    if (front->state != CAROM_CLOSED && f->due_ns != INT64_MAX && send_due(front)) {
        find_due(front);
        any = true;
    }
    const int64_t now = monotonic_ns();
    follow_seek_due(front, now);
    for (uint32_t i = 0; i < f->links.count; i++) { // callbacks may add links
        follow_seek_due(f->links.data[i], now);
        follow_standby_due(f->links.data[i], now);
        if (f->links.data[i]->state != CAROM_CLOSED) {
            any = client_pump(f->links.data[i]) || any;
        }
    }
    for (uint32_t i = f->links.count; i-- > 0;) {
        carom_client *link = f->links.data[i];
        if (link->state == CAROM_CLOSED) {
            vector_swap_remove(&f->links, i);
            leave(front, link);
            follow_stop_seeking(link);
            carom_free(link);
            any = true;
        } else {
            for (uint32_t j = f->worlds.count; j-- > 0;) { // answers that came late, or never
                if (f->worlds.data[j].old != NULL) {
                    check_order(front, f->worlds.data[j].world);
                }
            }
        }
    }
    return any;
}

int64_t follow_deadline(const carom_client *front, int64_t deadline_ns)
{
    const follow_state *f = &front->follow;
    deadline_ns = earlier_of(deadline_ns, f->due_ns);
    deadline_ns = earlier_of(deadline_ns, follow_standby_deadline(front));
    deadline_ns =
        follow_is_sought(front) ? earlier_of(deadline_ns, front->seek.due_ns) : deadline_ns;
    for (uint32_t i = 0; i < f->links.count; i++) {
        const carom_client *link = f->links.data[i];
        deadline_ns = earlier_of(deadline_ns, client_deadline(link));
        deadline_ns = earlier_of(deadline_ns, follow_standby_deadline(link));
        deadline_ns =
            follow_is_sought(link) ? earlier_of(deadline_ns, link->seek.due_ns) : deadline_ns;
    }
    return deadline_ns;
}

size_t follow_unsent(const carom_client *front)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < front->follow.links.count; i++) {
        bytes += connection_unsent(&front->follow.links.data[i]->wire);
    }
    return bytes;
}

static void watch_socket(int epoll, const carom_client *c)
{
    const bool writes = connection_wants_write(&c->wire);
    struct epoll_event event = {.events = EPOLLIN | (writes ? EPOLLOUT : 0)};
    if (c->wire.fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_MOD, c->wire.fd, &event) != 0) {
        (void)epoll_ctl(epoll, EPOLL_CTL_ADD, c->wire.fd, &event);
    }
}

int follow_fd(const carom_client *front)
{
    const follow_state *f = &front->follow;
    if (!f->mapped || front->state == CAROM_CLOSED) {
        return -1;
    }
    if (f->epoll < 0) {
        return -1; // carom_timeout_ms wakes the program for the other connections
    }
    watch_socket(f->epoll, front);
    for (uint32_t i = 0; i < f->links.count; i++) {
        watch_socket(f->epoll, f->links.data[i]);
    }
    return f->epoll;
}

static void on_presented(carom_client *front, uint64_t request, const carom_value *result,
                         const carom_error *why, void *user)
{
    (void)front;
    (void)request;
    (void)result;
    (void)why; // the server closes the connection when the old token expires
    (void)user;
}

void follow_present(carom_client *front, int timeout_ms)
{
    carom_value *args = carom_set(carom_map(), "token", carom_str(front->resume.token));
    for (uint32_t i = 0; args != NULL && i < front->follow.links.count; i++) {
        carom_client *link = front->follow.links.data[i];
        char *copy = link->resume.token != NULL ? strdup(front->resume.token) : NULL;
        if (copy != NULL) {
            free(link->resume.token);
            link->resume.token = copy;
            (void)client_request(link, "hello", args, timeout_ms, on_presented, NULL, NULL, NULL);
        }
    }
    carom_value_free(args);
}
