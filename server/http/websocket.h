// WebSocket frames (RFC 6455), server's side: bytes to payload and back. Knows neither sockets nor
// messages of the protocol.
//
// The decoder receives bytes in any pieces and returns one event at a time. It stores only the
// payload of control frames (at most 125 bytes): data is passed on piece by piece, so a declared
// length never allocates memory. Extensions are not supported.
//
// Pure functions over their arguments; any thread, one at a time.
#ifndef CAROM_SERVER_HTTP_WEBSOCKET_H
#define CAROM_SERVER_HTTP_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WEBSOCKET_HEAD_MAX = 14,     // opcode, length, mask
    WEBSOCKET_CONTROL_MAX = 125, // payload of ping, pong and close
    WEBSOCKET_REASON_MAX = WEBSOCKET_CONTROL_MAX - 2,
    WEBSOCKET_END_MAX = 2 + WEBSOCKET_CONTROL_MAX,
    WEBSOCKET_KEY_CHARS = 24,    // Sec-WebSocket-Key: 16 bytes in base64
    WEBSOCKET_ACCEPT_CHARS = 28, // Sec-WebSocket-Accept: a SHA-1 in base64
};

// Codes of close frames, section 7.4.1.
typedef enum websocket_code {
    WEBSOCKET_NORMAL = 1000,
    WEBSOCKET_GOING_AWAY = 1001,
    WEBSOCKET_PROTOCOL_ERROR = 1002,
    WEBSOCKET_UNSUPPORTED = 1003, // text
    WEBSOCKET_NO_CODE = 1005,     // never on the wire: a close frame without a code
    WEBSOCKET_BAD_DATA = 1007,
    WEBSOCKET_POLICY = 1008,
    WEBSOCKET_TOO_BIG = 1009,
    WEBSOCKET_INTERNAL = 1011
} websocket_code;

typedef enum websocket_event {
    WEBSOCKET_MORE,    // all bytes are used up
    WEBSOCKET_DATA,    // a piece of a binary message
    WEBSOCKET_MESSAGE, // the message is complete
    WEBSOCKET_PING,    // must be answered with the payload in `control`
    WEBSOCKET_PONG,    // the payload is in `control`
    WEBSOCKET_CLOSE,   // the peer ends; `code` is its own, or WEBSOCKET_NO_CODE
    WEBSOCKET_BROKEN   // a rule was broken: `code` and `text` say which; there is no way on
} websocket_event;

typedef struct websocket {
    uint64_t message_max;             // bytes of one message
    uint8_t head[WEBSOCKET_HEAD_MAX]; // head of the current frame
    uint32_t head_size;               // bytes of it received so far
    bool in_payload;                  // the head is complete
    uint8_t opcode;                   // opcode of the current frame
    bool final;                       // the current frame is the last of its message
    uint32_t mask_at;                 // index of the next byte of the mask
    uint64_t left;                    // bytes of the payload not received yet
    bool open;                        // a message has begun and is not complete
    uint64_t message_bytes;           // payload of the current message so far
    uint8_t control[WEBSOCKET_CONTROL_MAX];
    uint32_t control_size;
    websocket_code code;
    const char *text; // constant
} websocket;

void websocket_init(websocket *w, uint64_t message_max);

// Reads the next event from the bytes at *data; advances *data by the bytes used. WEBSOCKET_DATA
// writes at most `room` (> 0) unmasked bytes to `out`, and their number to *got.
websocket_event websocket_next(websocket *w, const uint8_t **data, size_t *size, uint8_t *out,
                               size_t room, size_t *got);

// Whether a frame or a message has begun and is not whole.
bool websocket_partial(const websocket *w);

// The head of a binary message of `size` bytes; returns its length, at most 10.
size_t websocket_put_head(size_t size, uint8_t *out);

// A ping or a pong with that payload, at most WEBSOCKET_CONTROL_MAX bytes, to `out` of
// WEBSOCKET_END_MAX; returns its length.
size_t websocket_put_ping(const uint8_t *payload, size_t size, uint8_t *out);
size_t websocket_put_pong(const uint8_t *payload, size_t size, uint8_t *out);

// A close frame to `out` of WEBSOCKET_END_MAX; returns its length. WEBSOCKET_NO_CODE: without code
// and reason. Reasons that are too long are cut at a character.
size_t websocket_put_close(websocket_code code, const char *reason, uint8_t *out);

// Sec-WebSocket-Accept for a key of WEBSOCKET_KEY_CHARS, with a closing zero. False: the key is not
// the base64 of 16 bytes.
bool websocket_accept(const char *key, size_t size, char out[WEBSOCKET_ACCEPT_CHARS + 1]);

#endif
