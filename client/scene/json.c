// JSON through MessagePack, so that files, command lines and programs share the dialect that
// proto/wire/json.h defines. Any thread.
#include <carom/json.h>

#include <stdlib.h>
#include <string.h>

#include "client/scene/values.h"
#include "proto/limits.h"
#include "proto/wire/json.h"

// MessagePack takes less than twice the bytes of its JSON, and JSON about ten times those of its
// MessagePack: so the largest message fits in either form.
static const size_t JSON_BYTES_MAX = (size_t)WIRE_REPLY_BYTES_MAX * 10;

static carom_status fail(carom_error *err, carom_status code, const char *text)
{
    struct error why;
    error_set(&why, STATUS_INVALID_ARGUMENT, "%s", text);
    values_fault(err, &why);
    if (err != NULL) {
        err->status = code;
    }
    return code;
}

carom_status carom_json_parse(const char *text, size_t size, carom_value **out, carom_error *err)
{
    if (text == NULL || out == NULL) {
        return fail(err, CAROM_INVALID_ARGUMENT,
                    text == NULL ? "text: missing (NULL)" : "out: missing (NULL)");
    }
    buffer packed;
    buffer_init(&packed, JSON_BYTES_MAX);
    struct error refused;
    carom_status outcome = CAROM_OK;
    if (json_text_to_msgpack(text, size, &packed, &refused) != STATUS_OK) {
        outcome = values_fault(err, &refused);
    } else {
        carom_value *value = values_unpack(&packed, &outcome);
        if (outcome == CAROM_OK) {
            *out = value;
        } else {
            fail(err, outcome,
                 outcome == CAROM_OUT_OF_MEMORY
                     ? "memory has run out"
                     : "extension values and keys that are no strings cannot be read here");
        }
    }
    buffer_deinit(&packed);
    return outcome;
}

static char *print_object(const msgpack_object *object, bool indented, size_t *size)
{
    buffer text;
    buffer_init(&text, JSON_BYTES_MAX);
    json_style style = indented ? JSON_STYLE_INDENTED : JSON_STYLE_COMPACT;
    bool printed = json_text_from_msgpack(object, style, &text, NULL) == STATUS_OK;
    buffer_append(&text, "", 1);
    if (!printed || text.overflow) {
        buffer_deinit(&text);
        return NULL;
    }
    if (size != NULL) {
        *size = text.size - 1;
    }
    return (char *)text.data;
}

char *carom_json_print(const carom_value *value, bool indented, size_t *size)
{
    buffer packed;
    buffer_init(&packed, JSON_BYTES_MAX);
    char *text = NULL;
    if (values_pack(value, &packed) == CAROM_OK) {
        msgpack_unpacked unpacked;
        msgpack_unpacked_init(&unpacked);
        size_t offset = 0;
        if (msgpack_unpack_next(&unpacked, (const char *)packed.data, packed.size, &offset) ==
            MSGPACK_UNPACK_SUCCESS) {
            text = print_object(&unpacked.data, indented, size);
        }
        msgpack_unpacked_destroy(&unpacked);
    }
    buffer_deinit(&packed);
    return text;
}

void carom_free_text(char *text)
{
    free(text);
}
