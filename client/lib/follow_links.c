// Connections to the servers that other servers name; see follow.h. One thread at a time.
#include <arpa/inet.h>
#include <string.h>
#include <sys/epoll.h>

#include "client/lib/client.h"
#include "client/lib/follow.h"

// ---- addresses that a server may name (web/src/trust.js has the same rules)

static bool is_loopback(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)address;
        return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    }
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)address;
    return address->ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

static bool all_loopback(const address_list *list)
{
    bool all = list->count > 0;
    for (int i = 0; i < list->count; i++) {
        all = all && is_loopback(&list->addresses[i]);
    }
    return all;
}

bool follow_may_carry(const carom_client *from, const address_list *to)
{
    const carom_options *options = &from->front->options;
    if (options->tls.on) {
        return !options->tls.unverified || options->follow.plain;
    }
    const bool machine = from->wire.address < from->wire.addresses.count &&
                         is_loopback(&from->wire.addresses.addresses[from->wire.address]);
    return machine ? all_loopback(to) || options->follow.plain : options->follow.plain;
}

// ---- connections

static bool is_at(const carom_client *c, const char *where, uint32_t kin)
{
    return c->state != CAROM_CLOSED && strcmp(c->wire.where, where) == 0 &&
           (kin == 0 || c->kin == kin);
}

// `kin` 0: with any session.
static carom_client *known_link(carom_client *front, const char *where, uint32_t kin)
{
    if (is_at(front, where, kin)) {
        return front;
    }
    for (uint32_t i = 0; i < front->follow.links.count; i++) {
        if (is_at(front->follow.links.data[i], where, kin)) {
            return front->follow.links.data[i];
        }
    }
    return NULL;
}

carom_client *follow_find_kin(carom_client *front, const char *where, uint32_t kin)
{
    return known_link(front, where, kin);
}

// Ends a link that went ahead of need to that server, as an heir is to go there.
static void replace_idle(carom_client *front, const char *where)
{
    for (uint32_t i = 0; i < front->follow.links.count; i++) {
        carom_client *link = front->follow.links.data[i];
        if (is_at(link, where, 0) && follow_world_of(link, 0) == NULL) {
            client_close(link, CAROM_OK, "%s", "");
        }
    }
}

// `from`: the connection whose session goes along; NULL: none.
static carom_client *open_link(carom_client *front, const char *host, uint16_t port, bool carries,
                               const carom_client *from, carom_error *err)
{
    follow_state *f = &front->follow;
    carom_options options = front->options;
    options.handlers = (carom_handlers){0};
    options.name = front->resume.name;
    options.token = carries ? front->resume.token : NULL;
    options.resume = from != NULL ? carom_get_str(from->hello, "resume", "") : NULL;
    options.tls.ca_file = f->ca_file;
    options.tls.name = f->tls_name;
    carom_client *link = NULL;
    if (!vector_reserve(&f->links, f->links.count + 1)) {
        fault_memory(err);
        return NULL;
    }
    if (client_start(front, host, port, FOLLOW_DIAL_MS, &options, &link, err) != CAROM_OK) {
        return NULL;
    }
    if (from != NULL && !resume_begin_heir(link, from)) {
        carom_free(link);
        fault_memory(err);
        return NULL;
    }
    link->server_bit = UINT32_C(1) << (++f->servers % 32);
    link->held = front->held;
    f->links.data[f->links.count++] = link;
    f->mapped = true;
    f->epoll = f->epoll >= 0 ? f->epoll : epoll_create1(EPOLL_CLOEXEC);
    return link;
}

static carom_client *refuse(carom_error *answer, const char *why)
{
    carom_error plain = *answer;
    fault_set(answer, CAROM_MOVED, "%.120s; not followed: %s", plain.text, why);
    answer->from_server = true;
    return NULL;
}

carom_client *follow_find_named(carom_client *front, const carom_client *from, bool along,
                                carom_error *answer)
{
    char text[FOLLOW_HOST_MAX];
    char host[FOLLOW_HOST_MAX];
    char where[WHERE_MAX];
    uint16_t port = 0;
    carom_error why = {0};
    const size_t size = strcspn(answer->text, " ");
    if (from->wire.addresses.count == 0) {
        return refuse(answer, "the connection is one that the program has opened");
    }
    memcpy(text, answer->text, size < sizeof text ? size : 0);
    text[size < sizeof text ? size : 0] = '\0';
    if (strchr(text, ':') == NULL || strstr(text, "//") != NULL ||
        carom_address_parse(text, host, sizeof host, &port, &why) != CAROM_OK) {
        return refuse(answer, "the server's text does not begin with HOST:PORT");
    }
    client_note_where(where, host, port);
    along = along && carom_get_str(from->hello, "resume", "")[0] != '\0';
    carom_client *known = known_link(front, where, from->kin);
    known = known == NULL && !along ? known_link(front, where, 0) : known;
    if (known != NULL) {
        return known;
    }
    if (front->follow.links.count + 1 >= FOLLOW_SERVERS_MAX) {
        return refuse(answer, "16 servers are connected, which is the limit");
    }
    _Static_assert(FOLLOW_SERVERS_MAX == 16, "the text says so");
    address_list to;
    if (address_resolve(host, port, &to, &why) != CAROM_OK) {
        return refuse(answer, why.text);
    }
    const bool carries = follow_may_carry(from, &to);
    if (!carries && front->resume.token != NULL) {
        return refuse(answer, "the token goes only over TLS, or within this machine, to a server "
                              "named in the same way");
    }
    along = along && carries;
    if (along) {
        replace_idle(front, where);
    }
    carom_client *link = along ? NULL : known_link(front, where, 0);
    link = link != NULL ? link : open_link(front, host, port, carries, along ? from : NULL, &why);
    return link != NULL ? link : refuse(answer, why.text);
}
