// Arguments of a call for one client: copies the arguments of an action and puts the client's own
// things where these words stand.
//
//   "$own"              the body that the client has from the beginning
//   "$spawned"          the newest body that it made and has not removed
//   "$subscription"     its subscription
//   {"$random": [a, b]} a number between
//   {"$near": [x, y]}   a point up to so far from where the client is at home, each way
//   {"$area": [w, h]}   an area of that size around such a point, half its size away at most
//
// Pure; any thread.
#ifndef CAROM_CLIENT_CLI_LOAD_FILL_H
#define CAROM_CLIENT_CLI_LOAD_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/carom.h>

enum { FILL_ERROR_MAX = 256 };

typedef struct fill_client {
    uint64_t own, spawned, subscription;
    carom_vec2 home; // [m]
    uint64_t seed;   // of its random numbers, not 0; moves on
} fill_client;

typedef struct fill_use {
    bool own, spawned, subscription, random;
} fill_use;

// Which words stand in `args`. False for a malformed one, with a text that says where and what is
// allowed.
bool fill_check(const carom_value *args, fill_use *use, char error[FILL_ERROR_MAX]);

// The caller's to free; NULL or broken when memory has run out. `args` has passed fill_check.
carom_value *fill_args(const carom_value *args, fill_client *client);

// Between 0 and 1 (xorshift, Marsaglia).
double fill_random(uint64_t *seed);

#endif
