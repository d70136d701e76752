// The work of each second: returns free memory of the heap to the system, ends seats that nobody
// came for, and reports a start that takes long.
//
// Network thread.
#ifndef CAROM_SERVER_SESSION_TIDYING_H
#define CAROM_SERVER_SESSION_TIDYING_H

#include "server/session/service.h"

void tidying_begin(server *s); // `s->tidying` is initialised
// Waits for the thread that returns memory, if it runs.
void tidying_end(server *s);

#endif
