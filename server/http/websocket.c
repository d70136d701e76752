// The frame decoder as a machine of two states, head and payload; see websocket.h. Any thread.
#include "server/http/websocket.h"

#include <string.h>

#include <openssl/evp.h>

#include "common/base/assert.h"
#include "common/base/utf8.h"

enum {
    OPCODE_CONTINUE = 0x0,
    OPCODE_TEXT = 0x1,
    OPCODE_BINARY = 0x2,
    OPCODE_CLOSE = 0x8,
    OPCODE_PING = 0x9,
    OPCODE_PONG = 0xA,
    FINAL = 0x80,
    RESERVED_BITS = 0x70,
    MASKED = 0x80,
    LENGTH_16 = 126, // the length follows in 2 bytes
    LENGTH_64 = 127, // the length follows in 8 bytes
    MASK_BYTES = 4,
    KEY_BYTES = 16
};

_Static_assert(WEBSOCKET_REASON_MAX + 2 <= WEBSOCKET_CONTROL_MAX, "a code comes before a reason");

void websocket_init(websocket *w, uint64_t message_max)
{
    ASSERT(message_max > 0);
    *w = (websocket){.message_max = message_max};
}

static websocket_event refuse(websocket *w, websocket_code code, const char *text)
{
    w->code = code;
    w->text = text;
    return WEBSOCKET_BROKEN;
}

// ---- the head

static uint32_t length_bytes(const websocket *w)
{
    uint8_t length = w->head[1] & 0x7F;
    return length == LENGTH_16 ? 2 : length == LENGTH_64 ? 8 : 0;
}

// The size of the head, as far as its first bytes show it.
static uint32_t head_needs(const websocket *w)
{
    return w->head_size < 2 ? 2 : 2 + length_bytes(w) + MASK_BYTES;
}

static bool is_control(const websocket *w)
{
    return (w->opcode & 0x8) != 0;
}

// Checks the first two bytes: WEBSOCKET_MORE if nothing is wrong.
static websocket_event check_begin(websocket *w)
{
    w->opcode = w->head[0] & 0x0F;
    w->final = (w->head[0] & FINAL) != 0;
    bool control = is_control(w);
    if ((w->head[0] & RESERVED_BITS) != 0) {
        return refuse(w, WEBSOCKET_PROTOCOL_ERROR,
                      "reserved bits are set: no extension was agreed");
    }
    if (w->opcode == OPCODE_TEXT) {
        return refuse(w, WEBSOCKET_UNSUPPORTED, "a text frame: messages are binary");
    }
    if (control ? w->opcode > OPCODE_PONG : w->opcode > OPCODE_BINARY) {
        return refuse(w, WEBSOCKET_PROTOCOL_ERROR, "a frame of a reserved kind");
    }
    if ((w->head[1] & MASKED) == 0) {
        return refuse(w, WEBSOCKET_PROTOCOL_ERROR, "a frame that is not masked");
    }
    if (control && (!w->final || length_bytes(w) > 0)) {
        return refuse(w, WEBSOCKET_PROTOCOL_ERROR,
                      "a control frame is whole and has at most 125 bytes");
    }
    if (w->opcode == OPCODE_CONTINUE && !w->open) {
        return refuse(w, WEBSOCKET_PROTOCOL_ERROR, "a continuation of no message");
    }
    if (w->opcode == OPCODE_BINARY && w->open) {
        return refuse(w, WEBSOCKET_PROTOCOL_ERROR, "a message within another one");
    }
    return WEBSOCKET_MORE;
}

static websocket_event read_length(websocket *w)
{
    uint32_t bytes = length_bytes(w);
    w->left = bytes == 0 ? w->head[1] & 0x7F : 0;
    for (uint32_t i = 0; i < bytes; i++) {
        w->left = w->left << 8 | w->head[2 + i];
    }
    bool short_enough = (bytes == 2 && w->left < LENGTH_16) || (bytes == 8 && w->left <= 0xFFFF);
    if (short_enough || w->left >> 63 != 0) {
        return refuse(w, WEBSOCKET_PROTOCOL_ERROR, "a length that is not in its shortest form");
    }
    return WEBSOCKET_MORE;
}

// The head is whole: the frame counts towards its message.
static websocket_event begin_frame(websocket *w)
{
    if (!is_control(w)) {
        if (w->opcode == OPCODE_BINARY) {
            w->message_bytes = 0;
        }
        w->open = true;
        if (w->left > w->message_max - w->message_bytes) {
            return refuse(w, WEBSOCKET_TOO_BIG, "a message of more than message_bytes");
        }
        w->message_bytes += w->left;
        ASSERT(w->message_bytes <= w->message_max);
    }
    w->in_payload = true;
    w->mask_at = 0;
    w->control_size = 0;
    return WEBSOCKET_MORE;
}

// Consumes bytes of the head. Returns WEBSOCKET_MORE even when the head is complete now.
static websocket_event take_head(websocket *w, const uint8_t **data, size_t *size)
{
    websocket_event event = WEBSOCKET_MORE;
    while (event == WEBSOCKET_MORE && !w->in_payload && *size > 0) {
        ASSERT(w->head_size < sizeof w->head);
        w->head[w->head_size++] = *(*data)++;
        --*size;
        if (w->head_size == 2) {
            event = check_begin(w);
        } else if (w->head_size == 2 + length_bytes(w) && w->head_size > 2) {
            event = read_length(w);
        }
        if (event == WEBSOCKET_MORE && w->head_size == head_needs(w) && w->head_size > 2) {
            event = length_bytes(w) == 0 ? read_length(w) : WEBSOCKET_MORE;
            event = event == WEBSOCKET_MORE ? begin_frame(w) : event;
        }
    }
    return event;
}

// ---- the payload

static size_t unmask(websocket *w, const uint8_t **data, size_t *size, uint8_t *out, size_t room)
{
    const uint8_t *mask = w->head + w->head_size - MASK_BYTES;
    size_t count = *size < room ? *size : room;
    count = count < w->left ? count : (size_t)w->left;
    const uint8_t *in = *data;
    for (size_t i = 0; i < count; i++) {
        out[i] = in[i] ^ mask[(w->mask_at + i) & 3];
    }
    w->mask_at = (w->mask_at + (uint32_t)(count & 3)) & 3;
    ASSERT(count <= w->left && count <= *size);
    w->left -= count;
    *data += count;
    *size -= count;
    return count;
}

static void end_frame(websocket *w)
{
    ASSERT(w->in_payload && w->left == 0);
    w->in_payload = false;
    w->head_size = 0;
}

// Section 7.4: codes of the RFC and its registry, of libraries and of applications.
static bool code_allowed(uint32_t code)
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
           (code >= 3000 && code <= 4999);
}

static websocket_event end_close(websocket *w)
{
    w->code = WEBSOCKET_NO_CODE;
    if (w->control_size == 0) {
        return WEBSOCKET_CLOSE;
    }
    uint32_t code = w->control_size < 2 ? 0 : (uint32_t)w->control[0] << 8 | w->control[1];
    if (!code_allowed(code)) {
        return refuse(w, WEBSOCKET_PROTOCOL_ERROR, "a close frame without an allowed code");
    }
    if (!utf8_valid(w->control + 2, w->control_size - 2)) {
        return refuse(w, WEBSOCKET_BAD_DATA, "a close frame whose reason is not UTF-8");
    }
    w->code = (websocket_code)code;
    return WEBSOCKET_CLOSE;
}

static websocket_event take_control(websocket *w, const uint8_t **data, size_t *size)
{
    w->control_size += (uint32_t)unmask(w, data, size, w->control + w->control_size,
                                        sizeof w->control - w->control_size);
    ASSERT(w->control_size <= sizeof w->control);
    if (w->left > 0) {
        return WEBSOCKET_MORE;
    }
    end_frame(w);
    return w->opcode == OPCODE_CLOSE  ? end_close(w)
           : w->opcode == OPCODE_PING ? WEBSOCKET_PING
                                      : WEBSOCKET_PONG;
}

websocket_event websocket_next(websocket *w, const uint8_t **data, size_t *size, uint8_t *out,
                               size_t room, size_t *got)
{
    *got = 0;
    for (;;) {
        if (!w->in_payload) {
            websocket_event event = take_head(w, data, size);
            if (event != WEBSOCKET_MORE || !w->in_payload) {
                return event;
            }
        }
        if (is_control(w)) {
            return take_control(w, data, size);
        }
        if (w->left > 0) {
            *got = unmask(w, data, size, out, room);
            return *got > 0 ? WEBSOCKET_DATA : WEBSOCKET_MORE;
        }
        end_frame(w);
        if (w->final) {
            w->open = false;
            return WEBSOCKET_MESSAGE;
        }
    }
}

bool websocket_partial(const websocket *w)
{
    return w->open || w->head_size > 0;
}

// ---- writing frames

size_t websocket_put_head(size_t size, uint8_t *out)
{
    uint32_t bytes = size < LENGTH_16 ? 0 : size <= 0xFFFF ? 2 : 8;
    out[0] = FINAL | OPCODE_BINARY;
    out[1] = (uint8_t)(bytes == 0 ? size : bytes == 2 ? LENGTH_16 : LENGTH_64);
    for (uint32_t i = 0; i < bytes; i++) {
        out[2 + i] = (uint8_t)((uint64_t)size >> 8 * (bytes - 1 - i));
    }
    return 2 + bytes;
}

static size_t put_control(uint8_t opcode, const uint8_t *payload, size_t size, uint8_t *out)
{
    ASSERT(size <= WEBSOCKET_CONTROL_MAX);
    out[0] = (uint8_t)(FINAL | opcode);
    out[1] = (uint8_t)size;
    memcpy(out + 2, payload, size);
    return 2 + size;
}

size_t websocket_put_ping(const uint8_t *payload, size_t size, uint8_t *out)
{
    return put_control(OPCODE_PING, payload, size, out);
}

size_t websocket_put_pong(const uint8_t *payload, size_t size, uint8_t *out)
{
    return put_control(OPCODE_PONG, payload, size, out);
}

size_t websocket_put_close(websocket_code code, const char *reason, uint8_t *out)
{
    uint8_t payload[WEBSOCKET_CONTROL_MAX];
    size_t size = strlen(reason);
    payload[0] = (uint8_t)(code >> 8);
    payload[1] = (uint8_t)code;
    if (code == WEBSOCKET_NO_CODE) {
        return put_control(OPCODE_CLOSE, payload, 0, out);
    }
    if (size > WEBSOCKET_REASON_MAX) {
        size = WEBSOCKET_REASON_MAX;
        while (size > 0 && ((uint8_t)reason[size] & 0xC0) == 0x80) { // within a character
            size--;
        }
    }
    size = utf8_valid(reason, size) ? size : 0; // peers accept only valid UTF-8
    ASSERT(2 + size <= sizeof payload);
    memcpy(payload + 2, reason, size);
    return put_control(OPCODE_CLOSE, payload, 2 + size, out);
}

bool websocket_accept(const char *key, size_t size, char out[WEBSOCKET_ACCEPT_CHARS + 1])
{
    static const char GUID[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // section 1.3
    uint8_t decoded[KEY_BYTES + 2]; // EVP_DecodeBlock counts the padding
    uint8_t digest[EVP_MAX_MD_SIZE];
    char joined[WEBSOCKET_KEY_CHARS + sizeof GUID];
    bool padded = size == WEBSOCKET_KEY_CHARS && memcmp(key + size - 2, "==", 2) == 0 &&
                  memchr(key, '=', size - 2) == NULL;
    if (!padded ||
        EVP_DecodeBlock(decoded, (const uint8_t *)key, (int)size) != (int)sizeof decoded) {
        return false;
    }
    memcpy(joined, key, size);
    memcpy(joined + size, GUID, sizeof GUID);
    unsigned length = 0;
    int done = EVP_Digest(joined, size + sizeof GUID - 1, digest, &length, EVP_sha1(), NULL);
    ASSERT(done == 1 && length == 20);
    int chars = EVP_EncodeBlock((uint8_t *)out, digest, (int)length);
    ASSERT(chars == WEBSOCKET_ACCEPT_CHARS);
    return true;
}
