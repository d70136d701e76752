// Limits of commands, independent of their encoding.
#ifndef CAROM_COMMON_WORLD_LIMITS_H
#define CAROM_COMMON_WORLD_LIMITS_H

enum {
    WORLD_NAME_BYTES_MAX = 64,     // a world's name (by contract)
    OWNER_BYTES_MAX = 64,          // a body's owner; a UUID has 36
    COMMAND_QUERY_HITS_MAX = 4096, // results of one query: 200 KiB of answer
};

#endif
