// The text of /metrics. Network thread only.
#ifndef CAROM_SERVER_SESSION_CALLS_SCRAPE_H
#define CAROM_SERVER_SESSION_CALLS_SCRAPE_H

#include "proto/wire/buffer.h"

// Writes the text of /metrics; `context` is the server.
void scrape_write(void *context, buffer *out);

#endif
