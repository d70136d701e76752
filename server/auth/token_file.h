// The token with which this server speaks to another one, from a file: read again for each
// connection, so that whoever renews it need not restart the server. Any thread.
#ifndef CAROM_SERVER_AUTH_TOKEN_FILE_H
#define CAROM_SERVER_AUTH_TOKEN_FILE_H

#include "common/base/status.h"

// The token, which the caller frees, without the line end behind it. Errors, which name the path:
// STATUS_UNAVAILABLE with the system's error; STATUS_INVALID_ARGUMENT: it is empty, has more than
// WIRE_TOKEN_BYTES_MAX bytes, or others than the visible ones of ASCII.
status token_file_read(const char *path, char **out, error *err);

#endif
