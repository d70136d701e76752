// Epochs distinguish worlds that had the same name.
//
// A world that was destroyed and made again has the same name and another epoch; its ids begin at 1
// again, so an id of the old world may name another body in the new one. A client records the epoch
// of each world in answers and snapshots. A command that must be sent again after a loss
// (options.reconnect) names the epoch that was known when it was made, and fails with
// CAROM_NOT_FOUND if the world has another epoch by then. carom_pin_epoch makes all requests of a
// client name one epoch; a single call may have `epoch` among its arguments.
#ifndef CAROM_EPOCH_H
#define CAROM_EPOCH_H

#include <stdint.h>

#include <carom/client.h>
#include <carom/export.h>
#include <carom/status.h>

CAROM_BEGIN_DECLS

#define CAROM_EPOCHS_MAX 64u // worlds whose epochs a client knows; beyond it, one is forgotten

// The last epoch of the world of that name that the client has seen, in an answer to world.create,
// world.fork, world.subscribe, world.info or world.list, or by a snapshot. 0: none, or the world
// has ended.
CAROM_API uint64_t carom_known_epoch(const carom_client *client, const char *world);

// Makes everything that the client sends to the world name this epoch (except world.create);
// requests for a world that has ended then fail with CAROM_NOT_FOUND and change nothing. 0:
// requests name no epoch. Errors: CAROM_INVALID_ARGUMENT; CAROM_LIMIT_EXCEEDED for more than
// CAROM_EPOCHS_MAX worlds.
CAROM_API carom_status carom_pin_epoch(carom_client *client, const char *world, uint64_t epoch,
                                       carom_error *error);

CAROM_END_DECLS

#endif
