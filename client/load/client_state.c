// See client_state.h.
#include "client/load/client_state.h"

#define BIT(state) (1u << (state))

// The states that may follow, by the present one. Any client may be closed, even an idle one.
static const unsigned followers[CLIENT_STATES] = {
    [CLIENT_IDLE] = BIT(CLIENT_IDLE) | BIT(CLIENT_CONNECTING),
    [CLIENT_CONNECTING] =
        BIT(CLIENT_IDLE) | BIT(CLIENT_SUBSCRIBING) | BIT(CLIENT_RUNNING) | BIT(CLIENT_LOST),
    [CLIENT_SUBSCRIBING] = BIT(CLIENT_IDLE) | BIT(CLIENT_RUNNING) | BIT(CLIENT_LOST),
    [CLIENT_RUNNING] = BIT(CLIENT_IDLE) | BIT(CLIENT_LEAVING) | BIT(CLIENT_LOST),
    [CLIENT_LEAVING] = BIT(CLIENT_IDLE) | BIT(CLIENT_LOST),
    [CLIENT_LOST] = BIT(CLIENT_IDLE) | BIT(CLIENT_CONNECTING),
};

bool client_state_may_follow(load_client_state from, load_client_state to)
{
    return (followers[from] & BIT(to)) != 0;
}

const char *client_state_name(load_client_state state)
{
    static const char *const names[CLIENT_STATES] = {"idle",    "connecting", "subscribing",
                                                     "running", "leaving",    "lost"};
    return names[state];
}
