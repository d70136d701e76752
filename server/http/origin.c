// Origins as browsers write them; see origin.h. Any thread.
#include "server/http/origin.h"

#include <string.h>
#include <strings.h>

#include <arpa/inet.h>

static const char *const SCHEMES[] = {"https://", "http://"};

// The text after the scheme; NULL for other schemes.
static const char *authority_of(const char *text, size_t size)
{
    for (size_t i = 0; i < sizeof SCHEMES / sizeof *SCHEMES; i++) {
        size_t length = strlen(SCHEMES[i]);
        if (size > length && strncasecmp(text, SCHEMES[i], length) == 0) {
            return text + length;
        }
    }
    return NULL;
}

// Whether what follows the host is nothing or a port from 1 to 65535.
static bool ends_with_port(const char *authority)
{
    const char *end = *authority == '[' ? strchr(authority, ']') : NULL;
    const char *port = strchr(end != NULL ? end : authority, ':');
    unsigned value = 0;
    if (port == NULL) {
        return true;
    }
    for (const char *c = port + 1; *c != '\0'; c++) {
        if (*c < '0' || *c > '9' || c - port > 5) {
            return false;
        }
        value = 10 * value + (unsigned)(*c - '0');
    }
    return value >= 1 && value <= 65535;
}

status origin_check(const char *text, error *err)
{
    size_t size = strlen(text);
    const char *authority = authority_of(text, size);
    bool good = authority != NULL && size <= ORIGIN_BYTES_MAX;
    for (const char *c = authority; good && *c != '\0'; c++) {
        good = *c > ' ' && *c < 0x7F && strchr("/?#@\\\"", *c) == NULL;
    }
    if ((good && ends_with_port(authority)) || strcmp(text, "*") == 0) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_INVALID_ARGUMENT,
                     "'%s' is not the origin of a page, as https://play.example or "
                     "http://localhost:8080, nor * for every page",
                     text);
}

// The host of "HOST" or "HOST:PORT", without the brackets of an IPv6 address.
typedef struct host_name {
    char text[ORIGIN_BYTES_MAX + 1]; // "" where it is longer
    bool bracketed;
} host_name;

static host_name name_of(const char *text, size_t size)
{
    host_name out = {.bracketed = size > 0 && text[0] == '['};
    const char *end = memchr(text, out.bracketed ? ']' : ':', size);
    size_t length = end != NULL ? (size_t)(end - text) : size;
    if (out.bracketed) {
        text++;
        length--;
    }
    if (length < sizeof out.text) {
        memcpy(out.text, text, length);
    }
    return out;
}

// Whether the host is an address or localhost, not a name that someone else could point at this
// machine.
static bool is_address(const host_name *name)
{
    struct in6_addr binary;
    if (name->bracketed) {
        return inet_pton(AF_INET6, name->text, &binary) == 1;
    }
    return inet_pton(AF_INET, name->text, &binary) == 1 || strcasecmp(name->text, "localhost") == 0;
}

// Whether the name is one of this machine or of its own network: names without a dot or below
// .localhost cannot be registered.
static bool is_local(const host_name *name)
{
    static const char LOCAL[] = ".localhost";
    const char *dot = strchr(name->text, '.');
    return !name->bracketed && name->text[0] != '\0' &&
           (dot == NULL || strcasecmp(strrchr(name->text, '.'), LOCAL) == 0);
}

bool origin_allowed(http_span origin, http_span host, const char *const *allowed, uint32_t count)
{
    if (origin.text == NULL) {
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(allowed[i], "*") == 0 || http_span_is(origin, allowed[i])) {
            return true;
        }
    }
    const char *authority = authority_of(origin.text, origin.size);
    if (authority == NULL || host.text == NULL) {
        return false;
    }
    host_name name = name_of(host.text, host.size);
    if (!is_address(&name)) {
        return false;
    }
    size_t size = origin.size - (size_t)(authority - origin.text);
    return size == host.size && strncasecmp(authority, host.text, size) == 0;
}

bool origin_serves(http_span host, const char *own, const char *const *allowed, uint32_t count)
{
    if (host.text == NULL) {
        return true;
    }
    host_name name = name_of(host.text, host.size);
    if (is_address(&name) || is_local(&name) || strcasecmp(name.text, own) == 0) {
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *authority = authority_of(allowed[i], strlen(allowed[i]));
        if (authority == NULL) {
            return true; // "*"
        }
        host_name other = name_of(authority, strlen(authority));
        if (!name.bracketed && strcasecmp(name.text, other.text) == 0) {
            return true;
        }
    }
    return false;
}

bool origin_is_public(const char *allowed)
{
    const char *authority = authority_of(allowed, strlen(allowed));
    if (authority == NULL) {
        return false; // "*"
    }
    host_name name = name_of(authority, strlen(authority));
    return !is_address(&name) && !is_local(&name);
}
