// Origins as browsers write them; see origin.h. Any thread.
#include "server/http/origin.h"

#include <string.h>
#include <strings.h>

#include <arpa/inet.h>

static const char *const SCHEMES[] = {"https://", "http://"};

// The part after the scheme; NULL for other schemes.
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

status origin_check(const char *text, error *err)
{
    size_t size = strlen(text);
    const char *authority = authority_of(text, size);
    bool good = authority != NULL && size <= ORIGIN_BYTES_MAX;
    for (const char *c = authority; good && *c != '\0'; c++) {
        good = *c > ' ' && *c < 0x7F && strchr("/?#@\\\"", *c) == NULL;
    }
    if (good || strcmp(text, "*") == 0) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_INVALID_ARGUMENT,
                     "'%s' is not the origin of a page, as https://play.example or "
                     "http://localhost:8080, nor * for every page",
                     text);
}

// Whether "HOST" or "HOST:PORT" says an address, or localhost, and no name that someone else may
// point at this machine.
static bool is_address(http_span host)
{
    char name[INET6_ADDRSTRLEN + 2];
    struct in6_addr binary;
    const char *text = host.text;
    size_t size = host.size;
    bool bracketed = size > 0 && text[0] == '[';
    const char *end = memchr(text, bracketed ? ']' : ':', size);
    size_t length = end != NULL ? (size_t)(end - text) : size;
    if (bracketed) {
        text++;
        length = length > 0 ? length - 1 : 0;
    }
    if (length >= sizeof name) {
        return false;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    return bracketed ? inet_pton(AF_INET6, name, &binary) == 1
                     : inet_pton(AF_INET, name, &binary) == 1 || strcasecmp(name, "localhost") == 0;
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
    if (authority == NULL || host.text == NULL || !is_address(host)) {
        return false;
    }
    size_t size = origin.size - (size_t)(authority - origin.text);
    return size == host.size && strncasecmp(authority, host.text, size) == 0;
}
