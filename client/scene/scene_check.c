// Checks a scene without a server: its JSON, its expressions, its entries and their names. See
// carom/scene.h.
#include <carom/scene.h>

#include <msgpack.h>
#include <string.h>

#include "client/scene/values.h"
#include "proto/scene/scene.h"

// Whether the command, [method, arguments], calls `method`.
static bool is_method(const msgpack_object *command, const char *method)
{
    if (command->type != MSGPACK_OBJECT_ARRAY || command->via.array.size < 1 ||
        command->via.array.ptr[0].type != MSGPACK_OBJECT_STR) {
        return false;
    }
    const msgpack_object_str *name = &command->via.array.ptr[0].via.str;
    return name->size == strlen(method) && memcmp(name->ptr, method, name->size) == 0;
}

static carom_scene_result count_commands(const scene *s)
{
    carom_scene_result result = {.commands = s->command_count};
    for (uint32_t i = 0; i < s->command_count; i++) {
        msgpack_unpacked command;
        msgpack_unpacked_init(&command);
        size_t at = s->commands[i].offset;
        if (msgpack_unpack_next(&command, (const char *)s->bytes.data, s->bytes.size, &at) ==
            MSGPACK_UNPACK_SUCCESS) {
            result.bodies += is_method(&command.data, "body.spawn");
            result.joints += is_method(&command.data, "joint.create");
        }
        msgpack_unpacked_destroy(&command);
    }
    return result;
}

carom_status carom_scene_check(const char *text, size_t size, carom_scene_result *result,
                               carom_error *err)
{
    scene loaded;
    struct error refused;
    if (text == NULL) {
        error_set(&refused, STATUS_INVALID_ARGUMENT, "text must not be NULL");
        return values_fault(err, &refused);
    }
    if (scene_load_text(text, size, NULL, &loaded, &refused) != STATUS_OK) {
        return values_fault(err, &refused);
    }
    if (result != NULL) {
        *result = count_commands(&loaded);
    }
    scene_deinit(&loaded);
    return CAROM_OK;
}
