// Every maximum of the protocol, with the reason for its value. Maxima of connections, queues and
// sessions are settings of the server; these bound a message, an argument and a scene, for server
// and client alike.
//
// Reaching a limit is an error with the code `limit_exceeded`, never a crash, and never silent.
#ifndef CAROM_PROTO_LIMITS_H
#define CAROM_PROTO_LIMITS_H

#include "common/world/limits.h"

enum {
    // ---- the stream

    // One message from a client [bytes], headers included. 1 000 commands with a body each take
    // about 200 KiB; other message brokers have the same default.
    WIRE_MESSAGE_BYTES_DEFAULT = 1 << 20,

    // The most an operator may set. Above it a message would occupy a network thread for longer
    // than a tick.
    WIRE_MESSAGE_BYTES_MAX = 64 << 20,

    // The least an operator may set: a hello, and any one command.
    WIRE_MESSAGE_BYTES_MIN = 4 << 10,

    // One message from a server [bytes]. The full plain snapshot of a world of 2^20 bodies takes up
    // to 48 bytes a row, 48 MiB; events and contacts are extra.
    WIRE_REPLY_BYTES_MAX = 128 << 20,

    // Containers within containers, the message's own array being the first. The deepest message of
    // the protocol, a point of a polygon in a world.apply, is at 9; the rest is for values that
    // `ping` echoes. msgpack-c refuses the 33rd.
    WIRE_DEPTH_MAX = 32,

    // Values in one message from a client (each key, each element, each container is one).
    // Unpacked, a value takes 24 bytes, so a megabyte of empty values would take 24 MiB: this
    // limits it to 6. 1 000 commands of 100 values fit twice.
    WIRE_VALUES_MAX = 1 << 18,

    // Values in one message from a server: 8 for each body of the largest world, and its events.
    WIRE_REPLY_VALUES_MAX = 1 << 24,

    // ---- arguments

    WIRE_METHOD_BYTES_MAX = 64, // a method's name; the longest of ours has 20
    WIRE_KEY_BYTES_MAX = 64,    // an argument's name
    WIRE_WORLD_NAME_MAX = WORLD_NAME_BYTES_MAX,
    WIRE_CLIENT_NAME_MAX = 128,  // bytes of hello's `client`: a program and its version
    WIRE_REASON_BYTES_MAX = 128, // bytes of server.kick's `reason`: a sentence
    WIRE_SESSIONS_MAX = 1000,    // rows in one answer of server.sessions or .fleet: about 400 KiB
    WIRE_TOKEN_BYTES_MAX = 4096, // bytes of hello's `token`: a signed token with its claims
    WIRE_APPLY_COMMANDS_MAX = 1000, // commands in one world.apply (by contract): one tick's work
    WIRE_STEP_TICKS_MAX = 100000,   // ticks of one world.step: half an hour at 60 Hz
    WIRE_PREFIXES_MAX = 32,         // prefixes of keys in one subscription
    WIRE_QUERY_HITS_MAX = COMMAND_QUERY_HITS_MAX,
    WIRE_ECHO_BYTES_MAX =
        64 << 10, // bytes of ping's `any`: an answer is no bigger than its question

    // ---- scenes

    SCENE_FILE_BYTES_MAX = 4 << 20, // a scene file: 20 000 bodies written out one by one
    SCENE_COMMANDS_MAX =
        1 << 17, // commands after the loops are unrolled: the largest scene has 30 000
    SCENE_BYTES_MAX = 64 << 20,   // the same in bytes of MessagePack: 512 a command
    SCENE_WORK_MAX = 1 << 25,     // values visited and bytes of expressions read: half a second
    SCENE_NAME_MAX = 64,          // bytes of the name of a scene, a variable or a reference
    SCENE_DESCRIPTION_MAX = 1024, // bytes of a scene's description
    SCENE_VARIABLES_MAX = 64,     // constants and loop variables in sight at one place
    SCENE_BLOCK_DEPTH_MAX = 8,    // loops within loops
    SCENE_CHUNK_BYTES_MAX = 256 << 10, // bytes of one world.apply that sends a part of a scene:
                                       // leaves space on the wire for others
    EXPRESSION_BYTES_MAX = 1024,       // bytes of one expression
    EXPRESSION_DEPTH_MAX = 32 // parentheses within parentheses: keeps the parser's stack small
};

_Static_assert(WIRE_MESSAGE_BYTES_MIN <= WIRE_MESSAGE_BYTES_DEFAULT &&
                   WIRE_MESSAGE_BYTES_DEFAULT <= WIRE_MESSAGE_BYTES_MAX &&
                   WIRE_MESSAGE_BYTES_MAX <= WIRE_REPLY_BYTES_MAX,
               "a server may always answer with what it was sent");
_Static_assert(WIRE_VALUES_MAX <= WIRE_MESSAGE_BYTES_DEFAULT, "a value takes a byte at least");
_Static_assert(SCENE_CHUNK_BYTES_MAX < WIRE_MESSAGE_BYTES_DEFAULT,
               "a chunk of a scene is a message");
_Static_assert(SCENE_COMMANDS_MAX >= 30000, "the largest scene of the benchmarks fits");

// The range of a subscription's budget [bytes/s]: at least a plain snapshot with a few bodies every
// two seconds, at most more than any network has.
#define WIRE_BUDGET_MIN 256.0
#define WIRE_BUDGET_MAX 1.0e9

#endif
