// Which web pages may connect (RFC 6454), and by which names the server may be addressed.
//
// A browser lets any page open a WebSocket to any server and only says, in Origin, which page it
// is; so the server has to reject foreign pages. A request without Origin does not come from a
// browser. The server's own pages are those whose origin equals the request's Host. Host is
// believed only if it is an address or localhost: a page of evil.example whose name has been made
// to point here (DNS rebinding) sends Host and Origin that agree. A name has to be allowed by
// --origin.
//
// Pure functions; any thread.
#ifndef CAROM_SERVER_HTTP_ORIGIN_H
#define CAROM_SERVER_HTTP_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/http/request.h"

enum { ORIGIN_BYTES_MAX = 255 };

// Whether `text` is "*" (any page) or SCHEME://HOST[:PORT] of http or https.
status origin_check(const char *text, error *err);

bool origin_allowed(http_span origin, http_span host, const char *const *allowed, uint32_t count);

// Whether a request for `host` is meant for this server, whatever the port: an address, localhost,
// a name without dots (as of containers), `own` (the name that it listens on), or the host of an
// allowed origin. A page of evil.example whose name was made to point here could read answers to
// any other name as its own. A request without Host does not come from a browser.
bool origin_serves(http_span host, const char *own, const char *const *allowed, uint32_t count);

// Whether the host of an allowed origin is a name that other machines know, so that they come by
// it, most likely through a proxy.
bool origin_is_public(const char *allowed);

#endif
