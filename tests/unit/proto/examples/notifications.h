// The server's notifications in PROTOCOL.md: snapshots, events, log records and ends, printed as
// message_print does.
#ifndef CAROM_TESTS_UNIT_PROTO_EXAMPLES_NOTIFICATIONS_H
#define CAROM_TESTS_UNIT_PROTO_EXAMPLES_NOTIFICATIONS_H

void notifications_print(void);

#endif
