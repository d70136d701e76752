// The commands of a conversation with a world: messages are decoded into commands, applied to a
// small world that steps in between, and their results encoded. A command that decodes must be
// freed whole, one that is refused must leave the world as it was, a result must be one whole
// MessagePack value, and no input may violate an assertion of decoder, plan or engine. The log of a
// command that decodes must be readable: a world whose log is not cannot be restored.
#include <msgpack.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/world/apply.h"
#include "common/world/method.h"
#include "proto/commands/canonical.h"
#include "proto/commands/command_decode.h"
#include "proto/log/log_record.h"
#include "proto/wire/buffer.h"
#include "proto/encode/encode.h"
#include "proto/wire/rpc.h"
#include "proto/wire/scanner.h"
#include "tests/fuzz/fuzz.h"

enum { BODIES_MAX = 64, MESSAGES_MAX = 64, RESULT_BYTES_MAX = 64 << 20 };

static void check_result(const command_result *r)
{
    buffer out;
    buffer_init(&out, RESULT_BYTES_MAX);
    encode_command_result(&out, r);
    ASSERT(!out.overflow);
    scanner_limits limits = scanner_limits_default();
    limits.bytes_max = WIRE_REPLY_BYTES_MAX;
    limits.values_max = WIRE_REPLY_VALUES_MAX;
    scanner s;
    size_t used = 0;
    scanner_init(&s, &limits);
    scan_verdict verdict = scanner_feed(&s, out.data, out.size, &used, NULL);
    ASSERT(verdict == SCAN_MESSAGE && used == out.size);
    buffer_deinit(&out);
}

static void carry_out(physics_world *world, const command *c)
{
    command_result r;
    error err = {STATUS_OK, ""};
    ASSERT(command_rights(c) < ROLE_COUNT);
    uint64_t before = world_hash(world);
    if (apply_command(world, c, &r, &err) == STATUS_OK) {
        check_result(&r);
        command_result_free(&r);
    } else {
        ASSERT(err.text[0] != '\0' && world_hash(world) == before);
    }
}

// As the server logs the command of a session whose subject is "ada", and as a restart reads it.
static void check_log(const method_info *info, const msgpack_object *params)
{
    buffer arguments;
    buffer rows;
    buffer bytes;
    buffer_init(&arguments, LOG_ARGUMENTS_BYTES_MAX);
    buffer_init(&rows, LOG_RECORD_BYTES_MAX);
    buffer_init(&bytes, LOG_RECORD_BYTES_MAX);
    arguments_canonical_owned(&arguments, info->id, params, "ada");
    const log_command row = {.tick = 1,
                             .session = 7,
                             .method = info->list.name,
                             .method_size = (uint32_t)strlen(info->list.name),
                             .arguments = arguments.data,
                             .arguments_size = (uint32_t)arguments.size};
    log_command_encode(&rows, &row);
    log_record_encode(&bytes, &(log_record){.tick = 1,
                                            .command_count = 1,
                                            .commands = rows.data,
                                            .commands_size = rows.size});
    log_record record;
    error err = {STATUS_OK, ""};
    const status read = log_record_decode(bytes.data, bytes.size, &record, &err);
    ASSERT(!arguments.overflow && !rows.overflow && !bytes.overflow && read == STATUS_OK);
    buffer_deinit(&arguments);
    buffer_deinit(&rows);
    buffer_deinit(&bytes);
}

static void hear(physics_world *world, const uint8_t *bytes, size_t size)
{
    rpc_message m;
    error err = {STATUS_OK, ""};
    command c;
    if (rpc_decode(bytes, size, &m, &err) != RPC_GOOD) {
        return;
    }
    const method_info *info = m.kind == RPC_RESPONSE ? NULL : method_find(m.method, m.method_size);
    if (info != NULL) {
        if (command_decode(info->id, &m.params, &c, &err) == STATUS_OK) {
            if (method_scope_of(info->id) == SCOPE_WORLD_COMMAND) {
                check_log(info, &m.params);
            }
            carry_out(world, &c);
            command_free(&c);
        } else {
            ASSERT(err.status != STATUS_OK && err.text[0] != '\0');
        }
    }
    rpc_message_deinit(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scanner_limits limits = scanner_limits_default();
    scanner s;
    size_t at = 0, used = 0;
    world_def def = world_def_default();
    physics_world *world = NULL;
    def.bodies_max = BODIES_MAX;
    status made = world_create(&def, &world, NULL);
    ASSERT(made == STATUS_OK);
    scanner_init(&s, &limits);
    for (int i = 0; i < MESSAGES_MAX && at < size; i++) {
        if (scanner_feed(&s, data + at, size - at, &used, NULL) != SCAN_MESSAGE) {
            break;
        }
        hear(world, data + at, used);
        world_step(world);
        at += used;
    }
    world_free(world);
    return 0;
}
