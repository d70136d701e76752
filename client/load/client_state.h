// The states of a client of a load, and which may follow which.
//
//                  connected            subscribed
//   idle ──> connecting ──> subscribing ──> running ──> leaving ──> idle
//                │  └── without a subscription ──^        (its answers have arrived, or it waited
//                v                                         long enough)
//              lost <── from each of them: refused, or the connection ended; it may connect again
//
// Pure; any thread.
#ifndef CAROM_CLIENT_LOAD_CLIENT_STATE_H
#define CAROM_CLIENT_LOAD_CLIENT_STATE_H

#include <stdbool.h>

typedef enum load_client_state {
    CLIENT_IDLE, // no connection
    CLIENT_CONNECTING,
    CLIENT_SUBSCRIBING,
    CLIENT_RUNNING,
    CLIENT_LEAVING, // begins nothing more, waits for its answers
    CLIENT_LOST,
    CLIENT_STATES
} load_client_state;

bool client_state_may_follow(load_client_state from, load_client_state to);
const char *client_state_name(load_client_state state);

#endif
