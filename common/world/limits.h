// Limits of commands, independent of their encoding.
#ifndef CAROM_COMMON_WORLD_LIMITS_H
#define CAROM_COMMON_WORLD_LIMITS_H

enum {
    WORLD_NAME_BYTES_MAX = 64,         // a world's name (by contract)
    OWNER_BYTES_MAX = 64,              // a body's owner; a UUID has 36
    MESSAGE_NAME_BYTES_MAX = 64,       // a message's name (by contract)
    MESSAGE_DATA_BYTES_MAX = 64 << 10, // a message's data: as much as `ping` echoes
    MESSAGE_DATA_DEPTH_MAX = 16, // containers of it; with those around it below WIRE_DEPTH_MAX
    // a template's name: its worlds are called so, with a hyphen and a number behind it
    TEMPLATE_NAME_BYTES_MAX = 48,
    WORLD_SEATS_MAX = 1024,        // seats of a world: more players than a world has time for
    COMMAND_QUERY_HITS_MAX = 4096, // results of one query: 200 KiB of answer
};

#endif
