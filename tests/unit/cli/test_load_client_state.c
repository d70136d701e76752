// The states of a load's client: exactly the documented changes are allowed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/load/client_state.h"

// For each state, the letters of the states that may follow: i c s r l x (lost).
static const char *const allowed[CLIENT_STATES] = {
    [CLIENT_IDLE] = "ic",     [CLIENT_CONNECTING] = "isrx", [CLIENT_SUBSCRIBING] = "irx",
    [CLIENT_RUNNING] = "ilx", [CLIENT_LEAVING] = "ix",      [CLIENT_LOST] = "ic",
};

static void state_changes_are_those_of_the_picture(void **state)
{
    (void)state;
    static const char letters[CLIENT_STATES] = {'i', 'c', 's', 'r', 'l', 'x'};
    for (int from = 0; from < CLIENT_STATES; from++) {
        for (int to = 0; to < CLIENT_STATES; to++) {
            bool listed = false;
            for (const char *at = allowed[from]; *at != '\0'; at++) {
                listed = listed || *at == letters[to];
            }
            bool may = client_state_may_follow((load_client_state)from, (load_client_state)to);
            if (may != listed) {
                fail_msg("%s -> %s", client_state_name((load_client_state)from),
                         client_state_name((load_client_state)to));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(state_changes_are_those_of_the_picture)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
