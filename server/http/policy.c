// See policy.h. Any thread.
#include "server/http/policy.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/assert.h"

static const char *const SCHEMES[] = {"wss://", "ws://"};

// A source of the policy has names and IPv4 addresses, but no IPv6 address, and is one word.
static bool is_source(const char *text)
{
    for (size_t i = 0; i < sizeof SCHEMES / sizeof *SCHEMES; i++) {
        size_t length = strlen(SCHEMES[i]);
        if (strncmp(text, SCHEMES[i], length) != 0) {
            continue;
        }
        const char *rest = text + length;
        bool good = isalnum((unsigned char)*rest) != 0;
        for (; good && *rest != '\0'; rest++) {
            good = isalnum((unsigned char)*rest) || strchr("-._~:/", *rest) != NULL;
        }
        return good && strlen(text) <= POLICY_SERVER_BYTES_MAX;
    }
    return false;
}

status policy_check_server(const char *text, error *err)
{
    if (strcmp(text, "*") == 0 || is_source(text)) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_INVALID_ARGUMENT,
                     "'%.100s' is not the WebSocket of a server by name or IPv4 address, as "
                     "wss://play.example:22767, nor * for every server",
                     text);
}

static int write_peers(char out[POLICY_BYTES_MAX], int used, const policy_peers *peers)
{
    ASSERT(peers->count <= POLICY_PEERS_MAX);
    for (uint32_t i = 0; i < peers->count; i++) {
        char source[POLICY_PEER_BYTES_MAX + 1];
        const int size = snprintf(source, sizeof source, "%s%s", SCHEMES[peers->secure ? 0 : 1],
                                  peers->addresses[i]);
        if ((size_t)size < sizeof source && is_source(source)) {
            used += snprintf(out + used, (size_t)(POLICY_BYTES_MAX - used), " %s", source);
        }
    }
    return used;
}

size_t policy_write(char out[POLICY_BYTES_MAX], const char *const *servers, uint32_t count,
                    const policy_peers *peers)
{
    ASSERT(count <= POLICY_SERVERS_MAX);
    int used = snprintf(out, POLICY_BYTES_MAX,
                        "Content-Security-Policy: default-src 'none'; "
                        "script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
                        "img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; "
                        "worker-src 'self' blob:; "
                        "manifest-src 'self'; base-uri 'none'; form-action 'none'; "
                        "frame-ancestors 'none'; connect-src 'self'");
    for (uint32_t i = 0; i < count; i++) {
        const char *source = strcmp(servers[i], "*") == 0 ? "ws: wss:" : servers[i];
        used += snprintf(out + used, (size_t)(POLICY_BYTES_MAX - used), " %s", source);
    }
    used = peers != NULL ? write_peers(out, used, peers) : used;
    used += snprintf(out + used, (size_t)(POLICY_BYTES_MAX - used),
                     "\r\n"
                     "X-Content-Type-Options: nosniff\r\n"
                     "X-Frame-Options: DENY\r\n" // older browsers do not know frame-ancestors
                     "Referrer-Policy: no-referrer\r\n"
                     "Cross-Origin-Opener-Policy: same-origin\r\n"
                     "Cross-Origin-Resource-Policy: same-origin\r\n");
    ASSERT(used < POLICY_BYTES_MAX);
    return (size_t)used;
}
