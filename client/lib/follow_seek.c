// A lost connection: asks the other servers who serves its worlds now, and dials that server; see
// follow.h. One thread at a time.
#include <stdio.h>
#include <string.h>

#include "client/lib/client.h"
#include "client/lib/follow.h"

const char *follow_lasting_world(const carom_client *c, uint32_t number)
{
    const follow_state *f = &c->front->follow;
    for (uint32_t i = 0; i < f->subscriptions.count; i++) {
        if (f->subscriptions.data[i]->link == c && number-- == 0) {
            return f->subscriptions.data[i]->world;
        }
    }
    return number < c->homes.count ? c->homes.data[number].text : NULL;
}

const char *follow_world_of(const carom_client *lost, uint32_t turn)
{
    const follow_state *f = &lost->front->follow;
    const char *found[FOLLOW_SERVERS_MAX];
    const char *lasting;
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->worlds.count && count < FOLLOW_SERVERS_MAX; i++) {
        if (f->worlds.data[i].link == lost) {
            found[count++] = f->worlds.data[i].world;
        }
    }
    for (uint32_t i = 0; i < lost->requests.entries.count && count < FOLLOW_SERVERS_MAX; i++) {
        const pending_request *entry = &lost->requests.entries.data[i];
        if (entry->world[0] != '\0' && !entry->done && !follow_is_question(entry)) {
            found[count++] = entry->world;
        }
    }
    for (uint32_t i = 0;
         count < FOLLOW_SERVERS_MAX && (lasting = follow_lasting_world(lost, i)) != NULL; i++) {
        found[count++] = lasting;
    }
    return count == 0 ? NULL : found[turn % count];
}

// Dials another server from now on, with the session's secret.
static void redirect(carom_client *lost, const char *where, carom_error *err)
{
    char host[FOLLOW_HOST_MAX];
    uint16_t port = 0;
    address_list to;
    tls_trust *trust = NULL;
    const follow_state *f = &lost->front->follow;
    if (carom_address_parse(where, host, sizeof host, &port, err) != CAROM_OK ||
        address_resolve(host, port, &to, err) != CAROM_OK) {
        return;
    }
    carom_tls tls = lost->front->options.tls;
    tls.ca_file = f->ca_file;
    tls.name = f->tls_name;
    if (tls.on && tls_trust_create(&tls, host, &trust, err) != CAROM_OK) {
        return;
    }
    if (!lost->resume.waiting) {
        connection_shut(&lost->wire, CAROM_UNAVAILABLE, "its worlds are served at %s", where);
    }
    tls_trust_free(lost->wire.trust);
    lost->wire.trust = trust;
    lost->wire.addresses = to;
    client_note_where(lost->wire.where, host, port);
    lost->resume.attempts = 0;
    lost->resume.next_ns = monotonic_ns();
}

// Another connection has the session already at the server that has the lost one's worlds.
static void join(carom_client *lost, carom_client *kin)
{
    if (lost != lost->front) {
        client_close(lost, CAROM_UNAVAILABLE, "its worlds are served at %s", kin->wire.where);
    } else if (kin->state == CAROM_OPEN) {
        follow_promote(lost, kin);
    }
}

static void on_sought(carom_client *front, uint64_t request, const carom_value *result,
                      const carom_error *why, void *user)
{
    (void)request;
    carom_client *lost = user;
    const carom_client *at = lost->seek.at;
    char where[FOLLOW_HOST_MAX] = "";
    char host[FOLLOW_HOST_MAX];
    uint16_t port = 0;
    address_list to;
    carom_error ignored;
    lost->seek.request = 0;
    lost->seek.at = NULL;
    lost->seek.due_ns = deadline_after_ms(FOLLOW_SEEK_MS);
    if (lost->state != CAROM_RECONNECTING) {
        return;
    }
    if (result != NULL) {
        snprintf(where, sizeof where, "%s", at->wire.where);
    } else if (why->status == CAROM_MOVED && strcspn(why->text, " ") < sizeof where) {
        memcpy(where, why->text, strcspn(why->text, " "));
    }
    if (strchr(where, ':') == NULL || strstr(where, "//") != NULL ||
        strcmp(where, lost->wire.where) == 0 ||
        carom_address_parse(where, host, sizeof host, &port, &ignored) != CAROM_OK ||
        address_resolve(host, port, &to, &ignored) != CAROM_OK) {
        return;
    }
    carom_client *kin = follow_find_kin(front, where, lost->kin);
    if (kin != NULL && kin != lost) { // it has the session there
        join(lost, kin);
    } else if (result != NULL || follow_may_carry(at, &to)) {
        redirect(lost, where, &ignored);
    }
}

// Asks the next of the servers that are connected who serves the next world of a lost connection.
static void seek(carom_client *lost)
{
    carom_client *front = lost->front;
    const follow_state *f = &front->follow;
    const uint32_t turn = lost->seek.turn++;
    const char *world = follow_world_of(lost, turn / (f->links.count + 1));
    carom_client *at =
        turn % (f->links.count + 1) == 0 ? front : f->links.data[turn % (f->links.count + 1) - 1];
    lost->seek.due_ns = deadline_after_ms(FOLLOW_SEEK_MS / FOLLOW_SERVERS_MAX + 1);
    if (world == NULL || at == lost || at->state != CAROM_OPEN) {
        return;
    }
    carom_value *args = carom_set(carom_map(), "world", carom_str(world));
    lost->seek.at = at;
    if (args == NULL || client_request_here(at, "world.info", args, FOLLOW_ASK_MS, on_sought, lost,
                                            &lost->seek.request, NULL) != CAROM_OK) {
        lost->seek.request = 0;
        lost->seek.at = NULL;
    }
    carom_value_free(args);
}

bool follow_is_sought(const carom_client *c)
{
    return c->state == CAROM_RECONNECTING && !c->heir && c->front->follow.links.count > 0 &&
           !c->front->options.follow.off && c->seek.request == 0;
}

void follow_seek_due(carom_client *c, int64_t now)
{
    if (follow_is_sought(c) && now >= c->seek.due_ns) {
        seek(c);
    }
}

void follow_stop_seeking(carom_client *c)
{
    if (c->seek.request != 0) {
        requests_remove(&c->seek.at->requests, c->seek.request);
        c->seek.request = 0;
    }
}

// ---- functions for follow.c

bool follow_is_seeking(const pending_request *entry)
{
    return entry->fn == on_sought;
}
