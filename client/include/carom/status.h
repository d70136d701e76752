// How libcarom reports errors: a status, with the same words as on the wire, and a text for a
// person. Functions that can fail take a last `carom_error *`, which may be NULL; it is written on
// failure only. Results that come back through out-parameters are untouched on failure.
//
// Bad arguments are errors, never crashes: a NULL client, view, world or result pointer, where one
// is needed, is answered with CAROM_INVALID_ARGUMENT, or with nothing (false, 0, NULL) by functions
// that have no status. Functions that free take NULL and do nothing.
//
// Memory: the library never aborts the process. A function that runs out of memory returns
// CAROM_OUT_OF_MEMORY (or NULL, if it makes something) and has changed nothing. When memory runs
// out for what the server sends, a response ends with CAROM_OUT_OF_MEMORY, and anything else closes
// the connection with that reason: a view never continues with an unnoticed gap.
#ifndef CAROM_STATUS_H
#define CAROM_STATUS_H

#include <stdbool.h>

#include <carom/export.h>

CAROM_BEGIN_DECLS

typedef enum carom_status {
    CAROM_OK = 0,
    // generated from proto/schema: errors
    // malformed, of the wrong type, out of range, not finite
    CAROM_INVALID_ARGUMENT,
    // a world, body, shape, joint or subscription that does not exist
    CAROM_NOT_FOUND,
    // the name is taken
    CAROM_ALREADY_EXISTS,
    // the caller is known but lacks the right
    CAROM_PERMISSION_DENIED,
    // the caller is not known
    CAROM_UNAUTHENTICATED,
    // a named maximum was reached
    CAROM_LIMIT_EXCEEDED,
    // not possible now: shutting down, overloaded, no connection, connection lost, timed out
    CAROM_UNAVAILABLE,
    // no method has that name
    CAROM_UNKNOWN_METHOD,
    // the world is on another server
    CAROM_MOVED,
    // a fault of the server, or out of memory
    CAROM_INTERNAL,
    // memory has run out on this side; never sent by a server
    CAROM_OUT_OF_MEMORY,
    // end of generated
    CAROM_STATUS_COUNT
} carom_status;

#define CAROM_ERROR_TEXT_MAX 256 // bytes with the closing zero; longer texts end at a word, with …

// For a request whose answer was lost with the connection (CAROM_UNAVAILABLE): whether it took
// effect.
typedef enum carom_applied {
    CAROM_APPLIED_UNKNOWN, // unknown; also for every other error
    CAROM_APPLIED_YES,     // it took effect: do not repeat it
    CAROM_APPLIED_NO       // it did not take effect: it may be repeated
} carom_applied;

typedef struct carom_error {
    carom_status status;
    carom_applied applied;
    bool from_server; // the server sent this error; false: found on this side (connection,
                      // deadline, argument)
    char text[CAROM_ERROR_TEXT_MAX];
} carom_error;

// The wire's word: "invalid_argument" … ; "ok" for CAROM_OK, "out_of_memory" for
// CAROM_OUT_OF_MEMORY, "internal" for any number that is no status. Never NULL.
CAROM_API const char *carom_status_name(carom_status status);

// The status whose wire word is `name`; CAROM_INTERNAL for any other word or NULL.
CAROM_API carom_status carom_status_from_name(const char *name);

// "0.1.0": the version of the library that is linked.
CAROM_API const char *carom_version(void);

CAROM_END_DECLS

#endif
