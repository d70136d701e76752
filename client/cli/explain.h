// Why a body does not move, derived from the server's answers about it.
//
// Pure: values in, a value out. Any thread.
#ifndef CAROM_CLIENT_CLI_EXPLAIN_H
#define CAROM_CLIENT_CLI_EXPLAIN_H

#include <carom/carom.h>

// A body slower than this counts as still [m/s, rad/s].
#define EXPLAIN_SPEED_MIN 1e-3

// {body, moves, reasons: [{reason, text}], joints: [{joint, kind, other}], touches: [{body, normal,
// impulse}]}. `reason` is a word for programs: paused, static, kinematic, disabled, frozen, asleep,
// weightless, supported, held, unforced. A body that moves has none. `body` and `info` are the
// answers of body.get and world.info, `joints` and `contacts` the lists of joint.list and
// world.contacts; lists may be NULL. The result is the caller's to free.
carom_value *explain_body(const carom_value *body, const carom_value *info,
                          const carom_value *joints, const carom_value *contacts);

#endif
