// How libcarom says that something did not work: a status, the same words as on the wire, and a
// text for a person. Functions that can fail take a last `carom_error *`, which may be NULL; it is
// written on failure only. Results that come back through out-parameters are untouched on failure.
#ifndef CAROM_STATUS_H
#define CAROM_STATUS_H

#include <stdbool.h>

#include <carom/export.h>

CAROM_BEGIN_DECLS

typedef enum carom_status {
    CAROM_OK = 0,
    CAROM_INVALID_ARGUMENT,  // malformed, of the wrong type, out of range, not finite
    CAROM_NOT_FOUND,         // a world, body, shape, joint or subscription that does not exist
    CAROM_ALREADY_EXISTS,    // a name that is taken
    CAROM_PERMISSION_DENIED, // known who, but may not
    CAROM_UNAUTHENTICATED,   // not known who
    CAROM_LIMIT_EXCEEDED,    // a named maximum was reached
    CAROM_UNAVAILABLE, // not now: no connection, connection lost, timed out, server shutting down
    CAROM_UNKNOWN_METHOD, // no method of that name
    CAROM_MOVED,          // lives on another server
    CAROM_INTERNAL,       // a fault of ours or of the server, or memory has run out
    CAROM_STATUS_COUNT
} carom_status;

#define CAROM_ERROR_TEXT_MAX 256 // bytes with the closing zero; longer texts are cut at a character

typedef struct carom_error {
    carom_status status;
    bool from_server; // the server answered so; false: found on this side (connection, deadline,
                      // argument)
    char text[CAROM_ERROR_TEXT_MAX];
} carom_error;

// The wire's word: "invalid_argument" … ; "ok" for CAROM_OK, "internal" for what is no status.
// Never NULL.
CAROM_API const char *carom_status_name(carom_status status);

// The status whose wire word is `name`; CAROM_INTERNAL for any other word or NULL.
CAROM_API carom_status carom_status_from_name(const char *name);

// "0.1.0": the version of the library that is linked.
CAROM_API const char *carom_version(void);

CAROM_END_DECLS

#endif
