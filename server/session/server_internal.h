// Functions that the sources of the server's start and end share; private to server.c,
// server_listen.c and server_shutdown.c.
#ifndef CAROM_SERVER_SESSION_SERVER_INTERNAL_H
#define CAROM_SERVER_SESSION_SERVER_INTERNAL_H

#include "server/session/server.h"
#include "server/session/service.h"

enum { SERVER_HANDLES = 8 }; // wake, timers and turn_end

// Opens the ports. On failure `network` is NULL if the port of clients could not be opened.
status server_listen(server *s, error *err);
// Refuses addresses at which anybody could do everything.
status server_check_address(const server *s, error *err);
// Called when all sockets of a listener are closed.
void server_network_finished(void *context);
// Closes the handles that server_create opened; `closed` is called SERVER_HANDLES times.
void server_close_handles(server *s, uv_close_cb closed);
// Frees the worlds that are not restored yet, and closes the data.
void server_close_storage(server *s);

#endif
