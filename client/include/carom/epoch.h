// Epochs distinguish worlds that had the same name.
//
// A world that was destroyed and made again has the same name and another epoch; its ids begin at 1
// again, so an id of the old world may name another body in the new one. A client notes the epoch
// of each world that an answer or a snapshot tells of. A command that has to be sent again after a
// loss (options.reconnect) names the epoch that was known when it was made, and ends with
// CAROM_NOT_FOUND where the world is another one by then. carom_pin_epoch holds all requests of a
// client to one epoch; a single call may have `epoch` among its arguments.
#ifndef CAROM_EPOCH_H
#define CAROM_EPOCH_H

#include <stdint.h>

#include <carom/client.h>
#include <carom/export.h>
#include <carom/status.h>

CAROM_BEGIN_DECLS

#define CAROM_EPOCHS_MAX 64u // worlds whose epochs a client knows; past that it forgets one

// The epoch of the world of that name that the client was last told of, by an answer to
// world.create, world.fork, world.subscribe, world.info or world.list, or by a snapshot. 0: none,
// or the world has ended.
CAROM_API uint64_t carom_known_epoch(const carom_client *client, const char *world);

// From now on everything that the client sends to the world names this epoch (world.create does
// not); what is meant for a world that is gone ends with CAROM_NOT_FOUND, and nothing happens. 0:
// nothing names it any more. Errors: CAROM_INVALID_ARGUMENT; CAROM_LIMIT_EXCEEDED for more than
// CAROM_EPOCHS_MAX worlds.
CAROM_API carom_status carom_pin_epoch(carom_client *client, const char *world, uint64_t epoch,
                                       carom_error *error);

CAROM_END_DECLS

#endif
