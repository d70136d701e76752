// JSON by way of MessagePack, so that there is one dialect for files, command lines and programs:
// proto/wire/json.h knows it.
#include <stdlib.h>
#include <string.h>

#include <carom/value.h>

#include "client/lib/fault.h"
#include "client/lib/value_wire.h"
#include "proto/wire/buffer.h"
#include "proto/wire/json.h"
#include "proto/limits.h"

// MessagePack takes less than twice the bytes of its JSON, and JSON at most some ten times those of
// its MessagePack: both ways of the largest message fit.
static const size_t JSON_BYTES_MAX = (size_t)WIRE_REPLY_BYTES_MAX * 10;

carom_status carom_json_parse(const char *text, size_t size, carom_value **out, carom_error *err)
{
    buffer packed;
    buffer_init(&packed, JSON_BYTES_MAX);
    struct error refused;
    carom_status outcome = CAROM_OK;
    if (json_text_to_msgpack(text, size, &packed, &refused) != STATUS_OK) {
        outcome = fault_take(err, &refused);
    } else {
        reader r = reader_open(packed.data, packed.size);
        carom_value *value = value_unpack(&r);
        if (value == NULL) {
            outcome =
                fault_set(err, CAROM_INVALID_ARGUMENT,
                          "extension values and keys that are no strings cannot be read here");
        } else {
            *out = value;
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
    msgpack_packer packer = buffer_packer(&packed);
    char *text = NULL;
    if (value_pack(&packer, value, CAROM_VALUE_DEPTH_MAX, NULL) == CAROM_OK && !packed.overflow) {
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
