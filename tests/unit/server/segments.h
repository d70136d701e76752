// The kernel's counts of a TCP socket.
#ifndef CAROM_TESTS_UNIT_SERVER_SEGMENTS_H
#define CAROM_TESTS_UNIT_SERVER_SEGMENTS_H

#include <stdint.h>

// The number of segments with data that the socket has sent.
uint32_t segments_sent(int descriptor);

#endif
